import { type Given, wrong } from './value.ts';

/** The mail catchers whose API the server also speaks, for tests that were written for them. */
export const COMPAT_NAMES = ['mailpit', 'mailhog', 'maildev'] as const;
export type CompatName = (typeof COMPAT_NAMES)[number];

/** Reads `--compat`: `on`, `off`, or names with commas between them. Throws {@link ConfigError}. */
export function readCompat(value: readonly string[], given: Given): readonly CompatName[] {
  const [only = 'off', ...others] = value.map((name) => name.toLowerCase());
  if (others.length === 0 && only === 'off') return [];
  if (others.length === 0 && only === 'on') return COMPAT_NAMES;
  const names = new Set([only, ...others]);
  const known = COMPAT_NAMES.filter((name) => names.has(name));
  if (known.length !== names.size) throw wrong(given, `on, off, or of ${COMPAT_NAMES.join(', ')} those that you need`);
  return known;
}
