/** The default branch of an exhaustive switch: a new member of the union is then a compile error. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
