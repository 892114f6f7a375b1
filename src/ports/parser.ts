import type { MessageId } from '../domain/ids.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import type { Found } from '../extract/find.ts';

/** Full parsing of a stored mail, off the hot path. */
export interface Parser {
  /**
   * Never rejects because of what the mail says: a mail that can't be parsed comes back with what is known and `parseError`.
   * Results are kept within a bound, by id; one mail is parsed once however many ask.
   */
  parse(id: MessageId, read: () => Promise<Buffer>): Promise<ParsedMail>;
  /** The bytes of the attachment at a position, null when there is none. */
  attachment(id: MessageId, position: number, read: () => Promise<Buffer>): Promise<Attachment | null>;
  /** The codes and links of what was parsed. Never rejects: where they could not be looked for, `findError` says why. */
  find(mail: ParsedMail): Promise<Found>;
  forget(id: MessageId): void;
  close(): Promise<void>;
}

export interface Attachment {
  readonly filename: string | null;
  readonly contentType: string;
  readonly content: Buffer;
}
