import type { Ready } from '../runtime.ts';
import { text } from './check-options.ts';

export type { FoundCode } from '../extract/codes.ts';
export type { LinkKind } from '../extract/link-words.ts';
export type { FoundLink } from '../extract/links.ts';
export type { Ready } from '../runtime.ts';
export type { Authenticator, AuthenticatorCodeOptions, CodeWait } from './authenticator.ts';
export type { CapturedRequest } from './captured-request.ts';
export type { CodeOptions } from './choose-code.ts';
export type { LinkFilter } from './choose-link.ts';
export { type Client, createClient } from './client.ts';
export type { AwaitQuery, CloudApi, MessageListQuery, RequestListQuery } from './cloud-api.ts';
export type { CallOptions } from './deadline.ts';
export {
  AmbiguityError,
  type ClientErrorCode,
  ContentError,
  LocalOnlyError,
  MailcapError,
  type MailcapErrorCode,
  NoServerError,
  OptionError,
  RefusedError,
  TimeoutError,
  UnexpectedError,
  WaitTimeoutError,
} from './errors.ts';
export type { LocalApi } from './local-api.ts';
export type * from './local-resources.ts';
export type { Mailbox } from './mailbox.ts';
export type { Attachment, Message } from './message.ts';
export type { MessageFilter } from './message-filter.ts';
export type { AuthenticatorOptions } from './open-authenticator.ts';
export type { MailboxOptions } from './open-mailbox.ts';
export type { WebhookOptions } from './open-webhook.ts';
export type { ClientOptions } from './options.ts';
export type { RequestFilter } from './request-filter.ts';
export type * from './resources.ts';
export type { Server } from './server.ts';
export type { HmacScheme, SignatureScheme, Verdict } from './signature.ts';
export type { TextFilter } from './text-match.ts';
export type { WaitOptions } from './wait.ts';

/** The server that runs on a data directory, as its `server.json` tells; null where none does. A file left by a dead process is ignored. Node alone. */
export async function findServer(dataDir: string): Promise<Ready | null> {
  text('dataDir', dataDir);
  return (await import('./find-server.ts')).findServer(dataDir);
}
export type { Webhook, WebhookResponse } from './webhook.ts';
