import type { Checked } from '../checks/check-mail.ts';
import type { RawCheckOptions } from '../checks/check-raw.ts';
import type { MessageId } from '../domain/ids.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import type { FoundCodesAndLinks } from '../extract/find.ts';

/** Parses stored mails in full, away from the receiving path. */
export interface Parser {
  /**
   * Parses a mail. It never rejects because of the mail's content: a mail that cannot be parsed has `parseError` and
   * the fields that are known. It caches results by id and parses a mail once for concurrent callers.
   */
  parse(id: MessageId, read: () => Promise<Buffer>): Promise<ParsedMail>;
  /** Reads the attachment at a position. Returns null if there is none. */
  attachment(id: MessageId, position: number, read: () => Promise<Buffer>): Promise<Attachment | null>;
  /** Finds the codes and links of a parsed mail. It never rejects: `findError` tells why a search failed. */
  find(mail: ParsedMail): Promise<FoundCodesAndLinks>;
  /**
   * Checks a mail for what its readers would meet. It makes no request. It rejects only if `read` does: a string tells
   * why the checks did not end.
   */
  check(sizeBytes: number, read: () => Promise<Buffer>, options: RawCheckOptions): Promise<Checked | string>;
  forget(id: MessageId): void;
  close(): Promise<void>;
}

export interface Attachment {
  readonly filename: string | null;
  readonly contentType: string;
  readonly content: Buffer;
}
