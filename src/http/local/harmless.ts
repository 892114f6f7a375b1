/** Headers of what came from outside: it is never shown as if it were ours. */
export const HARMLESS = { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': 'sandbox' } as const;
