import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Message } from '../domain/message.ts';
import { momentNow } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';

export interface StoredPagesRequest {
  /** Only messages received at or after this moment. Milliseconds since 1970. */
  readonly since: number;
  /** The largest number of messages on a page. */
  readonly size: number;
  readonly ending: Ending;
}

/** Reads the messages of a mailbox page by page, newest first. It yields to the event loop between pages. */
export async function* storedPages(
  { store, clock }: Context,
  mailbox: Mailbox,
  { since, size, ending }: StoredPagesRequest,
): AsyncGenerator<readonly Message[], void, void> {
  const query = { since, limit: size, now: momentNow(clock) };
  for (let before: MessageId | undefined; ; ) {
    const page = await store.read.messages.page(mailbox.id, { ...query, before });
    yield page;
    before = page.at(-1)?.id;
    if (page.length < size || ending.ended) return;
    await setImmediate();
  }
}
