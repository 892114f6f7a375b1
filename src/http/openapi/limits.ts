// What the rules take, as the OpenAPI documents say it. The rules themselves check it, each with a code of its own.

/** A ULID in either case. */
export const ID = { pattern: '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' } as const;

/** Trimmed first. */
export const NAME = { minLength: 1, maxLength: 100 } as const;

/** One DNS label; lower-cased first. */
export const LABEL = { maxLength: 63, pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$' } as const;

/** Days; the most a plan allows is told with `invalid_retention`. */
export const RETENTION = { minimum: 1, description: 'Days; the plan’s default if left out' } as const;

/** A secret in base32; spaces and dashes between are dropped. */
export const SECRET = { maxLength: 1_024, pattern: '^[A-Za-z2-7\\s-]+={0,6}$' } as const;
