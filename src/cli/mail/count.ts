import { isRefusedAs } from '../../client/errors.ts';
import type { Client } from '../../client/index.ts';
import { saidCount, saidNumber } from '../../text/said.ts';

const PAGE = 200;

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
  if (!(await mayAskLocally(client))) {
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

/** The timeout of a search, in milliseconds. The server may have to read whole mails. */
export const SEARCH_PATIENCE = { timeout: 60_000 } as const;

export function writeCount({ count, isAll }: Count): string {
  return isAll ? saidCount(count, 'message') : `${saidNumber(count)} messages or more`;
}

/** Tells whether there is a local API and this caller has its token. */
export async function mayAskLocally(client: Client): Promise<boolean> {
  if (!(await client.hasLocalApi())) return false;
  try {
    await client.local.getInfo();
    return true;
  } catch (error) {
    if (isRefusedAs(error, 'unauthorized')) return false;
    throw error;
  }
}
