/** The mail catchers whose API the server also speaks, for tests that were written for them. */
export const COMPAT_NAMES = ['mailpit', 'mailhog', 'maildev'] as const;
export type CompatName = (typeof COMPAT_NAMES)[number];
