import { saidCount } from '../../../ui/model/said.ts';
import { RefusedError } from '../../client/errors.ts';
import type { Client } from '../../client/index.ts';

const PAGE = 200;
/** Counted no further: that there are many is what matters then. */
const MOST = 20_000;

/** How many messages a mailbox holds; `isAll` is false where there are more than were counted. */
export interface Count {
  readonly count: number;
  readonly isAll: boolean;
}

/** Where the API does not tell, they are counted page by page; in the cloud, which takes few calls, one page. */
export async function countMessages(client: Client, mailboxId: string): Promise<Count> {
  if (!(await mayAskLocally(client))) {
    const { length } = await client.listMessages(mailboxId, { limit: PAGE });
    return { count: length, isAll: length < PAGE };
  }
  const { counts } = await client.local.info();
  if (counts.mailboxes === 1) return { count: counts.messages, isAll: true };
  let count = 0;
  for (let before: string | undefined; count < MOST; ) {
    const page = await client.local.searchMessages(mailboxId, { limit: PAGE, before });
    count += page.length;
    before = page.at(-1)?.id;
    if (page.length < PAGE) return { count, isAll: true };
  }
  return { count, isAll: false };
}

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
