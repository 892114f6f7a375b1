import type {
  AttachedMail,
  CheckFinding,
  Checks,
  Clock as ClockSetting,
  Diagnosis,
  Fault,
  FaultRule,
  Info,
  IssuedKey,
  Key,
  MessageDetailResponse,
  MessageFacts,
  MessageSummaryResponse,
  ScriptedResponse,
  ScriptedResponses,
  SendState,
  StoredAuthenticator,
  SuppressionEntryResponse,
  RequestFacts as ToldRequest,
  TotpCodeResponse,
  WebhookRequestPage,
  WebhookView,
  Workspace,
} from '../../../src/client/index.ts';
import type { Backend, FeedEvent } from './ports.ts';

export type {
  AttachedMail,
  CheckFinding,
  Checks,
  ClockSetting,
  Diagnosis,
  Fault,
  FaultRule,
  Info,
  IssuedKey,
  Key,
  MessageFacts,
  ScriptedResponse,
  ScriptedResponses,
  SendState,
  StoredAuthenticator,
  Workspace,
};
/** The facts of a captured request, which always has a method and a path. */
export type RequestFacts = ToldRequest & { readonly method: string; readonly path: string };
export type MessageContent = MessageDetailResponse;
export type Summary = MessageSummaryResponse & { readonly mailboxId?: string };
export type WebhookOverview = WebhookView & {
  readonly url: string;
  /** The requests that made room for newer ones. Null if none did. */
  readonly trimmed: { readonly count: number; readonly upTo: string } | null;
};
export type SuppressionEntry = SuppressionEntryResponse;

/** One mailbox in the answer of `GET mailboxes`. */
export interface MailboxOverview {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly subdomain: string;
  readonly address: string;
  readonly messageCount: number;
  readonly seeded: boolean;
  readonly retentionDays: number;
  readonly outboundEnabled: boolean;
  readonly allowlist: readonly string[];
  readonly dailyInboundUsed: number;
  readonly createdAt: string;
}

/** One page of a list or a search, newest message first. */
export interface FoundPage {
  readonly items: readonly Summary[];
  /** The number of messages on all pages together. */
  readonly total: number;
  /** False if the search ended before it had read all mails; `next` is then the position it reached. */
  readonly complete: boolean;
  /** The position of the next page; null on the last page. */
  readonly next: string | null;
}

/** A host from which the mail's HTML would load content, the kinds of that content, and the kinds that are allowed. */
export interface RemoteHost {
  readonly host: string;
  readonly kinds: readonly string[];
  readonly allowed: readonly string[];
}

/** The URL that shows a mail's HTML in a frame. It expires after a few minutes. */
export interface MessageFrame {
  readonly url: string;
  readonly expiresAt: string;
  readonly remote: readonly RemoteHost[];
}

/** The id that stands for all mailboxes together. */
export const ALL_MAIL = 'all';

/** The relay's reply for each recipient of a released message. */
export interface ReleaseReport {
  readonly released: boolean;
  readonly relay: string;
  readonly recipients: readonly { readonly address: string; readonly outcome: string; readonly reply: string }[];
}

/** One SMTP session and its transcript. */
export interface SmtpSession {
  readonly openedAt: string;
  readonly clientAddress: string;
  readonly helo: string | null;
  readonly accepted: number;
  readonly lastRefusal: string | null;
  readonly transcript: readonly string[];
}

export interface MessagePreview {
  readonly id: string;
  readonly snippet: string;
  readonly codes: readonly string[];
}

/** An await that a server holds open. */
export interface HeldAwait {
  readonly kind: 'message' | 'request';
  readonly workspaceId: string;
  readonly mailboxId: string | null;
  readonly webhookId: string | null;
  readonly filters: Readonly<Record<string, string>>;
  /** The wait as the client tells it; null if it tells nothing. */
  readonly note: {
    readonly call: string;
    readonly since: string;
    readonly filters: Readonly<Record<string, string>>;
    readonly asked: Readonly<Record<string, string>>;
    readonly undecided: readonly string[];
    readonly refused: readonly { readonly id: string; readonly reason: string }[];
  } | null;
  readonly heldSince: string;
  readonly until: string;
}

export interface Identity {
  readonly id: string;
  readonly workspaceId: string;
  readonly domain: string;
  readonly createdAt: string;
}

