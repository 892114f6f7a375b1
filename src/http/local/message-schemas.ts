import { z } from 'zod';
import type { Facts, Message } from '../../domain/message.ts';
import type { ParsedMail } from '../../domain/parsed-mail.ts';
import { writeTime } from '../../domain/time.ts';
import type { FoundCodesAndLinks } from '../../extract/find.ts';
import { REMOTE_KINDS } from '../../extract/remote-hosts.ts';
import { MessageDetailResponse } from '../schemas.ts';

// The schemas of docs/contract.md#mailboxes-and-messages-here: the facts of a message beside its bytes.

const time = z.iso.datetime({ offset: true });
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

/** A message with everything that a test may need: content, envelope, codes and links. */
export const WholeMessageResponse = MessageDetailResponse.extend({
  mailboxId: z.string(),
  workspaceId: z.string(),
  codes: z.array(CodeResponse).describe('Those a reader would take for one, the likeliest first'),
  links: z.array(LinkResponse),
  findError: nullable,
});

export function toFoundResponse({
  codes,
  links,
  findError,
}: FoundCodesAndLinks): Pick<z.infer<typeof WholeMessageResponse>, 'codes' | 'links' | 'findError'> {
  return {
    codes: codes.map((code) => ({ ...code })),
    links: links.map(({ tracker, ...link }) => ({ ...link, tracker: tracker ?? null })),
    findError,
  };
}

export function toFactsResponse(
  message: Message,
  facts: Facts,
  parsed: ParsedMail,
  found: FoundCodesAndLinks,
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
    ...toFoundResponse(found),
  };
}

const Kinds = z.array(z.enum(REMOTE_KINDS));
const hosts = { type: 'array', items: { type: 'string' } };

export const ViewRequest = z.object({
  allow: z
    .unknown()
    .optional()
    .meta({
      type: ['object', 'null'],
      properties: Object.fromEntries(REMOTE_KINDS.map((kind) => [kind, hosts])),
      description: 'Hosts that may be loaded from, by what is loaded; nobody if left out',
    }),
});

export const ViewResponse = z.object({
  url: z.string().describe('Below the server’s; relative, so that it stays with the page that asked'),
  expiresAt: time,
  remote: z
    .array(z.object({ host: z.string(), kinds: Kinds, allowed: Kinds }))
    .describe('Who the mail would load from, and what'),
});

/** The details that a list shows of a message beside its summary. */
export const GlanceResponse = z.object({
  id: z.string(),
  snippet: z.string().describe('The first words of what it says'),
  codes: z.array(z.string()).describe('The first code; of several that are as good as each other, all'),
});

export const ReleaseRequest = z.object({
  to: z.unknown().optional().meta({ type: 'string', description: 'RFC 5322 address list, at most 100 recipients' }),
});

export const ReleaseResponse = z.object({
  released: z.boolean().describe('The relay has taken it for every recipient'),
  relay: z.string().describe('The host'),
  from: z.string().describe('The envelope sender, empty for the null sender'),
  recipients: z.array(
    z.object({
      address: z.string(),
      outcome: z
        .enum(['accepted', 'refused', 'deferred', 'impossible', 'unknown'])
        .describe(
          'refused: it never will be taken. deferred: not taken, and may be later. impossible: this message can’t be given to this relay. unknown: given, and no answer came',
        ),
      reply: z.string(),
    }),
  ),
});
