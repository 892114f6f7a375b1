import { z } from 'zod';
import {
  type CheckReport,
  checkMessage,
  listAddresses,
  MOST_REDIRECTS,
  type ReachedAddress,
  reachTargets,
} from '../../actions/check-message.ts';
import { CLIENT_DATA, type ClientId, clientName, clientsNamed } from '../../checks/clients/named.ts';
import { PART_NAMES } from '../../checks/finding.ts';
import { htmlSupport } from '../../checks/html-support.ts';
import { SEVERITIES } from '../../checks/rules.ts';
import { MOST_TARGETS } from '../../checks/targets.ts';
import { parseRuleName, type RuleName } from '../../checks/verdict.ts';
import { refuse } from '../../domain/errors.ts';
import type { Message } from '../../domain/message.ts';
import { LINK_KINDS } from '../../extract/link-kinds.ts';
import { type AnswerOf, anything, nullable } from '../answers.ts';
import { inPieces } from '../large-json.ts';
import { anyMessage, localRoute, type Param } from '../route.ts';

// The schemas of docs/checks.md: what the checks of a message found.

const PlaceResponse = z.object({
  part: z.enum(PART_NAMES).describe('html and text are the decoded bodies, source the raw message'),
  field: nullable.describe('The lower-case name of the header field'),
  line: z.int(),
  column: z.int(),
  start: z.int().describe('In UTF-16 units of a body, in bytes of the raw message'),
  end: z.int(),
  excerpt: z.string(),
});

const FindingResponse = z.object({
  rule: z.string(),
  detail: nullable.describe('The detail that allow can name after the rule and a colon'),
  severity: z.enum(SEVERITIES),
  message: z.string(),
  remedy: z.string(),
  place: PlaceResponse.nullable().describe('The first place; null if the mail lacks something'),
  count: z.int().describe('The number of places'),
  clients: z.array(z.string()).describe('The mail clients that do not support the feature'),
  url: nullable,
});

export const ChecksResponse = z.object({
  id: z.string(),
  passed: z.boolean().describe('true if no finding is an error or a warning, and all checks ran'),
  findings: z.array(FindingResponse).describe('Errors, then warnings, then notes'),
  leftOut: z.int().describe('The number of findings beyond those of the list'),
  allowed: z.int().describe('The number of findings that were left out because they are allowed'),
  clients: z.array(z.string()).describe('The mail clients that were checked'),
  clientData: z.object({ source: z.string(), version: z.string(), date: z.string() }),
  unsubscribe: z.object({
    url: nullable.describe('The web address of List-Unsubscribe'),
    mailto: nullable,
    isOneClick: z.boolean().describe('A POST to the address unsubscribes (RFC 8058)'),
    findings: z.array(FindingResponse).describe('The problems of unsubscribing, if the mail goes to many'),
  }),
  spam: z
    .object({
      score: z.number(),
      threshold: z.number().describe('The score from which the daemon calls a mail spam'),
      isSpam: z.boolean(),
      rules: z
        .array(z.object({ name: z.string(), points: z.number(), description: z.string() }))
        .describe('The rules that matched; negative points are in favour of the mail'),
    })
    .nullable()
    .describe('The score by the daemon of --spamd; null if there is none'),
  notChecked: z.array(z.string()),
  checkError: nullable.describe('The reason why the mail could not be checked; null if it was'),
});

export function toChecksResponse(
  message: Message,
  { findings, unsubscribe, allowed, passed, checked, checkError, spam }: CheckReport,
  clients: readonly ClientId[],
): AnswerOf<typeof ChecksResponse> {
  const { leftOut, notChecked } = checked;
  const { url, mailto, isOneClick } = checked.unsubscribe;
  return {
    ...{ id: message.id, passed, findings, leftOut, allowed, clients, clientData: CLIENT_DATA },
    unsubscribe: { url, mailto, isOneClick, findings: unsubscribe },
    ...{ spam, notChecked, checkError },
  };
}

