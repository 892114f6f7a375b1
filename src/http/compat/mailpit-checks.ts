import { STATUS_CODES } from 'node:http';
import { checkMessage, MOST_REDIRECTS, reachTargets } from '../../actions/check-message.ts';
import { readParsed } from '../../actions/read-message.ts';
import { featuresBySlug } from '../../checks/clients/features.ts';
import { CLIENT_IDS, type ClientId, clientName } from '../../checks/clients/named.ts';
import { type FeatureSupport, htmlSupport, type Shares } from '../../checks/html-support.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import type { Message } from '../../domain/message.ts';
import type { Exchange } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import { checkNoPage } from '../local/guard.ts';
import { type Anyone, type Endpoint, foreignRoute, readTexts } from '../route.ts';
import { messageAsked } from './mailpit-search.ts';

// The checks of a message (docs/checks.md) in the shapes of Mailpit's.

export const checkRoutes: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/api/v1/message/:id/html-check', async ({ ctx, exchange }) => {
    const message = await messageAsked(ctx, exchange);
    const { htmlBody, parseError } = await readParsed(ctx, message);
    if (htmlBody === null && parseError !== null) throw refuse('check_failed', { message: parseError });
    if (htmlBody === null) throw refuse('invalid_body', { message: 'message does not contain HTML' });
    return inPieces(await checkHtml(ctx, message, exchange));
  }),

  foreignRoute('GET', '/api/v1/message/:id/link-check', {
    // It asks every address of a mail, also one that confirms, so no page of another site may start it.
    handle: async ({ ctx, exchange }) => {
      checkNoPage(ctx, exchange.path, exchange.req);
      const { follow = '' } = readTexts(['follow'], exchange.query);
      const redirects = /^(?:1|true)$/.test(follow) ? MOST_REDIRECTS : 0;
      const reached = await reachTargets(ctx, await messageAsked(ctx, exchange), {
        ...{ urls: 'everything', redirects, cancelSignal: exchange },
      });
      if (typeof reached === 'string') throw refuse('check_failed', { message: reached });
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

  foreignRoute('GET', '/api/v1/message/:id/sa-check', async ({ ctx, exchange }) => {
    const message = await messageAsked(ctx, exchange);
    const { spamFilter } = ctx;
    // Mailpit has no such path without a SpamAssassin daemon.
    if (spamFilter === null) throw refuse('not_found', { message: 'Start the server with --spamd for a spam score.' });
    const outcome = await spamFilter.score(message.sizeBytes, () => ctx.store.blobs.read(message.raw), exchange);
    if (typeof outcome === 'string') return { IsSpam: false, Error: outcome, Score: 0, Rules: null };
    const Rules = outcome.rules.map(({ name, points, description }) => ({
      ...{ Score: tenths(points), Name: name, Description: description },
    }));
    return { IsSpam: outcome.isSpam, Error: '', Score: tenths(outcome.score), Rules };
  }),
];

/** Cuts a score after one digit behind the point, as Mailpit does. */
function tenths(points: number): number {
  return Math.floor(points * 10) / 10;
}

async function checkHtml(ctx: Context, message: Message, exchange: Exchange) {
  const given = { clients: CLIENT_IDS, allow: [], deny: [], reach: false };
  const { findings, checked, checkError } = await checkMessage(ctx, message, given, exchange);
  if (checkError !== null) throw refuse('check_failed', { message: checkError });
  const { elements, features, ...shares } = htmlSupport(findings, checked.elements);
  return {
    Warnings: features.map(toWarning),
    Platforms: platforms(),
    Total: { Tests: featuresBySlug().size, Nodes: elements, ...toScore(shares) },
  };
}

function toScore({ supported, partial, unsupported }: Shares) {
  return { Supported: supported, Partial: partial, Unsupported: unsupported };
}

/** The data has the newest version of each client, so no version is named. */
function toWarning({ feature, title, message, url, count, clients, ...shares }: FeatureSupport) {
  const Results = clients.map(({ id, support }) => {
    const { family, platform } = partsOf(id);
    return { Name: clientName(id), Platform: platform, Family: family, Version: '', Support: support, NoteNumber: '' };
  });
  return {
    Slug: feature,
    Title: title,
    Description: message,
    URL: url ?? '',
    Category: feature.split('-', 1)[0] ?? '',
    ...{ Tags: [], Keywords: '', Results, NotesByNumber: {} },
    Score: { Found: count, ...toScore(shares) },
  };
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
