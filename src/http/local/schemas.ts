import { z } from 'zod';
import type { ApiKey } from '../../domain/api-key.ts';
import { CONDITIONS, MESSAGE_KINDS } from '../../domain/message.ts';
import { SMTP_STAGES } from '../../domain/smtp.ts';
import type { Workspace } from '../../domain/workspace.ts';
import { STORE_HEALTHS } from '../../ports/store.ts';
import { type AnswerOf, answerWriter, anything, nullable, time } from '../answers.ts';
import { ID, MailboxResponse, NAME, SECRET } from '../schemas.ts';

// The schemas of docs/api.md#the-local-api. Requests declare only field names; the rules check the values.

export const HealthResponse = z.object({
  status: z.string(),
  version: z.string(),
  /** The number of this server among the servers that share its store. Absent if it does not share its store. */
  server: z.int().optional(),
  /** What the quotas of captured requests cost since the start of this server. Absent while they cost nothing. */
  captures: z.object({ trimmed: z.int(), refused: z.int() }).optional(),
});

export const InfoResponse = z.object({
  version: z.string(),
  url: z.string(),
  apiUrl: z.string(),
  smtpUrl: z.string(),
  smtpHost: z.string(),
  smtpPort: z.int(),
  smtpsUrl: nullable,
  /** The path of the certificate on the server's machine. */
  smtpCa: nullable,
  pop3Url: nullable,
  pop3sUrl: nullable,
  imapUrl: nullable,
  imapsUrl: nullable,
  webhookBaseUrl: z.string(),
  feedUrl: z.string(),
  mailDomain: z.string(),
  workspaceId: z.string(),
  mailboxId: z.string(),
  plan: z.string(),
  limits: z.string(),
  storage: z.enum(STORE_HEALTHS),
  /** The place of the stored state, without a password. */
  store: z.string(),
  dataDir: z.string().describe("The data directory on the server's machine"),
  pid: z.int().describe('The id of the process on that machine'),
  /** The number of this server among the servers that share its store. Null if it does not share its store. */
  server: z.int().nullable(),
  relay: nullable.describe('The host of the relay. Null without one'),
  captureQuota: z.int().describe('The most bytes of the captured requests of a webhook'),
  captureTotal: z.int().describe('The most bytes of all captured requests'),
  lastEventId: z
    .string()
    .nullable()
    .describe('The id of the newest event of the feed, for since. Null before the first event'),
  counts: z.object({
    workspaces: z.int(),
    mailboxes: z.int(),
    messages: z.int(),
    storedBytes: z.int(),
    capturedBytes: z.int().describe('The bytes that all captured requests count against captureTotal'),
    waiters: z.int(),
  }),
});

const name = anything.meta({ type: ['string', 'null'], ...NAME });

export const WorkspaceRequest = z.object({
  name,
  plan: anything.meta({ type: ['string', 'null'], enum: ['free', 'business', null] }),
  walletCents: anything.meta({ type: ['integer', 'null'], format: 'int64', minimum: 0 }),
  limits: anything.meta({ type: ['string', 'null'], enum: ['cloud', 'off', null] }),
  senders: anything.meta({
    type: ['string', 'null'],
    enum: ['any', 'verified', null],
    description: 'verified: mail by the API of a provider has to come from an identity of the workspace',
  }),
});

export const WorkspaceResponse = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(['free', 'business']),
  walletCents: z.int(),
  limits: z.enum(['cloud', 'off']),
  senders: z.enum(['any', 'verified']),
  createdAt: time,
});

const writeWorkspace = answerWriter(WorkspaceResponse);

export function toWorkspaceResponse(workspace: Workspace): AnswerOf<typeof WorkspaceResponse> {
  const { walletMillicents, senders = 'any' } = workspace;
  return writeWorkspace({ ...workspace, senders, walletCents: Math.floor(walletMillicents / 1_000) });
}

const Scope = z.union([z.literal('all'), z.array(z.string())]);

const scope = {
  anyOf: [
    { type: 'string', const: 'all' },
    { type: 'array', items: { type: 'string', ...ID } },
  ],
  description: 'all, also those created later, or a fixed list of ids',
};

export const KeyRequest = z.object({
  name,
  scopes: anything.meta({
    type: 'object',
    properties: {
      mailboxes: scope,
      authenticators: scope,
      webhooks: {
        type: 'string',
        enum: ['all', 'none'],
        description:
          'all: read, change and delete every webhook and captured request of the workspace, whatever the mailboxes. none: 404 for all of them',
      },
    },
    description: 'All mailboxes, authenticators and webhooks if left out',
  }),
});

