// This module has the limits that the OpenAPI documents state. The rules of the domain check the values, and each rule
// has its own error code.

/** A ULID in either case. */
export const ID = { pattern: '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' } as const;

/** A name. Its length counts after trimming. */
export const NAME = { minLength: 1, maxLength: 100 } as const;

/** One DNS label. It is converted to lower case first. */
export const LABEL = { maxLength: 63, pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$' } as const;

/** A retention in days. The refusal `invalid_retention` names the longest that the plan allows. */
export const RETENTION = { minimum: 1, description: 'Days; the plan’s default if left out' } as const;

/** A secret in base32. Spaces and hyphens between its characters are removed. */
export const SECRET = { maxLength: 1_024, pattern: '^[A-Za-z2-7\\s-]+={0,6}$' } as const;
