import { expect, test } from 'vitest';
import { createApi, type MessageFacts } from '../../../ui/web/app/api.ts';
import { MessageMarks } from '../../../ui/web/app/marks.ts';
import { MessageListController } from '../../../ui/web/app/message-list-controller.ts';
import type { Backend, FeedEvent, FeedListener } from '../../../ui/web/app/ports.ts';
import { ServerSync } from '../../../ui/web/app/server-sync.ts';
import { messagesIn, START, type WebState } from '../../../ui/web/app/state.ts';
import { manualClock } from './manual-clock.ts';

// The counts of the page come from answers of the server and from events of the feed. An event counts once, however late
// the feed reports it.

const idOf = (number: number) => String(number).padStart(26, '0');

/** A fixture over a server with one mailbox. `server` is what the server holds; a test says when the feed reports it. */
function start() {
  const clock = manualClock();
  const server = {
    messages: 0,
    read: 0,
    refuses: false,
    lastEvent: 0,
    during: () => {},
    delays: [] as Promise<void>[],
  };
  const backend: Backend = {
    async get<T>(path: string): Promise<T> {
      const answers: Readonly<Record<string, () => unknown>> = {
        '/_mailcap/info': () => ({ workspaceId: 'w', mailboxId: 'box', lastEventId: idOf(server.lastEvent) }),
        '/_mailcap/mailboxes': () => {
          const answer = [
            { id: 'box', name: 'box', messageCount: server.messages, unreadCount: server.messages - server.read },
          ];
          server.during();
          return answer;
        },
        '/_mailcap/workspaces': () => [],
        '/_mailcap/clock': () => ({ now: '2026-11-24T00:00:00Z', offsetSeconds: 0 }),
      };
      // The test says what the server answers, and when the answer about itself comes.
      const answer = (answers[path]?.() ?? {}) as T;
      if (path === '/_mailcap/info') await server.delays.shift();
      return answer;
    },
    send: async <T>() => {
      if (server.refuses) throw new Error('refused');
      return { updated: 1, skipped: 0 } as T;
    },
    bytes: async () => new Uint8Array(),
  };
  const opened: FeedListener[] = [];
  const pending = new Set<string>();
  let state: WebState = START;
  const patch = (change: Partial<WebState>) => {
    state = { ...state, ...change };
  };
  const api = createApi(backend);
  const list = new MessageListController(api, clock, {
    get: () => state.mail,
    set: (mail) => patch({ mail }),
    explain: String,
    isDeleted: () => false,
  });
  const marks: MessageMarks = new MessageMarks({
    ...{ api, mail: list, patch },
    state: {
      get value() {
        return state;
      },
    },
    server: { reloadMailboxes: () => fixture.reloadMailboxes() },
    attempt: (act) => act().catch(() => null),
    attemptQuietly: (act) => act().catch(() => null),
  });
  const fixture: ServerSync = new ServerSync(
    {
      api,
      clock,
      feed: {
        open(_since, on) {
          opened.push(on);
          return () => {};
        },
      },
      mail: list,
      marks,
    },
    {
      ...{ get: () => state, patch, say: () => {}, explain: String, follow: () => {}, leave: () => {} },
      ...{ isDeleted: (id: string) => pending.has(id), notify: () => {} },
    },
  );
  const settled = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const arrival = (number: number): FeedEvent => ({
    ...{ id: idOf(number), type: 'message.received', at: '2026-11-24T00:00:00Z', workspaceId: 'w' },
    data: { id: idOf(number), mailboxId: 'box', from: 'a', to: 'b', subject: 'x', sizeBytes: 1, attachmentCount: 0 },
  });
  const deletion = (number: number, of: number): FeedEvent => ({
    ...{ id: idOf(number), type: 'message.deleted', at: '2026-11-24T00:00:00Z', workspaceId: 'w' },
    data: { mailboxId: 'box', ids: [idOf(of)] },
  });
  return {
    fixture,
    clock,
    server,
    settled,
    arrival,
    deletion,
    feed: () => opened.at(-1),
    /** A message comes to the server. The feed has not reported it yet. */
    store: () => {
      server.messages++;
      return arrival(++server.lastEvent);
    },
    /** Has the feed report events, and waits for the frame in which the page takes them. */
    tell: async (...events: FeedEvent[]) => {
      opened.at(-1)?.told(events);
      clock.pass(50);
      await settled();
    },
    counts: () => ({ messages: state.mailboxes[0]?.messageCount, unread: state.mailboxes[0]?.unreadCount }),
    marks,
    list,
    pending,
    /** The number of messages that the head of the list shows. */
    shown: () => state.mailboxes.reduce((sum, mailbox) => sum + messagesIn(state, mailbox), 0),
    tags: (number: number) => state.mail?.list.rows.find(({ id }) => id === idOf(number))?.tags,
    patch,
    rows: () => state.mail?.list.rows ?? [],
    /** The numbers of the messages that the list shows as unread. */
    unread: () => state.mail?.list.rows.filter(({ read }) => !read).map(({ id }) => Number(id)),
    update: (...numbers: number[]): FeedEvent => ({
      ...{ id: idOf(++server.lastEvent), type: 'message.updated', at: '2026-11-24T00:00:00Z', workspaceId: 'w' },
      data: {
        mailboxId: 'box',
        messages: numbers.map((number) => ({ id: idOf(number), read: true, starred: false, tags: [] })),
      },
    }),
  };
}