const share = z.number().describe('In per cent');

export const HtmlSupportResponse = z.object({
  id: z.string(),
  score: share.describe('100 if every client shows all of it; null without HTML').nullable(),
  partial: share,
  unsupported: share,
  elements: z.int(),
  features: z
    .array(
      z.object({
        feature: z.string(),
        title: z.string(),
        message: z.string(),
        count: z.int().describe('The number of places'),
        place: PlaceResponse.nullable().describe('The first place'),
        url: nullable,
        supported: share,
        partial: share,
        unsupported: share,
        clients: z
          .array(z.object({ id: z.string(), name: z.string(), support: z.enum(['yes', 'partial', 'no']) }))
          .describe('The clients that were tested'),
      }),
    )
    .describe('What at least one client does not support, the costliest first'),
  clientData: z.object({ source: z.string(), version: z.string(), date: z.string() }),
});

export const MailLinksResponse = z.object({
  id: z.string(),
  links: z
    .array(
      z.object({
        url: z.string(),
        use: z.enum(['link', 'style', 'picture', 'text']).describe('text is an address in the text part'),
        text: nullable.describe('The text of the link in the mail'),
        kind: z.enum(LINK_KINDS).nullable().describe('The purpose of a link; null for what a mail program loads'),
        acts: z.boolean().describe('Following it has an effect: it signs in, verifies or unsubscribes'),
        isWeb: z.boolean().describe('An http or https address, which checkLinks can request'),
      }),
    )
    .describe(`At most ${MOST_TARGETS}`),
});

export const LinkCheckRequest = z.object({
  urls: anything.meta({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Addresses of listLinks; without it all web addresses but those that do something',
  }),
});

export const LinkCheckResponse = z.object({
  id: z.string(),
  links: z.array(
    z.object({
      url: z.string(),
      status: z.int().nullable().describe('The last answer; null if there was none'),
      redirects: z.array(z.string()).describe('The addresses to which redirects led, in their order'),
      error: nullable.describe('The reason why there was no answer'),
    }),
  ),
});

// This module implements docs/checks.md: the checks of a message.

/** The most names of a parameter. Each is compared with every finding. */
const MAX_NAMES = 100;

const clients: Param<readonly ClientId[]> = {
  kind: 'list',
  parse: (text) => clientsNamed(namesIn(text)),
  fallback: clientsNamed([]) ?? [],
  code: 'invalid_clients',
  about: 'Mail clients with commas between them: gmail, outlook.windows, all; the clients of most readers if left out',
};

const reach: Param<boolean> = {
  kind: 'flag',
  parse: (text) => (text === '1' ? true : text === '0' ? false : null),
  fallback: false,
  code: 'invalid_reach',
  about: '1: request each link to see whether it works',
};

function rules(about: string): Param<readonly RuleName[]> {
  return {
    kind: 'list',
    parse: (text) =>
      namesIn(text).map((name) => {
        const parsed = parseRuleName(name);
        // A misspelt rule is refused. Otherwise it would match nothing, and the user would not see why.
        if (parsed === null) throw refuse('invalid_rules', { rule: name.slice(0, 200) });
        return parsed;
      }),
    fallback: [],
    code: 'invalid_rules',
    about,
  };
}

/** Reads names with commas between them. Throws `too_many_names`, because dropping a name would mislead the caller. */
function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  const filled = names.filter((name) => name !== '');
  if (filled.length > MAX_NAMES) throw refuse('too_many_names', { limit: MAX_NAMES });
  return filled;
}

