/** The least length of an admin token, in characters. A shorter one could be guessed by asking the server. */
export const LEAST_TOKEN_LENGTH = 16;

/** Tells whether a text may be an admin token: 16 to 200 visible ASCII characters, as a header can send them. */
export function isAdminToken(text: string): boolean {
  return /^[\x21-\x7e]{1,200}$/.test(text) && text.length >= LEAST_TOKEN_LENGTH;
}
