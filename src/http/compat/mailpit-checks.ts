import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { checkMessage, reachTargets } from '../../actions/check-message.ts';
import { readParsed } from '../../actions/read-message.ts';
import { type Feature, featuresBySlug } from '../../checks/clients/features.ts';
import { CLIENT_IDS, type ClientId, clientName } from '../../checks/clients/named.ts';
import type { Finding } from '../../checks/finding.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import type { Message } from '../../domain/message.ts';
import type { Exchange } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import { type Anyone, type Endpoint, foreignRoute, readTexts } from '../route.ts';
import { namedOrLatest } from './mailpit-search.ts';

// The checks of a message (docs/checks.md) in the shapes of Mailpit's.

const JSON_OBJECT = { 200: z.object({}).loose() } as const;

export const checkRoutes: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/api/v1/message/:id/html-check', {
    returns: JSON_OBJECT,
    handle: async ({ ctx, exchange }) => {
      const message = await asked(ctx, exchange);
      if ((await readParsed(ctx, message)).htmlBody === null)
        throw refuse('invalid_body', { message: 'message does not contain HTML' });
      return inPieces(await checkHtml(ctx, message, exchange));
    },
  }),

  foreignRoute('GET', '/api/v1/message/:id/link-check', {
    returns: JSON_OBJECT,
    handle: async ({ ctx, exchange }) => {
      const { follow = '' } = readTexts(['follow'], exchange.query);
      const reached = await reachTargets(ctx, await asked(ctx, exchange), /^(?:1|true)$/.test(follow), exchange);
      if (typeof reached === 'string') throw refuse('invalid_body', { message: reached });
      const Links = reached.map(({ url, outcome }) => {
        if (outcome === null) return { URL: url, StatusCode: 0, Status: `invalid URL: ${url}` };
        if (outcome.kind === 'answered')
          return { URL: url, StatusCode: outcome.status, Status: STATUS_CODES[outcome.status] ?? '' };
        // The guard of a server that others can reach asks no private address (docs/webhooks.md#forwarding).
        if (outcome.kind === 'refused')
          return { URL: url, StatusCode: 451, Status: 'Blocked private/reserved address' };
        return { URL: url, StatusCode: 0, Status: outcome.error };
      });
      return { Errors: Links.filter(({ StatusCode }) => StatusCode === 0 || StatusCode >= 400).length, Links };
    },
  }),

  foreignRoute('GET', '/api/v1/message/:id/sa-check', {
    returns: JSON_OBJECT,
    handle: async ({ ctx, exchange }) => {
      const message = await asked(ctx, exchange);
      const { spamFilter } = ctx;
      // Mailpit has no such path without a SpamAssassin daemon.
      if (spamFilter === null)
        throw refuse('not_found', { message: 'Start the server with --spamd for a spam score.' });
      const outcome = await spamFilter.score(message.sizeBytes, () => ctx.store.blobs.read(message.raw), exchange);
      if (typeof outcome === 'string') return { IsSpam: false, Error: outcome, Score: 0, Rules: null };
      const Rules = outcome.rules.map(({ name, points, description }) => ({
        ...{ Score: tenths(points), Name: name, Description: description },
      }));
      return { IsSpam: outcome.isSpam, Error: '', Score: tenths(outcome.score), Rules };
    },
  }),
];

function asked(ctx: Context, exchange: Exchange): Promise<Message> {
  return namedOrLatest(ctx, exchange, exchange.params['id'] ?? '');
}

/** As in Mailpit, a score has one digit after the point, and the rest is cut. */
function tenths(points: number): number {
  return Math.floor(points * 10) / 10;
}

/** How the clients support a feature, in per cent of those that were tested. */
interface Support {
  readonly Supported: number;
  readonly Partial: number;
  readonly Unsupported: number;
}

async function checkHtml(ctx: Context, message: Message, exchange: Exchange) {
  const given = { clients: CLIENT_IDS, allow: [], deny: [], reach: false };
  const { findings, checked, checkError } = await checkMessage(ctx, message, given, exchange);
  if (checkError !== null) throw refuse('invalid_body', { message: checkError });
  const Nodes = checked.elements;
  const found = findings.flatMap((finding) => warningOf(finding));
  const weightOf = ({ Score }: (typeof found)[number]) =>
    ((Score.Unsupported + Score.Partial) * Score.Found) / Math.max(1, Nodes);
  const Warnings = found.sort((one, other) => weightOf(other) - weightOf(one));
  const most = (what: 'Partial' | 'Unsupported') =>
    Math.max(0, ...Warnings.map(({ Score }) => (Score[what] * Score.Found) / Math.max(1, Nodes)));
  const [Partial, Unsupported] = [most('Partial'), most('Unsupported')];
  const Supported = 100 - Partial - Unsupported;
  return {
    Warnings,
    Platforms: platforms(),
    Total: { Tests: featuresBySlug().size, Nodes, Supported, Partial, Unsupported },
  };
}

const SCRIPT = {
  Slug: 'html-script',
  Title: '<script> element',
  Description: 'JavaScript is not supported in any email client.',
  URL: '',
  Category: 'html',
  ...{ Tags: [], Keywords: '', Results: [], NotesByNumber: {} },
};

function warningOf({ rule, detail, message, url, count }: Finding) {
  if (rule === 'active-content' && detail === 'script')
    return [{ ...SCRIPT, Score: { Found: count, Supported: 0, Partial: 0, Unsupported: 100 } }];
  const feature = rule === 'client-support' && detail !== null ? featuresBySlug().get(detail) : undefined;
  if (feature === undefined) return [];
  const { Results, support } = resultsOf(feature);
  return [
    {
      Slug: feature.slug,
      Title: feature.title,
      Description: message,
      URL: url ?? '',
      Category: feature.slug.split('-', 1)[0] ?? '',
      ...{ Tags: [], Keywords: '', Results, NotesByNumber: {} },
      Score: { Found: count, ...support },
    },
  ];
}

const SUPPORT: Readonly<Record<string, 'yes' | 'partial' | 'no'>> = { y: 'yes', a: 'partial', n: 'no' };

/** Lists the clients that were tested. The data has the newest version of each client, so no version is named. */
function resultsOf({ support }: Feature) {
  const Results = CLIENT_IDS.flatMap((id, at) => {
    const Support = SUPPORT[support[at] ?? ''];
    const { family, platform } = partsOf(id);
    return Support === undefined
      ? []
      : [{ Name: clientName(id), Platform: platform, Family: family, Version: '', Support, NoteNumber: '' }];
  });
  const share = (what: string) => (100 * Results.filter(({ Support }) => Support === what).length) / Results.length;
  const told: Support = { Supported: share('yes'), Partial: share('partial'), Unsupported: share('no') };
  return { Results, support: told };
}

/** Lists the families of clients of each platform. */
function platforms(): Record<string, string[]> {
  const families = new Map<string, Set<string>>();
  for (const id of CLIENT_IDS) {
    const { platform } = partsOf(id);
    families.set(platform, (families.get(platform) ?? new Set()).add(clientName(id).split(' (', 1)[0] ?? ''));
  }
  return Object.fromEntries([...families].map(([platform, names]) => [platform, [...names].sort()]));
}

function partsOf(id: ClientId): { family: string; platform: string } {
  const dot = id.indexOf('.');
  return { family: id.slice(0, dot), platform: id.slice(dot + 1) };
}
