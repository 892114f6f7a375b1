import type { Info } from '../../client/connection/local-resources.ts';
import { onRefusal } from '../../client/errors.ts';
import type { Client } from '../../client/index.ts';
import { saidCount, saidNumber } from '../../text/said.ts';

/** The largest page that either API allows. */
export const PAGE = 200;

/** The number of messages in a mailbox. `isAll` is false if the mailbox holds more than were counted. */
export interface Count {
  readonly count: number;
  readonly isAll: boolean;
}

/**
 * Counts the messages of a mailbox. In the cloud it counts one page, because the cloud allows few calls and reports no
 * total.
 */
export async function countMessages(client: Client, mailboxId: string): Promise<Count> {
  if ((await localInfo(client)) === null) {
    const { length } = await client.listMessages(mailboxId, { limit: PAGE });
    return { count: length, isAll: length < PAGE };
  }
  return countFound(client, mailboxId);
}

/** Counts the messages of a mailbox that match a query; all messages without a query. */
export async function countFound(client: Client, mailboxId: string, query?: string): Promise<Count> {
  const { total, complete } = await client.local.searchMessages(mailboxId, { query, limit: 1 }, SEARCH_PATIENCE);
  return { count: total ?? 0, isAll: complete };
}

/**
 * Reads pages of messages, newest first, until there are as many as wanted or none follow. With `before`, only messages
 * older than the one with that id are read.
 */
export async function readPages<Found>(
  wanted: number,
  read: (page: {
    limit: number;
    before: string | undefined;
  }) => Promise<{ items: readonly Found[]; next: string | null }>,
  before?: string,
): Promise<Found[]> {
  const found: Found[] = [];
  for (let at = before; found.length < wanted; ) {
    const { items, next } = await read({ limit: Math.min(PAGE, wanted - found.length), before: at });
    found.push(...items);
    if (next === null) break;
    at = next;
  }
  return found;
}

/** The timeout of a search, in milliseconds. The server may have to read whole mails. */
export const SEARCH_PATIENCE = { timeout: 60_000 } as const;

export function writeCount({ count, isAll }: Count): string {
  return isAll ? saidCount(count, 'message') : `${saidNumber(count)} messages or more`;
}

/** Returns what the local API tells of the server; null if there is none, or if this caller lacks its token. */
export async function localInfo(client: Client): Promise<Info | null> {
  return (await client.hasLocalApi()) ? client.local.getInfo().catch(onRefusal('unauthorized', null)) : null;
}
