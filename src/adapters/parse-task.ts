import type { Checked } from '../checks/check-mail.ts';
import type { RawCheckOptions } from '../checks/check-raw.ts';
import type { CodeText } from '../extract/codes.ts';
import type { FoundCodesAndLinks } from '../extract/find.ts';
import type { MailBodies } from '../extract/mail-page.ts';
import type { AllowedHosts } from '../extract/remote-hosts.ts';
import type { PageBytes } from '../ports/parser.ts';
import type { ParseMessage } from './parse-message.ts';

// The messages between the server and a parser thread.

/** A task for the thread, which does one task at a time. The bytes are transferred, not copied. */
export type ParseTask =
  | { readonly kind: 'parse'; readonly raw: ArrayBuffer }
  | { readonly kind: 'find'; readonly texts: CodeText }
  | { readonly kind: 'check'; readonly raw: ArrayBuffer; readonly options: RawCheckOptions }
  | PageTask;

/** The page of a mail. A picture is shown by its URL or by its bytes, and null stands for one that is too large. */
export interface PageTask {
  readonly kind: 'page';
  readonly bodies: MailBodies;
  readonly allowed: AllowedHosts;
  readonly pictures: readonly (readonly [contentId: string, shown: string | PictureBytes | null])[];
}

export interface PictureBytes {
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type ParseReply =
  /** The modules for the task are loaded, and its work begins. */
  | { readonly kind: 'begun' }
  /** The facts of the header, sent before the rest is parsed. */
  | { readonly kind: 'known'; readonly known: Omit<ParseMessage, 'contents'> }
  | { readonly kind: 'parsed'; readonly parsed: ParseMessage }
  | { readonly kind: 'found'; readonly found: FoundCodesAndLinks }
  | { readonly kind: 'checked'; readonly checked: Checked }
  | { readonly kind: 'page'; readonly page: PageBytes };
