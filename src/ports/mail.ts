import type { CheckResult, RawCheckOptions } from '../checks/check-mail.ts';
import type { SpamScore } from '../checks/rules/spam.ts';
import type { MessageId, Ulid } from '../domain/ids.ts';
import type { Message, ReceiptMetadata } from '../domain/message.ts';
import type { ParsedMail, VirusScanStatus } from '../domain/parsed-mail.ts';
import type { SearchDocument } from '../domain/search/document.ts';
import type { SpfResult } from '../domain/spf.ts';
import type { MailBodies } from '../extract/bounds.ts';
import type { FoundCodesAndLinks, SeenMail } from '../extract/find.ts';
import type { WholePage } from '../extract/mail-page.ts';
import type { AllowedHosts } from '../extract/remote-hosts.ts';
import type { PageLook } from '../extract/safe-html.ts';
import type { CancelSignal } from './waiting.ts';

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
  find(mail: MailTexts): Promise<FoundCodesAndLinks>;
  /** Like `find`, with the HTML as text, which is null if the search failed. It never rejects. */
  see(mail: MailTexts): Promise<SeenMail>;
  /**
   * Checks a mail for problems that its readers would have (docs/checks.md). It makes no request. A string result is
   * the reason why the checks did not finish. It rejects only if `read` does.
   */
  check(sizeBytes: number, read: () => Promise<Buffer>, options: RawCheckOptions): Promise<CheckResult | string>;
  /**
   * Makes the documents of some mails in a thread, for searches. A document is null if searches have to read the mail,
   * also if the parser was closed meanwhile. It never rejects.
   */
  documents(mails: readonly ReadMail[]): Promise<readonly (SearchDocument | null)[]>;
  /**
   * Makes the page that shows a mail, in bounds of time, memory and size. A string result is the reason why it could not
   * be made. It rejects only if a picture's `read` does.
   */
  page(
    bodies: MailBodies,
    allowed: AllowedHosts,
    pictures: readonly PagePicture[],
    look?: PageLook,
  ): Promise<PageBytes | string>;
  /**
   * Makes the JPEG thumbnail of a picture, in bounds of time and memory. Of bytes that are no picture it is white. Null if
   * it could not be made. It never rejects.
   */
  thumbnail(content: Buffer): Promise<Uint8Array | null>;
  forget(id: MessageId): void;
  close(): Promise<void>;
}

/** A message with its bytes. */
export interface ReadMail {
  readonly message: Message;
  readonly raw: Buffer;
}

/** The texts of a mail in which codes and links are found. */
export type MailTexts = Pick<ParsedMail, 'subject' | 'textBody' | 'htmlBody'>;

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

/** Scans attachments for viruses when a client reads them, never while an SMTP client waits for its reply. */
export interface VirusScanner {
  /**
   * Returns the verdict on an attachment, or 0 if there is no scanner. It never rejects. It caches verdicts other than
   * 3 (scan failed) and scans an attachment once for concurrent callers. A queued scan is skipped if `isWanted` returns
   * false for every caller when its turn comes.
   */
  scan(id: Ulid, read: () => Promise<Buffer | null>, isWanted: () => boolean): Promise<VirusScanStatus>;
  /** Cancels the running scans, which then return verdict 3. */
  close(): void;
}

/** Scores mails for spam when a client checks them. */
export interface SpamFilter {
  /**
   * Scores a mail of `sizeBytes` bytes. A string result is the reason why there is no score, as the end of a sentence.
   * It rejects only if `read` does. It ends early when `ending` ends.
   */
  score(sizeBytes: number, read: () => Promise<Buffer>, cancelSignal: CancelSignal): Promise<SpamScore | string>;
  close(): void;
}

/** Evaluates whether the client may send mail for the sender's domain (RFC 7208). */
export interface Spf {
  /**
   * Evaluates a message. It never rejects and has a time limit. It caches results by id and evaluates a message once
   * for concurrent callers.
   */
  evaluate(id: MessageId, facts: ReceiptMetadata): Promise<SpfResult>;
}

/**
 * The DNS queries that SPF needs. A method returns null if the name or the record does not exist, and rejects if no
 * server gave an answer.
 */
export interface Dns {
  /** The TXT records, each as its list of character-strings (RFC 1035 3.3.14). */
  txt(name: string): Promise<string[][] | null>;
  a(name: string): Promise<string[] | null>;
  aaaa(name: string): Promise<string[] | null>;
  mx(name: string): Promise<MailExchange[] | null>;
  /**
   * The host names of an address. `name` is the address as a name under in-addr.arpa (RFC 1035 3.5) or ip6.arpa (RFC
   * 3596 2.5).
   */
  ptr(name: string): Promise<string[] | null>;
  /** Cancels the pending queries. */
  close(): void;
}

export interface MailExchange {
  readonly exchange: string;
  readonly priority: number;
}
