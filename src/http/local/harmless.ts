/** The headers of foreign content, so that a browser never treats it as a page of ours. */
export const HARMLESS = { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': 'sandbox' } as const;
