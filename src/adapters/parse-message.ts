import type { CheckResult, RawCheckOptions } from '../checks/check-mail.ts';
import type { Message } from '../domain/message.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import type { SearchDocument } from '../domain/search/document.ts';
import type { MailBodies, MailContent } from '../extract/bounds.ts';
import type { FoundCodesAndLinks, SeenMail } from '../extract/find.ts';
import type { AllowedHosts } from '../extract/remote-hosts.ts';
import type { PageLook } from '../extract/safe-html.ts';
import type { Parse } from '../mail/parse.ts';
import type { PageBytes } from '../ports/mail.ts';

/** The memory of one object of a parse, about, in bytes. */
const OBJECT_BYTES = 1_000;

/** The result of a parse in the form in which it is sent between threads. */
interface ParseMessage {
  /** The mail without `headers`. The sender chooses header names, so they travel as a list. */
  readonly mail: Omit<ParsedMail, 'headers'>;
  readonly headers: [string, string | readonly string[]][];
  /** The bytes of all attachments in sequence. The buffer is transferred, not copied. */
  readonly contents: ArrayBuffer;
}

export function toMessage({ mail, contents }: Parse): ParseMessage {
  const { headers, ...rest } = mail;
  const all = new Uint8Array(contents.reduce((sum, content) => sum + content.length, 0));
  let at = 0;
  for (const content of contents) {
    all.set(content, at);
    at += content.length;
  }
  return { mail: rest, headers: Object.entries(headers), contents: all.buffer };
}

export function fromMessage({ mail, headers, contents }: ParseMessage): Parse {
  const byName: Record<string, string | readonly string[]> = Object.create(null);
  for (const [name, texts] of headers) byName[name] = texts;
  let at = 0;
  const pieces = mail.attachments.map(({ sizeBytes }) => {
    const piece = Buffer.from(contents, at, sizeBytes);
    at += sizeBytes;
    return piece;
  });
  return { mail: { ...mail, headers: byName }, contents: pieces };
}

/** Estimates the memory of a parse in bytes: two per character, a share for objects, and the attachments. */
export function parseBytes({ mail, contents }: Parse): number {
  let characters = (mail.textBody?.length ?? 0) + (mail.htmlBody?.length ?? 0);
  let objects = 1 + mail.attachments.length;
  for (const texts of Object.values(mail.headers)) {
    for (const text of typeof texts === 'string' ? [texts] : texts) characters += text.length;
    objects += 0.2;
  }
  return 2 * characters + objects * OBJECT_BYTES + contents.reduce((sum, content) => sum + content.length, 0);
}

// The messages between the server and a parser thread.

/** The tasks for the thread, which does one at a time, with their results. Bytes are transferred, not copied. */
interface ThreadWork {
  readonly parse: { readonly task: { readonly raw: ArrayBuffer }; readonly result: ParseMessage };
  readonly find: { readonly task: { readonly texts: MailContent }; readonly result: FoundCodesAndLinks };
  readonly see: { readonly task: { readonly texts: MailContent }; readonly result: SeenMail };
  readonly check: {
    readonly task: { readonly raw: ArrayBuffer; readonly options: RawCheckOptions };
    readonly result: CheckResult;
  };
  readonly documents: {
    readonly task: { readonly mails: readonly { readonly message: Message; readonly raw: ArrayBuffer }[] };
    readonly result: readonly (SearchDocument | null)[];
  };
  readonly thumbnail: { readonly task: { readonly content: ArrayBuffer }; readonly result: Uint8Array<ArrayBuffer> };
  readonly password: { readonly task: { readonly hash: string; readonly password: string }; readonly result: boolean };
  readonly page: { readonly task: PageTask; readonly result: PageBytes };
}

export type TaskKind = keyof ThreadWork;
export type ParseTask<Kind extends TaskKind = TaskKind> = { readonly kind: Kind } & ThreadWork[Kind]['task'];
export type TaskResult<Kind extends TaskKind = TaskKind> = ThreadWork[Kind]['result'];

/** The page of a mail. A picture is shown by its URL or by its bytes, and null stands for one that is too large. */
export interface PageTask {
  readonly bodies: MailBodies;
  readonly allowed: AllowedHosts;
  readonly look: PageLook;
  readonly pictures: readonly (readonly [contentId: string, shown: string | PictureBytes | null])[];
}

interface PictureBytes {
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type ParseReply =
  /** The modules for the task are loaded, and its work begins. */
  | { readonly kind: 'begun' }
  /** The facts of the header, sent before the rest is parsed. */
  | { readonly kind: 'known'; readonly known: Omit<ParseMessage, 'contents'> }
  | { readonly kind: 'done'; readonly result: TaskResult };
