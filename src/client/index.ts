import type { Ready } from '../runtime.ts';
import { text } from './options/check-options.ts';

export type { FoundCode } from '../extract/codes.ts';
export type { LinkKind } from '../extract/link-kinds.ts';
export type { FoundLink } from '../extract/links.ts';
export type { Ready } from '../runtime.ts';
export type { Try as WebhookTry } from '../webhooks/deliver.ts';
export type { HashName, HmacScheme, SchemeName, SignatureScheme } from '../webhooks/schemes.ts';
export type {
  Authenticator,
  AuthenticatorCodeOptions,
  AuthenticatorOptions,
  CodeWait,
} from './authenticator/authenticator.ts';
export type { ActiveFault } from './client.ts';
export { type Client, createClient } from './client.ts';
export type { Api } from './connection/caller.ts';
export type * from './connection/calls.ts';
export type * from './connection/local-resources.ts';
export type * from './connection/resources.ts';
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
export type { CodeOptions, LinkFilter } from './mailbox/choose.ts';
export type { Mailbox, MailboxOptions, MessageWaitOptions } from './mailbox/mailbox.ts';
export type { MessageFilter, SmsFilter } from './mailbox/match.ts';
export type { Address, Attachment, Message } from './mailbox/message.ts';
export type { SentSms, SmsMessage, SmsRequest } from './mailbox/sms.ts';
export type { TextFilter } from './options/check-options.ts';
export type { ClientOptions } from './options/options.ts';
export type { Bytes, CallOptions, Server } from './transport/transport.ts';
export type { LookOptions, WaitOptions, WatchOptions } from './waiting/wait.ts';
export type { CapturedRequest, RequestFilter } from './webhook/captured-request.ts';
export type { SendWebhookOptions, WebhookDelivery } from './webhook/send-webhook.ts';
export type { Verdict } from './webhook/signature.ts';
export { type SignOptions, sign } from './webhook/signature.ts';
export type { Webhook, WebhookOptions, WebhookResponse } from './webhook/webhook.ts';

/**
 * Returns the server that runs on a data directory, as its `server.json` describes it; null if none runs. It ignores a
 * file that a dead process left. It works in Node only. Throws an OptionError if `dataDir` is no text, and a NoServerError
 * `server_refused` if another user or another program may have written the file.
 */
export async function findServer(dataDir: string): Promise<Ready | null> {
  text('dataDir', dataDir);
  const announced = await (await import('./connection/find-server.ts')).findReadyServer(dataDir);
  if (announced === null) return null;
  const { adminToken: _, ...ready } = announced;
  return ready;
}
