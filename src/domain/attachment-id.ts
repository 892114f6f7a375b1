import { ULID_DIGITS } from '../text/ulid-digits.ts';
import { type MessageId, parseUlid, type Ulid } from './ids.ts';

// Attachments have ULIDs (docs/api.md#conventions). Each is derived from the message's id and the position, so nothing
// is stored and every parse gives the same ids.

/**
 * The number of characters for the position. Three hold 32,768 positions, and a mail with more than 10,000 parts is not
 * parsed.
 */
const DIGITS = 3;
const STEM = 26 - DIGITS;

export function attachmentId(messageId: MessageId, position: number): Ulid {
  let digits = '';
  for (let rest = position, i = 0; i < DIGITS; i++, rest = Math.floor(rest / 32)) {
    digits = ULID_DIGITS.charAt(rest % 32) + digits;
  }
  // The cast is safe: only the last characters of a ULID change, within the same alphabet.
  return (messageId.slice(0, STEM) + digits) as Ulid;
}

/** Returns the position of an attachment of this message by its id, in either case. Null for any other text. */
export function attachmentPosition(messageId: MessageId, text: string): number | null {
  const id = parseUlid(text);
  if (id === null || id.slice(0, STEM) !== messageId.slice(0, STEM)) return null;
  return [...id.slice(STEM)].reduce((position, digit) => position * 32 + ULID_DIGITS.indexOf(digit), 0);
}

/** The number of mails that may be attached one within the other. */
export const MAX_ATTACHED = 10;

/** The place of an attachment. */
export interface AttachmentPlace {
  /** Its position in the message, or that of the attached mail it is in. */
  readonly position: number;
  /** Its position in each attached mail on the way, outermost first. It is empty for an attachment of the message. */
  readonly within: readonly number[];
}

/** Writes the id of an attachment of an attached mail: the id of that mail and the position, as in `01J….0`. */
export function nestedAttachmentId(attachedMail: string, position: number): string {
  return `${attachedMail}.${position}`;
}

/** Returns the place of an attachment by its id. Null for any other text. */
export function attachmentPlace(messageId: MessageId, text: string): AttachmentPlace | null {
  const [own = '', ...rest] = text.split('.', MAX_ATTACHED + 2);
  const position = attachmentPosition(messageId, own);
  const isPlace = rest.length <= MAX_ATTACHED && rest.every((one) => /^(?:0|[1-9]\d{0,4})$/.test(one));
  return position === null || !isPlace ? null : { position, within: rest.map(Number) };
}