async function live() {
  const page = start();
  page.fixture.start(null);
  page.feed()?.opened();
  await page.settled();
  return page;
}

/** Has the page count again, as when another mailbox was made. */
async function recount({ fixture, clock, settled }: ReturnType<typeof start>) {
  fixture.reloadMailboxes();
  clock.pass(400);
  await settled();
}

test('an arrival that a count includes is not added again when the feed reports it seconds later', async () => {
  const page = await live();
  const event = page.store();
  await recount(page);
  expect(page.counts()).toEqual({ messages: 1, unread: 1 });
  page.clock.pass(3_000);
  await page.tell(event);
  page.clock.pass(8_000);
  await page.settled();
  expect(page.counts()).toEqual({ messages: 1, unread: 1 });
  await page.tell(page.store());
  expect(page.counts()).toEqual({ messages: 2, unread: 2 });
});

test('a deletion that a count includes is not subtracted again', async () => {
  const page = await live();
  for (let n = 0; n < 3; n++) await page.tell(page.store());
  page.server.messages--;
  const event = page.deletion(++page.server.lastEvent, 1);
  await recount(page);
  expect(page.counts()).toEqual({ messages: 2, unread: 2 });
  await page.tell(event);
  expect(page.counts()).toEqual({ messages: 2, unread: 2 });
});

test('an arrival during a count, which may include it or not, makes the page count again', async () => {
  const page = await live();
  const late: FeedEvent[] = [];
  page.server.during = () => {
    page.server.during = () => {};
    late.push(page.store());
  };
  await recount(page);
  expect(page.counts().messages).toBe(0);
  await page.tell(...late);
  page.clock.pass(1_300);
  await page.settled();
  expect(page.counts()).toEqual({ messages: 1, unread: 1 });
});

test('a count whose end comes after a later count does not take its place', async () => {
  const page = await live();
  let come = () => {};
  page.server.delays = [Promise.resolve(), new Promise<void>((resolve) => (come = resolve))];
  await recount(page);
  const event = page.store();
  await recount(page);
  expect(page.counts()).toEqual({ messages: 1, unread: 1 });
  come();
  await page.settled();
  await page.tell(event);
  expect(page.counts()).toEqual({ messages: 1, unread: 1 });
});

test('mail that a clock hid or brought back is counted again when the feed tells that the clock was set', async () => {
  const page = await live();
  for (let n = 0; n < 3; n++) await page.tell(page.store());
  page.server.messages = 0;
  const event = { type: 'clock.set', at: '2026-11-24T00:00:00Z', workspaceId: 'w', data: { offsetSeconds: 86_400 } };
  await page.tell({ ...event, id: idOf(++page.server.lastEvent) });
  await page.settled();
  expect(page.counts().messages).toBe(0);
  page.server.messages = 3;
  await page.tell({ ...event, id: idOf(++page.server.lastEvent) });
  await page.settled();
  expect(page.counts().messages).toBe(3);
});

