const MAIL: ReadonlySet<string> = new Set(['message/rfc822', 'message/global']);

/** Tells whether a part of this media type, in lower case and without parameters, is a whole mail. */
export function holdsMail(type: string): boolean {
  return MAIL.has(type);
}
