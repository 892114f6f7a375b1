import { z } from 'zod';
import type { ApiKey } from '../../domain/api-key.ts';
import type { Group } from '../../domain/group.ts';
import type { Mailbox } from '../../domain/mailbox.ts';
import type { Facts, Message } from '../../domain/message.ts';
import type { ParsedMail } from '../../domain/parsed-mail.ts';
import { SMTP_STAGES } from '../../domain/smtp-stage.ts';
import { writeTime } from '../../domain/time.ts';
import type { Workspace } from '../../domain/workspace.ts';
import type { Found } from '../../extract/find.ts';
import { MailboxResponse, toMailboxResponse } from '../schemas.ts';

// The resources of contract 5. Of what comes in only the names are declared here: the rules check the rest.

const time = z.iso.datetime({ offset: true });
const anything = z.unknown().optional();

export const HealthResponse = z.object({ status: z.string(), version: z.string() });

export const InfoResponse = z.object({
  version: z.string(),
  url: z.string(),
  apiUrl: z.string(),
  smtpUrl: z.string(),
  smtpHost: z.string(),
  smtpPort: z.int(),
  webhookBaseUrl: z.string(),
  feedUrl: z.string(),
  mailDomain: z.string(),
  workspaceId: z.string(),
  mailboxId: z.string(),
  plan: z.string(),
  limits: z.string(),
  counts: z.object({
    workspaces: z.int(),
    mailboxes: z.int(),
    messages: z.int(),
    storedBytes: z.int(),
    waiters: z.int(),
  }),
});

export const WorkspaceRequest = z.object({
  name: anything,
  plan: anything,
  walletCents: anything,
  limits: anything,
});

export const WorkspaceResponse = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(['free', 'business']),
  walletCents: z.int(),
  limits: z.enum(['cloud', 'off']),
  createdAt: time,
});

export function toWorkspaceResponse(workspace: Workspace): z.infer<typeof WorkspaceResponse> {
  return {
    id: workspace.id,
    name: workspace.name,
    plan: workspace.plan,
    walletCents: Math.floor(workspace.walletMillicents / 1_000),
    limits: workspace.limits,
    createdAt: writeTime(workspace.createdAt),
  };
}

export const KeyRequest = z.object({ name: anything, scopes: anything });

const Scope = z.union([z.literal('all'), z.array(z.string())]);

export const KeyResponse = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.object({ mailboxes: Scope, authenticators: Scope }),
  createdAt: time,
  revokedAt: time.nullable(),
});

export const IssuedKeyResponse = KeyResponse.omit({ revokedAt: true }).extend({ key: z.string() });

export function toKeyResponse(key: ApiKey): z.infer<typeof KeyResponse> {
  return {
    id: key.id,
    name: key.name,
    scopes: writeScopes(key),
    createdAt: writeTime(key.createdAt),
    revokedAt: key.revokedAt === null ? null : writeTime(key.revokedAt),
  };
}

export function toIssuedKeyResponse(key: ApiKey, plaintext: string): z.infer<typeof IssuedKeyResponse> {
  return {
    id: key.id,
    name: key.name,
    scopes: writeScopes(key),
    createdAt: writeTime(key.createdAt),
    key: plaintext,
  };
}

function writeScopes({ scopes }: ApiKey): z.infer<typeof KeyResponse>['scopes'] {
  const { mailboxes, authenticators } = scopes;
  return {
    mailboxes: mailboxes === 'all' ? 'all' : [...mailboxes],
    authenticators: authenticators === 'all' ? 'all' : [...authenticators],
  };
}

export const GroupRequest = z.object({ name: anything });

export const GroupResponse = z.object({ id: z.string(), workspaceId: z.string(), name: z.string(), createdAt: time });

export function toGroupResponse(group: Group): z.infer<typeof GroupResponse> {
  return { id: group.id, workspaceId: group.workspaceId, name: group.name, createdAt: writeTime(group.createdAt) };
}

export const AuthenticatorRequest = z.object({
  name: anything,
  secret: anything,
  uri: anything,
  algorithm: anything,
  digits: anything,
  period: anything,
});

export const AuthenticatorResponse = z.object({
  id: z.string(),
  workspaceId: z.string(),
  name: z.string(),
  label: z.string().nullable(),
  issuer: z.string().nullable(),
  algorithm: z.enum(['SHA1', 'SHA256', 'SHA512']),
  digits: z.union([z.literal(6), z.literal(8)]),
  period: z.int(),
  createdAt: time,
});

export const MailboxRequest = z.object({
  name: anything,
  retentionDays: anything,
  outboundEnabled: anything,
  allowlist: anything,
});

export const MailboxSettingsResponse = MailboxResponse.extend({ allowlist: z.array(z.string()) });

export function toMailboxSettingsResponse(
  mailbox: Mailbox,
  dailyInboundUsed: number,
): z.infer<typeof MailboxSettingsResponse> {
  return { ...toMailboxResponse(mailbox, dailyInboundUsed), allowlist: [...mailbox.allowlist] };
}

const nullable = z.string().nullable();