test('after a lost connection, messages that came meanwhile are counted once', async () => {
  const page = await live();
  await page.tell(page.store());
  page.feed()?.ended('gone');
  const missed = [page.store(), page.store()];
  page.clock.pass(250);
  page.feed()?.opened();
  await page.settled();
  await page.tell(...missed);
  expect(page.counts()).toEqual({ messages: 3, unread: 3 });
});

/** A page that shows the mailbox with `count` messages, which the feed reported. */
async function showing(count: number) {
  const page = await live();
  page.list.show('box', '');
  await page.settled();
  for (let n = 0; n < count; n++) await page.tell(page.store());
  return page;
}

test('a message is marked at once, and the event about it is not counted again', async () => {
  const page = await showing(3);
  page.marks.read([{ id: idOf(2), mailboxId: 'box' }], true);
  expect(page.unread()).toEqual([3, 1]);
  expect(page.counts()).toEqual({ messages: 3, unread: 2 });
  page.server.read = 1;
  await page.tell(page.update(2));
  expect(page.counts()).toEqual({ messages: 3, unread: 2 });
});

test('marks that the server refuses are taken back', async () => {
  const page = await showing(2);
  page.server.refuses = true;
  page.marks.read([{ id: idOf(2), mailboxId: 'box' }], true);
  expect(page.counts().unread).toBe(1);
  await page.settled();
  expect(page.unread()).toEqual([2, 1]);
  expect(page.counts().unread).toBe(2);
});

test('marks of others are shown, and messages that the page does not show are counted again', async () => {
  const page = await showing(2);
  await page.tell(page.update(1));
  expect(page.unread()).toEqual([2]);
  expect(page.counts().unread).toBe(1);
  page.server.messages = 5;
  page.server.read = 4;
  await page.tell(page.update(77));
  page.clock.pass(1_300);
  await page.settled();
  expect(page.counts()).toEqual({ messages: 5, unread: 1 });
});

test('a message that is being deleted is counted until its deletion is told, or its feed was lost', async () => {
  const page = await showing(4);
  const [fourth, third] = page.rows();
  page.patch({ deleting: [fourth, third].filter((row) => row !== undefined) });
  page.pending.add(idOf(4)).add(idOf(3));
  expect(page.shown()).toBe(2);
  page.server.messages--;
  page.pending.delete(idOf(4));
  await page.tell(page.deletion(++page.server.lastEvent, 4));
  expect([page.counts().messages, page.shown()]).toEqual([3, 2]);
  // The feed has not told of the other one, and the mailboxes are loaded again.
  page.server.messages--;
  page.pending.delete(idOf(3));
  page.fixture.reloadMailboxes();
  page.clock.pass(400);
  await page.settled();
  expect([page.counts().messages, page.shown()]).toEqual([2, 2]);
});

test('tags are added whatever their case, removed, and taken back if the server refuses them', async () => {
  const page = await showing(1);
  const message = { id: idOf(1), mailboxId: 'box' };
  page.marks.addTags(message, ['Spring', 'urgent']);
  page.marks.addTags(message, ['SPRING']);
  expect(page.tags(1)).toEqual(['Spring', 'urgent']);
  page.marks.removeTag(message, 'urgent');
  await page.settled();
  expect(page.tags(1)).toEqual(['Spring']);
  page.server.refuses = true;
  page.marks.addTags(message, ['no/tag']);
  expect(page.tags(1)).toEqual(['Spring', 'no/tag']);
  await page.settled();
  expect(page.tags(1)).toEqual(['Spring']);
});

test('a message that was read before its last marks has those of its row', async () => {
  const page = await showing(1);
  await page.tell(page.update(1));
  const facts = { read: false, starred: true, tags: ['old'] } as unknown as MessageFacts;
  const open = { id: idOf(1), facts, content: null, failure: null };
  expect(page.marks.latest(open).facts).toEqual({ read: true, starred: false, tags: [] });
  expect(page.marks.latest({ ...open, id: idOf(9) }).facts).toBe(facts);
});
