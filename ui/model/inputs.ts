import type { Notice } from './inbox.ts';
import type { Command } from './keys.ts';
import type {
  AuthenticatorItem,
  Mail,
  MailboxItem,
  MailRow,
  RequestDetail,
  RequestRow,
  ServerItem,
  WebhookItem,
} from './resources.ts';

/** What happens to an inbox: the reader, the screen, the server. */
export type Input =
  | { readonly is: 'command'; readonly command: Command }
  /** The text of the filter as it stands now. */
  | { readonly is: 'typed'; readonly text: string }
  /** A list has room for so many rows, and `besides`: for the selected message beside it. */
  | { readonly is: 'resized'; readonly height: number; readonly besides: boolean }
  /** The open text was laid out. `matches`: the lines in which what is looked for begins. */
  | { readonly is: 'measured'; readonly lines: number; readonly height: number; readonly matches: readonly number[] }
  /** What the server can do: one without a local API has no feed, and deletes and searches nothing. */
  | { readonly is: 'server'; readonly server: ServerItem }
  | { readonly is: 'connected' }
  | { readonly is: 'disconnected'; readonly reason: string }
  | { readonly is: 'notice'; readonly notice: Notice }
  /** `openId`: the mailbox to begin with. */
  | { readonly is: 'mailboxes'; readonly mailboxes: readonly MailboxItem[]; readonly openId: string | null }
  | { readonly is: 'mailboxes-changed' }
  | {
      readonly is: 'messages';
      readonly mailboxId: string;
      readonly query: string;
      readonly rows: readonly MailRow[];
      readonly complete: boolean;
    }
  | { readonly is: 'messages-failed'; readonly mailboxId: string; readonly reason: string }
  | { readonly is: 'messages-arrived'; readonly mailboxId: string; readonly rows: readonly MailRow[] }
  | {
      readonly is: 'messages-gone';
      readonly mailboxId: string;
      readonly ids: readonly string[] | null;
      readonly upTo: string | null;
    }
  | { readonly is: 'mail'; readonly mail: Mail }
  | { readonly is: 'mail-failed'; readonly id: string; readonly reason: string }
  | { readonly is: 'codes-found'; readonly found: readonly (readonly [id: string, codes: readonly string[]])[] }
  | { readonly is: 'codes-failed' }
  | { readonly is: 'source'; readonly id: string; readonly source: string }
  /** Nothing is as it was: the server was reset, or it is another one. */
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
  | ({ readonly is: 'request-forwarded'; readonly id: string } & Pick<RequestRow, 'forward' | 'forwardHttpStatus'>)
  | { readonly is: 'request'; readonly request: RequestDetail }
  | { readonly is: 'request-failed'; readonly id: string; readonly reason: string }
  | { readonly is: 'authenticators'; readonly authenticators: readonly AuthenticatorItem[] }
  | { readonly is: 'code'; readonly id: string; readonly code: string | null; readonly expiresAt: number }
  /** Time goes on; milliseconds since 1970 by the server's clock. */
  | { readonly is: 'tick'; readonly now: number };
