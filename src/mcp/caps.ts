/**
 * A capability that the user allows in addition to the eight tools. `faults` adds the tools that make the server fail
 * on purpose.
 */
export const CAPS = ['faults'] as const;
export type Cap = (typeof CAPS)[number];

/** Parses capabilities with commas between them. If one is not known, returns the first such name as `unknown`. */
export function parseCaps(text: string): { readonly caps: readonly Cap[] } | { readonly unknown: string } {
  const names = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  const unknown = names.find((name) => !CAPS.some((cap) => cap === name));
  return unknown === undefined ? { caps: CAPS.filter((cap) => names.includes(cap)) } : { unknown };
}
