import type { Checked } from '../checks/check-mail.ts';
import type { RawCheckOptions } from '../checks/check-raw.ts';
import type { MessageId } from '../domain/ids.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import type { FoundCodesAndLinks } from '../extract/find.ts';
import type { MailBodies, WholePage } from '../extract/mail-page.ts';
import type { AllowedHosts } from '../extract/remote-hosts.ts';

/** Parses stored mails in full, away from the receiving path. */
export interface Parser {
  /**
   * Parses a mail. It rejects only if `read` does: a mail that cannot be parsed has `parseError` and the fields that
   * are known. It caches results by id and parses a mail once for concurrent callers.
   */
  parse(id: MessageId, read: () => Promise<Buffer>): Promise<ParsedMail>;
  /** Reads the attachment at a position. Returns null if there is none. */
  attachment(id: MessageId, position: number, read: () => Promise<Buffer>): Promise<Attachment | null>;
  /** Parses an attached mail. It caches nothing, and never rejects. */
  attached(content: Buffer): Promise<AttachedMail>;
  /** Finds the codes and links of a parsed mail. It never rejects; `findError` is the reason why a search failed. */
  find(mail: ParsedMail): Promise<FoundCodesAndLinks>;
  /**
   * Checks a mail for problems that its readers would have (docs/checks.md). It makes no request. A string result is
   * the reason why the checks did not finish. It rejects only if `read` does.
   */
  check(sizeBytes: number, read: () => Promise<Buffer>, options: RawCheckOptions): Promise<Checked | string>;
  /**
   * Makes the page that shows a mail, in bounds of time, memory and size. A string result is the reason why it could not
   * be made. It rejects only if a picture's `read` does.
   */
  page(bodies: MailBodies, allowed: AllowedHosts, pictures: readonly PagePicture[]): Promise<PageBytes | string>;
  forget(id: MessageId): void;
  close(): Promise<void>;
}

/** A picture of a mail, by its URL or by its bytes, which the page embeds. */
export interface PagePicture {
  readonly contentId: string;
  readonly shown: string | { readonly sizeBytes: number; readonly read: () => Promise<Attachment> };
}

export interface PageBytes extends Omit<WholePage, 'html'> {
  /** The HTML in UTF-8. */
  readonly html: Uint8Array;
}

export interface Attachment {
  readonly filename: string | null;
  readonly contentType: string;
  readonly content: Buffer;
}

/** A mail that is attached to another one. */
export interface AttachedMail {
  readonly mail: ParsedMail;
  /** Its attachments, in the order of `mail.attachments`. */
  readonly attachments: readonly Attachment[];
}
