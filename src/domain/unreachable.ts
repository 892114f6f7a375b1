/** Marks the default branch of an exhaustive switch. A new member of the union then fails to compile. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
