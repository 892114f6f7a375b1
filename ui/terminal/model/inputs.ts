import type { InboxCommand } from '../../model/keys.ts';
import type { MailRow } from '../../model/message-list.ts';
import type { InboxNotice } from '../../model/status.ts';
import type { RowDetails } from './mail.ts';
import type {
  AuthenticatorItem,
  Mail,
  MailboxItem,
  MailMarks,
  RequestDetail,
  RequestRow,
  ServerItem,
  WebhookItem,
} from './resources.ts';

/** An event that changes the inbox: a command of the reader, a change of the screen, or news from the server. */
export type Input =
  | { readonly is: 'command'; readonly command: InboxCommand }
  /** The current text of the filter field. */
  | { readonly is: 'typed'; readonly text: string }
  /** The screen was resized. A list can show `height` rows; `besides` is true if a preview fits beside it. */
  | { readonly is: 'resized'; readonly height: number; readonly besides: boolean }
  /** The open text was laid out. `matches` holds the line numbers where the searched text begins. */
  | { readonly is: 'measured'; readonly lines: number; readonly height: number; readonly matches: readonly number[] }
  /** The capabilities of the server. A server without a local API has no feed, and it can neither delete nor search. */
  | { readonly is: 'server'; readonly server: ServerItem }
  | { readonly is: 'connected' }
  | { readonly is: 'disconnected'; readonly reason: string }
  | { readonly is: 'notice'; readonly notice: InboxNotice }
  /** The mailboxes were loaded. `openId` is the mailbox to open first. */
  | { readonly is: 'mailboxes'; readonly mailboxes: readonly MailboxItem[]; readonly openId: string | null }
  | { readonly is: 'mailboxes-changed' }
  | {
      readonly is: 'messages';
      readonly mailboxId: string;
      readonly query: string;
      readonly rows: readonly MailRow[];
      readonly complete: boolean;
    }
  | {
      readonly is: 'messages-failed';
      readonly mailboxId: string;
      readonly query: string;
      readonly reason: string;
    }
  | { readonly is: 'messages-arrived'; readonly mailboxId: string; readonly rows: readonly MailRow[] }
  | {
      readonly is: 'messages-gone';
      readonly mailboxId: string;
      readonly ids: readonly string[] | null;
      readonly upTo: string | null;
    }
  /** The server reported marks of messages. */
  | { readonly is: 'marked'; readonly marks: ReadonlyMap<string, MailMarks> }
  /** The server refused marks. `marks` are those that the message had. */
  | { readonly is: 'marks-refused'; readonly id: string; readonly marks: MailMarks; readonly reason: string }
  /** The deletion of a message can no longer be undone. */
  | { readonly is: 'undo-over'; readonly id: string }
  | { readonly is: 'deletion-done'; readonly id: string }
  | { readonly is: 'deletion-failed'; readonly id: string; readonly reason: string }
  | { readonly is: 'mail'; readonly mail: Mail }
  | { readonly is: 'mail-failed'; readonly id: string; readonly reason: string }
  | { readonly is: 'row-details'; readonly found: readonly (readonly [id: string, details: RowDetails])[] }
  | { readonly is: 'row-details-failed' }
  | { readonly is: 'source'; readonly id: string; readonly source: string }
  /** All loaded data is invalid: the server was reset, or another server answers at its address. */
  | { readonly is: 'reset'; readonly because: string }
  | { readonly is: 'webhooks'; readonly webhooks: readonly WebhookItem[] }
  | {
      readonly is: 'requests';
      readonly webhookId: string;
      readonly rows: readonly RequestRow[];
      readonly complete: boolean;
    }
  | { readonly is: 'requests-failed'; readonly webhookId: string; readonly reason: string }
  | { readonly is: 'request-captured'; readonly webhookId: string; readonly row: RequestRow }
  /** The `count` oldest requests of a webhook went, up to `upTo`. */
  | { readonly is: 'requests-trimmed'; readonly webhookId: string; readonly upTo: string }
  | ({ readonly is: 'request-forwarded'; readonly id: string } & Pick<RequestRow, 'forward' | 'forwardHttpStatus'>)
  | { readonly is: 'request'; readonly request: RequestDetail }
  | { readonly is: 'request-failed'; readonly id: string; readonly reason: string }
  | { readonly is: 'authenticators'; readonly authenticators: readonly AuthenticatorItem[] }
  | { readonly is: 'code'; readonly id: string; readonly code: string | null; readonly expiresAt: number }
  /** One tick of the timer. `now` is the server's time in milliseconds since 1970. */
  | { readonly is: 'tick'; readonly now: number };
