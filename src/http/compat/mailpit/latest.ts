import { listMessages } from '../../../actions/list-messages.ts';
import { searchMessages } from '../../../actions/search-messages.ts';
import type { Context } from '../../../context.ts';
import { refuse } from '../../../domain/errors.ts';
import type { Message } from '../../../domain/message.ts';
import { checkTimePassed } from '../../admit.ts';
import type { Exchange } from '../../exchange.ts';
import { readTexts } from '../../query.ts';
import { findSeededMessage, seededWorkspaceId } from '../seeded.ts';
import { readSearch } from './read-search.ts';

/** Finds a message by its id, or by `latest`: the newest, or the newest that the search in `query` finds. */
export async function namedOrLatest(ctx: Context, exchange: Exchange, id: string): Promise<Message> {
  if (id !== 'latest') return findSeededMessage(ctx, id);
  const scope = { workspaceId: await seededWorkspaceId(ctx) };
  const query = readSearch(readTexts(['query'], exchange.query)['query'] ?? '');
  const page = { scope, start: 0, limit: 1, ending: exchange };
  const found =
    query === null || query.length === 0
      ? query && (await listMessages(ctx, page)).items
      : (await searchMessages(ctx, { ...page, query })).items;
  checkTimePassed(exchange);
  const message = found?.[0];
  if (message === undefined) throw refuse('not_found');
  return message;
}
