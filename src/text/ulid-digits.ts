/** The digits of a ULID in their order (Crockford's Base32). */
export const ULID_DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
