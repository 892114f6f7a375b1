/** Of each body so many characters are read: nothing past them is looked at for codes or links. */
export const MAX_CHARACTERS = 512 * 1024;

/** What of a mail's bodies is left unread when codes and links are looked for, as a sentence; null where all is read. */
export function whyUnread({
  text,
  html,
}: {
  readonly text: string | null;
  readonly html: string | null;
}): string | null {
  const isLong = (body: string | null) => body !== null && body.length > MAX_CHARACTERS;
  const long = [...(isLong(text) ? ['text'] : []), ...(isLong(html) ? ['HTML'] : [])];
  if (long.length === 0) return null;
  return `Codes and links were looked for in the first ${MAX_CHARACTERS / 1024} Ki characters of the ${long.join(' and the ')}.`;
}