/** Creates the typed calls of the local API on top of a backend. */
export function createApi(backend: Backend) {
  const { get, send, bytes } = backend;
  const id = encodeURIComponent;
  return {
    info: () => get<Info>('/_mailcap/info'),
    metrics: async () => new TextDecoder().decode(await bytes('/_mailcap/metrics')),
    reset: () => send('POST', '/_mailcap/reset'),

    workspaces: () => get<Workspace[]>('/_mailcap/workspaces'),
    createWorkspace: (fields: object) => send<Workspace>('POST', '/_mailcap/workspaces', fields),
    updateWorkspace: (workspaceId: string, fields: object) =>
      send<Workspace>('PATCH', `/_mailcap/workspaces/${id(workspaceId)}`, fields),
    deleteWorkspace: (workspaceId: string) => send('DELETE', `/_mailcap/workspaces/${id(workspaceId)}`),
    keys: (workspaceId: string) => get<Key[]>(`/_mailcap/workspaces/${id(workspaceId)}/keys`),
    createKey: (workspaceId: string, fields: object) =>
      send<IssuedKey>('POST', `/_mailcap/workspaces/${id(workspaceId)}/keys`, fields),
    revokeKey: (keyId: string) => send('DELETE', `/_mailcap/keys/${id(keyId)}`),

    mailboxes: () => get<MailboxOverview[]>('/_mailcap/mailboxes'),
    createMailbox: (workspaceId: string, fields: object) =>
      send<MailboxOverview>('POST', `/_mailcap/workspaces/${id(workspaceId)}/mailboxes`, fields),
    updateMailbox: (mailboxId: string, fields: object) => send('PATCH', `/_mailcap/mailboxes/${id(mailboxId)}`, fields),
    deleteMailbox: (mailboxId: string) => send('DELETE', `/_mailcap/mailboxes/${id(mailboxId)}`),
    clearMailbox: (mailboxId: string) => send('DELETE', `/_mailcap/mailboxes/${id(mailboxId)}/messages`),
    messages: (
      mailboxId: string,
      query: { query?: string; limit: number; before: string | null },
      signal?: AbortSignal,
    ) =>
      get<FoundPage>(
        mailboxId === ALL_MAIL ? '/_mailcap/messages' : `/_mailcap/mailboxes/${id(mailboxId)}/messages`,
        query,
        signal,
      ),
    previews: (ids: readonly string[]) => get<MessagePreview[]>('/_mailcap/messages/glances', { ids: ids.join(',') }),
    facts: (messageId: string) => get<MessageFacts>(`/_mailcap/messages/${id(messageId)}`),
    content: (messageId: string) => get<MessageContent>(`/_mailcap/messages/${id(messageId)}/content`),
    raw: (messageId: string, signal?: AbortSignal) => bytes(`/_mailcap/messages/${id(messageId)}/raw`, signal),
    checks: (messageId: string) => get<Checks>(`/_mailcap/messages/${id(messageId)}/checks`),
    attachment: (messageId: string, attachmentId: string) =>
      bytes(`/_mailcap/messages/${id(messageId)}/attachments/${id(attachmentId)}`),
    attachedMail: (messageId: string, attachmentId: string) =>
      get<AttachedMail>(`/_mailcap/messages/${id(messageId)}/attachments/${id(attachmentId)}/message`),
    frame: (messageId: string, attached: string | null, allow: Readonly<Record<string, readonly string[]>>) => {
      const within = attached === null ? '' : `/attachments/${id(attached)}/message`;
      return send<MessageFrame>('POST', `/_mailcap/messages/${id(messageId)}${within}/view`, { allow });
    },
    release: (messageId: string, to: string) =>
      send<ReleaseReport>('POST', `/_mailcap/messages/${id(messageId)}/release`, { to }),
    deleteMessage: (messageId: string) => send('DELETE', `/_mailcap/messages/${id(messageId)}`),
    diagnosis: (mailboxId: string, query: Readonly<Record<string, string>>) =>
      get<Diagnosis>(`/_mailcap/mailboxes/${id(mailboxId)}/diagnosis`, query),

    sessions: (limit: number) => get<SmtpSession[]>('/_mailcap/smtp/sessions', { limit }),
    waits: () => get<HeldAwait[]>('/_mailcap/waits'),
    events: (since: string, limit: number, mailboxId: string | null = null, types: readonly string[] | null = null) =>
      get<FeedEvent[]>('/_mailcap/events', { since, limit, mailboxId, types: types?.join() ?? null }),

    webhooks: () => get<WebhookOverview[]>('/_mailcap/webhooks'),
    createWebhook: (workspaceId: string, fields: object) =>
      send<WebhookOverview>('POST', `/_mailcap/workspaces/${id(workspaceId)}/webhooks`, fields),
    updateWebhook: (webhookId: string, fields: object) =>
      send<WebhookOverview>('PATCH', `/_mailcap/webhooks/${id(webhookId)}`, fields),
    deleteWebhook: (webhookId: string) => send('DELETE', `/_mailcap/webhooks/${id(webhookId)}`),
    requests: (webhookId: string, page: number, pageSize = 100) =>
      get<WebhookRequestPage>(`/_mailcap/webhooks/${id(webhookId)}/requests`, { page, pageSize }),
    clearRequests: (webhookId: string) => send('DELETE', `/_mailcap/webhooks/${id(webhookId)}/requests`),
    request: (requestId: string) => get<RequestFacts>(`/_mailcap/webhooks/requests/${id(requestId)}`),
    requestBody: (requestId: string) => bytes(`/_mailcap/webhooks/requests/${id(requestId)}/body`),
    replay: (requestId: string) => send('POST', `/_mailcap/webhooks/requests/${id(requestId)}/replay`),
    responses: (webhookId: string) => get<ScriptedResponses>(`/_mailcap/webhooks/${id(webhookId)}/responses`),
    setResponses: (webhookId: string, responses: readonly ScriptedResponse[]) =>
      send<ScriptedResponses>('PUT', `/_mailcap/webhooks/${id(webhookId)}/responses`, responses),

    sends: (before: string | null, limit = 100) => get<SendState[]>('/_mailcap/sends', { before, limit }),
    sendFrom: (mailboxId: string, fields: object) =>
      send<{ outboundSendId: string; messageId: string; status: string }>(
        'POST',
        `/_mailcap/mailboxes/${id(mailboxId)}/send`,
        fields,
      ),
    suppression: (workspaceId: string) =>
      get<SuppressionEntry[]>(`/_mailcap/workspaces/${id(workspaceId)}/suppression`),
    suppress: (workspaceId: string, recipient: string, reason: string) =>
      send('POST', `/_mailcap/workspaces/${id(workspaceId)}/suppression`, { recipient, reason }),
    unsuppress: (entryId: string) => send('DELETE', `/_mailcap/suppression/${id(entryId)}`),
    identities: (workspaceId: string) => get<Identity[]>(`/_mailcap/workspaces/${id(workspaceId)}/identities`),
    addIdentity: (workspaceId: string, domain: string) =>
      send('POST', `/_mailcap/workspaces/${id(workspaceId)}/identities`, { domain }),
    removeIdentity: (identityId: string) => send('DELETE', `/_mailcap/identities/${id(identityId)}`),

    authenticators: (workspaceId: string) =>
      get<StoredAuthenticator[]>(`/_mailcap/workspaces/${id(workspaceId)}/authenticators`),
    createAuthenticator: (workspaceId: string, fields: object) =>
      send<StoredAuthenticator>('POST', `/_mailcap/workspaces/${id(workspaceId)}/authenticators`, fields),
    deleteAuthenticator: (authenticatorId: string) => send('DELETE', `/_mailcap/authenticators/${id(authenticatorId)}`),
    code: (authenticatorId: string) => get<TotpCodeResponse>(`/_mailcap/authenticators/${id(authenticatorId)}/code`),

    clock: () => get<ClockSetting>('/_mailcap/clock'),
    setClock: (setting: object | null) => send<ClockSetting>('PUT', '/_mailcap/clock', setting),
    faults: () => get<Fault[]>('/_mailcap/faults'),
    addFault: (rule: FaultRule) => send<Fault>('POST', '/_mailcap/faults', rule),
    removeFault: (faultId: string) => send<Fault>('DELETE', `/_mailcap/faults/${id(faultId)}`),
    removeAllFaults: () => send<Fault[]>('PUT', '/_mailcap/faults', []),
  };
}

export type ShellApi = ReturnType<typeof createApi>;
