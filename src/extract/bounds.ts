/** The bodies of a mail. */
export interface MailBodies {
  readonly html: string | null;
  readonly text: string | null;
}

/** The texts of a mail, in which codes and links are looked for. */
export interface MailContent extends MailBodies {
  readonly subject: string | null;
}

/** The number of characters of each body that are searched for codes and links. */
export const MAX_CHARACTERS = 512 * 1024;

/**
 * Describes the part of the bodies that is not searched for codes and links, as a sentence. Returns null if all is
 * searched.
 */
export function whyUnread({ text, html }: MailBodies): string | null {
  const isLong = (body: string | null) => body !== null && body.length > MAX_CHARACTERS;
  const long = [...(isLong(text) ? ['text'] : []), ...(isLong(html) ? ['HTML'] : [])];
  if (long.length === 0) return null;
  return `Codes and links were looked for in the first ${MAX_CHARACTERS / 1024} Ki characters of the ${long.join(' and the ')}.`;
}
