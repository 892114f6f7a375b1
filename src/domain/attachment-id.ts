import { type MessageId, parseUlid, type Ulid } from './ids.ts';

// Attachments have ULIDs like everything else (docs/api.md#conventions), made of their message's and their position, so that
// nothing has to be stored and no parse changes them.

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Three characters hold 32,768 positions; a mail of more than 10,000 parts is not taken apart. */
const DIGITS = 3;
const STEM = 26 - DIGITS;

export function attachmentId(messageId: MessageId, position: number): Ulid {
  let digits = '';
  for (let rest = position, i = 0; i < DIGITS; i++, rest = Math.floor(rest / 32)) {
    digits = ALPHABET.charAt(rest % 32) + digits;
  }
  // A ULID but for its last characters, which are of the same alphabet.
  return (messageId.slice(0, STEM) + digits) as Ulid;
}

/** The position an id of this message's attachments stands for, in either case; null for any other text. */
export function attachmentPosition(messageId: MessageId, text: string): number | null {
  const id = parseUlid(text);
  if (id === null || id.slice(0, STEM) !== messageId.slice(0, STEM)) return null;
  return [...id.slice(STEM)].reduce((position, digit) => position * 32 + ALPHABET.indexOf(digit), 0);
}
