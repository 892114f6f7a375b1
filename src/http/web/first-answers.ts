import type { Context } from '../../context.ts';
import type { Exchange } from '../exchange.ts';
import type { Anyone, Endpoint } from '../route.ts';

/** The largest answer that is put into the page, in characters. The page requests a larger one itself. */
const MOST_CHARACTERS = 64 * 1024;
/** The position in the feed before its first event. */
const BEGINNING = '0'.repeat(26);
/** The number of messages on the page's first screen. The page requests the same number. */
const FIRST_MESSAGES = 20;

/**
 * The most attempts to make the answers. While much mail comes, each attempt is outdated at once. The page then makes
 * the requests itself.
 */
const MOST_TRIES = 3;

/**
 * Returns the answers to the first requests of the page as JSON: the position in the feed, and the answers by their
 * paths, all as of that position. The routes of the local API make them. Returns null if the page has to send the admin
 * token first, or if the server is too busy.
 */
export async function firstAnswers(
  ctx: Context,
  exchange: Exchange,
  routes: readonly Endpoint<Anyone>[],
): Promise<string | null> {
  const { ready, adminToken } = ctx.runtime;
  if (ready === null || adminToken !== null) return null;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const since = await position(ctx);
    const answers = await answersOf(ctx, exchange, routes, ready.mailboxId);
    // If an event happened while the answers were made, the feed would send it again, and the page would count it
    // twice.
    if (since === (await position(ctx))) return `{"since":${JSON.stringify(since)},"answers":{${answers.join()}}}`;
  }
  return null;
}

async function position({ store }: Context): Promise<string> {
  return (await store.read.events.lastId()) ?? BEGINNING;
}

/** Returns the answers as members of a JSON object. */
async function answersOf(
  ctx: Context,
  exchange: Exchange,
  routes: readonly Endpoint<Anyone>[],
  mailboxId: string,
): Promise<string[]> {
  const asked = [
    { path: '/_mailcap/info' },
    { path: '/_mailcap/mailboxes' },
    { path: '/_mailcap/workspaces' },
    { path: '/_mailcap/clock' },
    { path: '/_mailcap/mailboxes/:id/messages', id: mailboxId, query: `limit=${FIRST_MESSAGES}` },
  ];
  const answers = await Promise.all(
    asked.map(async ({ path, id = '', query = '' }) => {
      const url = path.replace(':id', id) + (query === '' ? '' : `?${query}`);
      const endpoint = routes.find((route) => route.method === 'GET' && route.path === path);
      const body = await answerOf(ctx, exchange.asking(url, { id }), endpoint);
      return body === null ? [] : [`${JSON.stringify(url)}:${body}`];
    }),
  );
  return answers.flat();
}

/**
 * Returns the JSON of an answer; null if it is an error or too large. The page then makes the request itself and shows
 * the error.
 */
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