export const KeyResponse = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.object({ mailboxes: Scope, authenticators: Scope, webhooks: z.enum(['all', 'none']) }),
  createdAt: time,
  revokedAt: time.nullable(),
});

export const IssuedKeyResponse = KeyResponse.omit({ revokedAt: true }).extend({ key: z.string() });

const writeKey = answerWriter(KeyResponse);
const writeIssuedKey = answerWriter(IssuedKeyResponse);

export function toKeyResponse(key: ApiKey): AnswerOf<typeof KeyResponse> {
  return writeKey({ ...key, scopes: scopesOf(key) });
}

export function toIssuedKeyResponse(key: ApiKey, plaintext: string): AnswerOf<typeof IssuedKeyResponse> {
  return writeIssuedKey({ ...key, scopes: scopesOf(key), key: plaintext });
}

function scopesOf({ scopes }: ApiKey) {
  return { ...scopes, webhooks: scopes.webhooks ?? 'all' };
}

export const GroupRequest = z.object({ name: anything.meta({ type: 'string', ...NAME }) });

export const GroupResponse = z.object({ id: z.string(), workspaceId: z.string(), name: z.string(), createdAt: time });

export const toGroupResponse = answerWriter(GroupResponse);

export const AuthenticatorRequest = z.object({
  name: anything.meta({ type: 'string', ...NAME }),
  secret: anything.meta({ type: ['string', 'null'], ...SECRET, description: 'Base32; this or uri' }),
  uri: anything.meta({ type: ['string', 'null'], maxLength: 4_096, pattern: '^otpauth://totp/' }),
  algorithm: anything.meta({ type: ['string', 'null'], enum: ['SHA1', 'SHA256', 'SHA512', null] }),
  // Generators read no choice of numbers with null.
  digits: anything.meta({ type: ['integer', 'null'], minimum: 6, maximum: 8, description: '6 or 8' }),
  period: anything.meta({ type: ['integer', 'null'], minimum: 15, maximum: 120, description: 'Seconds' }),
});

export const AuthenticatorResponse = z.object({
  id: z.string(),
  workspaceId: z.string(),
  name: z.string(),
  label: nullable,
  issuer: nullable,
  algorithm: z.enum(['SHA1', 'SHA256', 'SHA512']),
  digits: z.union([z.literal(6), z.literal(8)]),
  period: z.int(),
  createdAt: time,
});

/** A secret whose code is computed and that is not stored. */
export const TotpRequest = AuthenticatorRequest.omit({ name: true }).extend({
  workspaceId: anything.meta({
    type: ['string', 'null'],
    description: 'The workspace by whose clock the code is computed; the clock of the server if left out',
  }),
});

export const MailboxRequest = z.object({
  name,
  retentionDays: anything.meta({ type: ['integer', 'null'], minimum: 1 }),
  outboundEnabled: anything.meta({ type: ['boolean', 'null'] }),
  allowlist: anything.meta({
    type: ['array', 'null'],
    maxItems: 1_000,
    items: { type: 'string' },
    description: 'Addresses, *@domain for all at a domain, and *.domain for those below it too',
  }),
});

/** The addresses that a mailbox claims. */
export const AddressesRequest = z.unknown().meta({
  type: 'array',
  maxItems: 1_000,
  items: { type: 'string' },
  description: 'Addresses of any domain, and *@domain for all of one',
});

/** A mailbox in the local API. */
export const MailboxOverview = MailboxResponse.extend({
  allowlist: z.array(z.string()),
  address: z.string().describe('Every address below its subdomain'),
  addresses: z.array(z.string()).describe('The addresses that it claims'),
  smtp: z
    .object({
      url: z.string(),
      host: z.string(),
      port: z.int(),
      user: z.string(),
    })
    .describe(
      'The SMTP user name that sends all mail of a connection to this mailbox. Any password works, unless --smtp-auth is strict',
    ),
  messageCount: z.int(),
  unreadCount: z.int().describe('Messages that nobody has marked as read'),
  seeded: z.boolean().describe('true for the inbox, which a reset restores and nobody can delete'),
});

/** An event of the feed. */
export const EventResponse = z.object({
  id: z.string(),
  type: z.string(),
  at: time,
  /** The id of the workspace; null if the event concerns all workspaces. */
  workspaceId: nullable,
  data: z.record(z.string(), z.unknown()),
});

