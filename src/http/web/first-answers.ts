import type { Context } from '../../context.ts';
import type { Exchange } from '../exchange.ts';
import type { Anyone, Endpoint } from '../route.ts';

/** The largest answer that is put into the page, in characters. The page asks for a larger one itself. */
const MOST_CHARACTERS = 64 * 1024;
/** The position in the feed before its first event. */
const BEGINNING = '0'.repeat(26);
/** The number of messages that fill the page's first screen. The page asks for as many. */
const FIRST_MESSAGES = 20;

/**
 * Returns what the page asks first, answered by the routes of the local API: JSON with the position in the feed and the
 * answers by their paths. It is null where the page has to show the admin token before it gets anything.
 */
export async function firstAnswers(
  ctx: Context,
  exchange: Exchange,
  routes: readonly Endpoint<Anyone>[],
): Promise<string | null> {
  const { ready, adminToken } = ctx.runtime;
  if (ready === null || adminToken !== null) return null;
  // The position is read first, so that the feed tells whatever happens while the answers are made.
  const since = (await ctx.store.read.events.lastId()) ?? BEGINNING;
  const asked = [
    { path: '/_mailcap/info' },
    { path: '/_mailcap/mailboxes' },
    { path: '/_mailcap/workspaces' },
    { path: '/_mailcap/clock' },
    { path: '/_mailcap/mailboxes/:id/messages', id: ready.mailboxId, query: `limit=${FIRST_MESSAGES}` },
  ];
  const answers = await Promise.all(
    asked.map(async ({ path, id = '', query = '' }) => {
      const url = path.replace(':id', id) + (query === '' ? '' : `?${query}`);
      const endpoint = routes.find((route) => route.method === 'GET' && route.path === path);
      const body = await answerOf(ctx, exchange.asking(url, { id }), endpoint);
      return body === null ? [] : [`${JSON.stringify(url)}:${body}`];
    }),
  );
  return `{"since":${JSON.stringify(since)},"answers":{${answers.flat().join()}}}`;
}

/** Returns the JSON of an answer; null if it is refused, or too large. The page then asks, and tells why. */
async function answerOf(
  ctx: Context,
  exchange: Exchange,
  endpoint: Endpoint<Anyone> | undefined,
): Promise<string | null> {
  try {
    const answer = await endpoint?.run(ctx, exchange, {});
    if (answer === undefined || !('body' in answer) || answer.body === null) return null;
    return answer.body.length > MOST_CHARACTERS ? null : answer.body;
  } catch {
    return null;
  }
}
