/** A capability that the user allows beside the eight tools. `faults` makes the server fail on purpose. */
export const CAPS = ['faults'] as const;
export type Cap = (typeof CAPS)[number];

/** Reads capabilities with commas between them, or tells the first that is not known. */
export function parseCaps(text: string): { readonly caps: readonly Cap[] } | { readonly unknown: string } {
  const names = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  const unknown = names.find((name) => !CAPS.some((cap) => cap === name));
  return unknown === undefined ? { caps: CAPS.filter((cap) => names.includes(cap)) } : { unknown };
}
