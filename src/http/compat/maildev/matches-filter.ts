/** A filter of MailDev: a path such as `from.address`, and the value that the field must have. */
export type MaildevFilter = readonly [path: string, value: string];

/** Tells whether an email matches every filter. If a path leads through a list, one item of the list has to match. */
export function matchesFilters(email: object, filters: readonly MaildevFilter[]): boolean {
  return filters.every(([path, value]) => {
    const found = path.split('.').reduce<unknown>((at, name) => inside(at, name), email);
    return Array.isArray(found)
      ? found.some((one) => String(one) === value)
      : found !== undefined && String(found) === value;
  });
}

function inside(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => inside(one, name));
  const has = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return has ? Reflect.get(value, name) : undefined;
}