const CodeResponse = z.object({
  code: z.string(),
  written: z.string(),
  reason: z.string(),
  confidence: z.enum(['high', 'medium', 'low']),
  rank: z.int(),
  ambiguous: z.boolean(),
});

const LinkResponse = z.object({
  url: z.string(),
  text: z.string(),
  kind: z.enum(['verify', 'magic', 'reset', 'invite', 'unsubscribe', 'other']),
  reason: z.string(),
  tracker: nullable,
});

export const FactsResponse = z.object({
  id: z.string(),
  mailboxId: z.string(),
  workspaceId: z.string(),
  source: z.enum(['smtp', 'api', 'send', 'notification']),
  envelope: z.object({ mailFrom: z.string(), rcptTo: z.array(z.string()) }),
  helo: nullable,
  user: nullable,
  tls: z.object({ protocol: z.string(), cipher: z.string() }).nullable(),
  clientAddress: nullable,
  clientPort: z.int().nullable(),
  transcript: z.array(z.string()),
  receivedAt: time,
  sizeBytes: z.int(),
  parseError: nullable,
  codes: z.array(CodeResponse),
  links: z.array(LinkResponse),
  findError: nullable.describe('Why codes and links were not looked for in all of the mail, null when they were'),
});

export function toFactsResponse(
  message: Message,
  facts: Facts,
  parsed: ParsedMail,
  found: Found,
): z.infer<typeof FactsResponse> {
  return {
    id: message.id,
    mailboxId: message.mailboxId,
    workspaceId: message.workspaceId,
    source: facts.source,
    envelope: { mailFrom: facts.envelope.mailFrom, rcptTo: [...facts.envelope.rcptTo] },
    helo: facts.helo,
    user: facts.user,
    tls: facts.tls,
    clientAddress: facts.clientAddress,
    clientPort: facts.clientPort,
    transcript: [...facts.transcript],
    receivedAt: writeTime(message.receivedAt),
    sizeBytes: message.sizeBytes,
    parseError: parsed.parseError,
    codes: found.codes.map((code) => ({ ...code })),
    links: found.links.map(({ tracker, ...link }) => ({ ...link, tracker: tracker ?? null })),
    findError: found.findError,
  };
}

export const ClockResponse = z.object({ now: time, offsetSeconds: z.number() });

/** The first of a list; `leftOut` others are not shown, `exact` false: and more that were not counted. */
function partOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), leftOut: z.int(), exact: z.boolean() });
}

/** Texts are cut. */
const SeenMessage = z.object({ id: z.string(), receivedAt: time, from: nullable, to: nullable, subject: nullable });

const SmtpStage = z.enum(SMTP_STAGES);

/** Why nothing matched: `GET /_mailcap/mailboxes/{id}/diagnosis`. */
export const DiagnosisResponse = z.object({
  mailboxId: z.string(),
  /** `*@sign-up.mailcap.test` */
  address: z.string(),
  /** The window, both ends included. */
  since: time,
  until: time,
  /** As asked for, null where not. */
  filters: z.object({ subject: nullable, from: nullable, to: nullable }),
  /** What came to the mailbox, newest first. */
  messages: partOf(
    SeenMessage.extend({
      /** The filters that did not match; none: it matches, so it came too late, or before the await's `since`. */
      refusedBy: z.array(
        z.object({
          filter: z.enum(['subject', 'from', 'to']),
          wanted: z.string(),
          /** The texts it looked at, cut; `sawLeftOut` more are not shown. */
          saw: z.array(z.string()),
          sawLeftOut: z.int(),
        }),
      ),
    }),
  ),
  /** What came to other mailboxes of the workspace: those that match the filters first, then newest first. */
  elsewhere: partOf(SeenMessage.extend({ mailboxId: z.string(), subdomain: z.string(), matches: z.boolean() })),
  /** What SMTP refused, newest first, but for what concerns other workspaces. */
  refusals: partOf(
    z.object({
      at: time,
      stage: SmtpStage,
      /** As it was said, `550 5.1.1 No such mailbox here`. */
      reply: z.string(),
      /** As the metrics count it; `fault`: a fault rule said so. */
      reason: z.string(),
      mailFrom: nullable,
      /** The recipient refused; where it was the mail, its first. */
      recipient: nullable,
      recipientCount: z.int(),
      clientAddress: z.string(),
      /** Where the recipient or the sign-in leads, null where to none. */
      mailboxId: nullable,
    }),
  ),
  /** The newest, whenever it was, but for those of other workspaces; null: none since the start, or since a reset. */
  lastConnection: z
    .object({
      openedAt: time,
      closedAt: time.nullable(),
      clientAddress: z.string(),
      clientPort: z.int(),
      helo: nullable,
      user: nullable,
      /** `asked` and not `up`: the client asked for STARTTLS and did not go on, as one does that refuses the certificate. */
      tls: z.enum(['unused', 'asked', 'up']),
      /** The last stage that went well: `connect` the greeting, `end` the 250 of a mail; null: not even the greeting. */
      reached: SmtpStage.nullable(),
      /** Mails that got their 250. */
      accepted: z.int(),
      lastRefusal: nullable,
      mailboxId: nullable,
    })
    .nullable(),
});
