import { saidCount } from '../../../ui/model/said.ts';
import { RefusedError } from '../../client/errors.ts';
import type { Client } from '../../client/index.ts';

const PAGE = 200;

/** How many messages a mailbox holds; `isAll` is false where there are more than were counted. */
export interface Count {
  readonly count: number;
  readonly isAll: boolean;
}

/** In the cloud, which takes few calls and does not tell, one page is counted. */
export async function countMessages(client: Client, mailboxId: string): Promise<Count> {
  if (!(await mayAskLocally(client))) {
    const { length } = await client.listMessages(mailboxId, { limit: PAGE });
    return { count: length, isAll: length < PAGE };
  }
  return countFound(client, mailboxId);
}

/** How many messages a search finds in a mailbox; all of them without a query. */
export async function countFound(client: Client, mailboxId: string, query?: string): Promise<Count> {
  const { total, complete } = await client.local.searchMessages(mailboxId, { query, limit: 1 }, SEARCH_PATIENCE);
  return { count: total, isAll: complete };
}

/** Mails are read where their rows leave it open. */
export const SEARCH_PATIENCE = { timeout: 60_000 } as const;

export function writeCount({ count, isAll }: Count): string {
  return isAll ? saidCount(count, 'message') : `${count.toLocaleString('en-US')} messages or more`;
}

/** There is a local API, and this caller has its token. */
export async function mayAskLocally(client: Client): Promise<boolean> {
  if (!(await client.hasLocalApi())) return false;
  try {
    await client.local.info();
    return true;
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'unauthorized') return false;
    throw error;
  }
}