export const ClockRequest = z.union([z.looseObject({}), z.null()]).meta({
  anyOf: undefined,
  type: ['object', 'null'],
  properties: { offsetSeconds: { type: 'number' }, now: { type: 'string', format: 'date-time' } },
  minProperties: 1,
  description: 'An offset from real time in seconds, a time, or null for real time',
});

export const ClockResponse = z.object({ now: time, offsetSeconds: z.number().meta({ type: 'number' }) });

/** The first items of a list. `leftOut` counts those that are not shown. If `exact` is false there are even more. */
function partOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), leftOut: z.int(), exact: z.boolean() });
}

/** A message of a diagnosis. Its texts are cut. */
const SeenMessage = z.object({
  ...{ id: z.string(), kind: z.enum(MESSAGE_KINDS), receivedAt: time },
  ...{ from: nullable, to: nullable, subject: nullable },
});

const SmtpStage = z.enum(SMTP_STAGES);

const SmtpConnectionResponse = z.object({
  openedAt: time,
  closedAt: time.nullable(),
  clientAddress: z.string(),
  clientPort: z.int(),
  helo: nullable,
  user: nullable,
  /**
   * The state of TLS. `asked` without `up` means that the client sent STARTTLS and then left, as it does if it refuses
   * the certificate. `refused` means that STARTTLS was refused. `missed` means that the client left right after EHLO,
   * where STARTTLS was not offered, as it does if it requires TLS.
   */
  tls: z.enum(['unused', 'missed', 'refused', 'asked', 'up']),
  /**
   * The last stage that succeeded: `connect` is the greeting, `end` the 250 after a mail. Null: not even the greeting
   * succeeded.
   */
  reached: SmtpStage.nullable(),
  /** The number of mails that got a 250. */
  accepted: z.int(),
  lastRefusal: nullable,
  mailboxId: nullable,
});

/** A connection with its transcript. */
export const SmtpSessionResponse = SmtpConnectionResponse.extend({
  workspaceId: nullable,
  transcript: z
    .array(z.string())
    .describe('The lines of both sides, without secrets. A long dialogue lacks its middle'),
});

/** The answer of `GET /_mailcap/mailboxes/{id}/diagnosis`: the reasons why nothing matched. */
export const DiagnosisResponse = z.object({
  mailboxId: z.string(),
  /** The address pattern of the mailbox: `*@sign-up.mailcap.example.com`. */
  address: z.string(),
  /** The time window, both ends included. */
  since: time,
  until: time,
  /** The filters of the request; null if not given. */
  filters: z.object({
    ...{ subject: nullable, from: nullable, to: nullable, body: nullable },
    ...{ header: nullable, code: nullable, link: nullable, query: nullable },
  }),
  /** The messages that came to the mailbox, newest first. */
  messages: partOf(
    SeenMessage.extend({
      /**
       * The filters that did not match. If there are none, the message matches, but came too late or before the await's
       * `since`.
       */
      refusedBy: z.array(
        z.object({
          filter: z.enum(CONDITIONS),
          /** The value of the filter; of `query`, the search word that did not match. */
          wanted: z.string(),
          /** The texts that were compared, cut. `sawLeftOut` more are not shown. */
          saw: z.array(z.string()),
          sawLeftOut: z.int(),
        }),
      ),
    }),
  ),
  /** The messages that came to other mailboxes of the workspace: those that match first, then newest first. */
  elsewhere: partOf(SeenMessage.extend({ mailboxId: z.string(), subdomain: z.string(), matches: z.boolean() })),
  /** The refusals by SMTP, newest first, without those that concern other workspaces. */
  refusals: partOf(
    z.object({
      at: time,
      stage: SmtpStage,
      /** The SMTP reply, such as `550 5.1.1 No such mailbox here`. */
      reply: z.string(),
      /** The reason as the metrics name it; `fault` means that a fault rule refused it. */
      reason: z.string(),
      mailFrom: nullable,
      /** The refused recipient; the first recipient if the whole mail was refused. */
      recipient: nullable,
      recipientCount: z.int(),
      clientAddress: z.string(),
      /** The mailbox of the recipient or of the sign-in; null if there is none. */
      mailboxId: nullable,
    }),
  ),
  /**
   * The newest connection at any time, except those of other workspaces. Null: none since the start or the last reset.
   */
  lastConnection: SmtpConnectionResponse.nullable(),
});