export const checks = [
  localRoute('GET', '/_mailcap/messages/:id/checks', {
    id: 'checkMessage',
    summary: 'Check a message for problems that its readers would have',
    description:
      'Clients, links, placeholders, unsubscribing, accessibility, size, hygiene and authentication. Nothing is requested over the network unless reach is 1.',
    resolve: anyMessage,
    query: {
      clients,
      allow: rules('Rules to ignore, with commas between them: link-http, client-support:css-*'),
      deny: rules('Rules whose notes count as warnings, with commas between them'),
      reach,
    },
    returns: { 200: ChecksResponse },
    fails: ['too_many_names'],
    handle: async ({ ctx, found, query, exchange }) => {
      const report = await checkMessage(ctx, found, query, exchange);
      return inPieces(toChecksResponse(found, report, query.clients));
    },
  }),

  localRoute('GET', '/_mailcap/messages/:id/html-support', {
    id: 'getHtmlSupport',
    summary: 'Get how much of the HTML of a message mail clients support',
    description: 'The score is that of the HTML check of Mailpit. Nothing is requested over the network.',
    resolve: anyMessage,
    query: { clients },
    returns: { 200: HtmlSupportResponse },
    fails: ['too_many_names', 'check_failed'],
    handle: async ({ ctx, found, query, exchange }) => {
      const scope = { clients: query.clients, allow: [], deny: [], reach: false };
      const { findings, checked, checkError } = await checkMessage(ctx, found, scope, exchange);
      if (checkError !== null) throw refuse('check_failed', { message: checkError });
      const { supported, partial, unsupported, elements, features } = htmlSupport(
        findings,
        checked.elements,
        query.clients,
      );
      const answer: AnswerOf<typeof HtmlSupportResponse> = {
        ...{ id: found.id, score: elements === 0 ? null : supported, partial, unsupported, elements },
        features: features.map(({ clients: tested, ...feature }) => ({
          ...feature,
          clients: tested.map(({ id, support }) => ({ id, name: clientName(id), support })),
        })),
        clientData: CLIENT_DATA,
      };
      return inPieces(answer);
    },
  }),

  localRoute('GET', '/_mailcap/messages/:id/links', {
    id: 'listLinks',
    summary: 'List the addresses of a message',
    description: 'Links, style sheets and pictures of the HTML, and the addresses of the text. Nothing is requested.',
    resolve: anyMessage,
    returns: { 200: MailLinksResponse },
    fails: ['check_failed'],
    handle: async ({ ctx, found }) => {
      const links = await listAddresses(ctx, found);
      if (typeof links === 'string') throw refuse('check_failed', { message: links });
      return { id: found.id, links };
    },
  }),

  localRoute('POST', '/_mailcap/messages/:id/links/check', {
    id: 'checkLinks',
    summary: 'Request the addresses of a message, to see whether they work',
    description:
      'The server sends HEAD, eight at a time, ten seconds each, and follows up to three redirects. It requests only addresses of the mail.',
    example: { urls: ['https://shop.example/'] },
    resolve: anyMessage,
    body: LinkCheckRequest,
    bodyIsOptional: true,
    returns: { 200: LinkCheckResponse },
    fails: ['invalid_body', 'check_failed'],
    handle: async ({ ctx, found, body, exchange }) => {
      const reached = await reachTargets(ctx, found, {
        urls: requireUrls(body.urls),
        redirects: MOST_REDIRECTS,
        cancelSignal: exchange,
      });
      if (typeof reached === 'string') throw refuse('check_failed', { message: reached });
      return { id: found.id, links: reached.map(toReached) };
    },
  }),
];

function requireUrls(given: unknown): ReadonlySet<string> | null {
  if (given === undefined || given === null) return null;
  if (!Array.isArray(given) || given.length > MOST_TARGETS || given.some((url) => typeof url !== 'string'))
    throw refuse('invalid_body', { message: `urls is no list of at most ${MOST_TARGETS} addresses of the mail` });
  return new Set(given);
}

function toReached({
  url,
  outcome,
  via: redirects,
}: ReachedAddress): AnswerOf<typeof LinkCheckResponse>['links'][number] {
  if (outcome === null) return { url, status: null, redirects, error: 'it is no URL' };
  return outcome.kind === 'answered'
    ? { url, status: outcome.status, redirects, error: null }
    : { url, status: null, redirects, error: outcome.error };
}
