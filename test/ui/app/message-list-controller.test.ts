import { expect, test } from 'vitest';
import type { SearchPage, Summary } from '../../../ui/web/app/api.ts';
import { createApi } from '../../../ui/web/app/api.ts';
import { MessageListController } from '../../../ui/web/app/message-list-controller.ts';
import type { Backend, QueryParams, ShellClock } from '../../../ui/web/app/ports.ts';
import type { ListState } from '../../../ui/web/app/state.ts';

/** A clock whose timers run when the test says so. */
function handClock(): ShellClock & { readonly run: () => void } {
  let waiting: (() => void)[] = [];
  return {
    now: () => 0,
    after(_ms, act) {
      waiting.push(act);
      return () => {
        waiting = waiting.filter((one) => one !== act);
      };
    },
    run: () => {
      for (const act of waiting.splice(0)) act();
    },
  };
}

const idOf = (number: number) => String(number).padStart(26, '0');

function summary(number: number): Summary {
  return {
    ...{ id: idOf(number), mailboxId: 'box', from: 'a@b.test', to: 'c@d.test', subject: `Mail ${number}` },
    ...{ receivedAt: '2026-11-22T00:00:00Z', sizeBytes: 1, attachmentCount: 0 },
  };
}

/** A fixture over a server that answers searches by `find`. */
/** A page of a search, of which the list reads these fields. */
type FoundPage = Omit<SearchPage, 'items'> & { readonly items: readonly Summary[] };

function deskOver(
  find: (query: QueryParams) => Partial<FoundPage> | Promise<Partial<FoundPage>>,
  holdsPreviews = false,
) {
  const previews: { readonly answer: () => void; readonly signal: AbortSignal | undefined }[] = [];
  const asked: QueryParams[] = [];
  const deleting = new Set<string>();
  const clock = handClock();
  const backend: Backend = {
    async get<T>(path: string, query: QueryParams = {}, signal?: AbortSignal): Promise<T> {
      if (path.includes('previews')) {
        const answer = new Promise<unknown>((resolve) => previews.push({ answer: () => resolve([]), signal }));
        if (!holdsPreviews) previews.at(-1)?.answer();
        return (await answer) as T;
      }
      asked.push(query);
      // The test says what the server answers.
      return { items: [], total: 0, complete: true, next: null, ...(await find(query)) } as T;
    },
    send: async () => {
      throw new Error('nothing is sent');
    },
    bytes: async () => new Uint8Array(),
  };
  const place: { list: ListState | null } = { list: null };
  const fixture = new MessageListController(createApi(backend), clock, {
    get: () => place.list,
    set: (list) => {
      place.list = list;
    },
    explain: String,
    isDeleted: (id) => deleting.has(id),
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { fixture, place, asked, deleting, clock, settled, previews };
}

/** A server that holds the mails 1 to `count` of a search. */
function holding(held: { count: number }) {
  return ({ limit, before }: QueryParams): Partial<FoundPage> => {
    const numbers = Array.from({ length: held.count }, (_none, index) => held.count - index);
    const older = numbers.filter((number) => typeof before !== 'string' || idOf(number) < before);
    const page = older.slice(0, Number(limit));
    const last = page.at(-1);
    return {
      items: page.map(summary),
      total: held.count,
      next: page.length < older.length && last !== undefined ? idOf(last) : null,
    };
  };
}

/** Tells whether a request is for rows of the list, not for the number of all. */
const isOfList = ({ limit }: QueryParams) => limit !== 1;

test('rows in passing ask for the first words of their mails one call at a time, and a search ends the call', async () => {
  const { fixture, settled, clock, previews } = deskOver(holding({ count: 900 }), true);
  fixture.show('box', '');
  fixture.near();
  await settled();
  for (let first = 0; first < 90; first += 10) {
    fixture.scrolled(first, 10);
    clock.run();
    await settled();
  }
  expect(previews.length).toBe(1);
  // The rows that are in sight now come next.
  previews[0]?.answer();
  await settled();
  clock.run();
  await settled();
  expect(previews.map(({ signal }) => signal?.aborted)).toEqual([false, false]);
  fixture.show('box', 'needle');
  expect(previews[1]?.signal?.aborted).toBe(true);
  await settled();
  clock.run();
  expect(previews.length).toBe(3);
});

test('a longer word that surely finds the same mail shows it at once, with its first words, before the server answers', async () => {
  const matches = [{ field: 'subject', snippet: 'Harbour', start: 0, length: 4 }];
  const answers: (() => void)[] = [];
  const { fixture, place, settled, clock } = deskOver(async () => {
    if (answers.length > 0) await new Promise<void>((resolve) => answers.push(resolve));
    else answers.push(() => {});
    return { items: [{ ...summary(1), subject: 'Harbour', matches }] };
  });
  fixture.show('box', 'harb');
  await settled();
  const previews = new Map([[idOf(1), { id: idOf(1), snippet: 'Ships', codes: [] }]]);
  if (place.list !== null) place.list = { ...place.list, previews };
  fixture.show('box', 'harbour');
  const shown = () => ({
    query: place.list?.query,
    rows: place.list?.list.rows.map((row) => row.matches?.[0]?.length),
  });
  expect(shown()).toEqual({ query: 'harbour', rows: [7] });
  // It stays, however long the server takes.
  clock.run();
  expect(shown()).toEqual({ query: 'harbour', rows: [7] });
  // The server has the last word.
  await settled();
  answers.at(-1)?.();
  await settled();
  expect(shown()).toEqual({ query: 'harbour', rows: [4] });
  expect(place.list?.previews).toBe(previews);
  // The server alone knows who has letters that a match does not go on with.
  fixture.show('box', 'harbours');
  expect(place.list?.query).toBe('harbour');
});

test('the answer to a search whose results were there already leaves the row that the reader moved to', async () => {
  const row = (number: number, length: number) => ({
    ...summary(number),
    matches: [{ field: 'subject', snippet: 'Harbours', start: 0, length }],
  });
  const answers: ((page: Partial<FoundPage>) => void)[] = [];
  const { fixture, place, settled } = deskOver(({ query }) =>
    query === 'harb' ? { items: [row(2, 4), row(1, 4)] } : new Promise((resolve) => answers.push(resolve)),
  );
  fixture.show('box', 'harb');
  await settled();
  fixture.show('box', 'harbour');
  await settled();
  fixture.move(1);
  expect(place.list?.list.selected).toBe(idOf(1));
  answers[0]?.({ items: [row(3, 7), row(2, 7), row(1, 7)], total: null });
  await settled();
  expect(place.list?.list.rows.map(({ id }) => id)).toEqual([3, 2, 1].map(idOf));
  expect([place.list?.list.selected, place.list?.total]).toEqual([idOf(1), 3]);
});

test('a search shows its first page before the matches are counted, and counts again when they may have changed', async () => {
  const held = { count: 300 };
  const { fixture, place, asked, settled, clock } = deskOver((query) => ({
    ...holding(held)(query),
    ...(query['total'] === '0' && { total: null }),
  }));
  fixture.show('box', 'subject:mail');
  await settled();
  expect(asked.map(({ limit, total }) => [limit, total])).toEqual([
    [20, '0'],
    [1, undefined],
  ]);
  expect([place.list?.list.rows.length, place.list?.total]).toEqual([20, 300]);
  held.count = 301;
  fixture.arrived([]);
  clock.run();
  await settled();
  expect([place.list?.list.rows.length, place.list?.total]).toEqual([21, 301]);
});

test('a search is not counted if its first page has all results, or if it has to be continued', async () => {
  const { fixture, place, asked, settled } = deskOver((query) => ({ ...holding({ count: 3 })(query), total: null }));
  fixture.show('box', 'subject:mail');
  await settled();
  expect([place.list?.total, asked.length]).toEqual([3, 1]);
  const other = deskOver(() => ({ total: null, complete: false, next: 'so far' }));
  other.fixture.show('box', 'body:rare');
  await other.settled();
  expect([other.place.list?.total, other.place.list?.cutOffAt, other.asked.length]).toEqual([null, 'so far', 1]);
});

test('a message that is being deleted is taken off the number of matches, also of those counted later', async () => {
  const { fixture, place, deleting, settled, clock } = deskOver((query) => ({
    ...holding({ count: 50 })(query),
    ...(query['total'] === '0' && { total: null }),
  }));
  fixture.show('box', 'subject:mail');
  await settled();
  deleting.add(idOf(50));
  fixture.gone((id) => id === idOf(50));
  expect(place.list?.total).toBe(49);
  fixture.arrived([]);
  clock.run();
  await settled();
  expect(place.list?.total).toBe(49);
});

test('a search that read as much as it may is not repeated without end: it goes on when it is told to', async () => {
  const { fixture, place, asked, settled } = deskOver(({ before }) =>
    before === 'so far' ? { items: [summary(1)], total: 1 } : { complete: false, next: 'so far' },
  );
  fixture.show('box', 'body:rare');
  await settled();
  await settled();
  expect(asked.filter(isOfList).length).toBe(1);
  expect(place.list?.cutOffAt).toBe('so far');
  fixture.searchOn();
  await settled();
  expect(asked.filter(isOfList).map(({ before }) => before)).toEqual([undefined, 'so far']);
  expect(place.list?.list.rows.map(({ subject }) => subject)).toEqual(['Mail 1']);
  expect([place.list?.cutOffAt, place.list?.list.complete]).toEqual([null, true]);
});

test('a filtered list is searched again while mail arrives without a pause', async () => {
  const held = { count: 1 };
  const { fixture, place, clock, settled } = deskOver(holding(held));
  fixture.show('box', 'subject:mail');
  await settled();
  for (held.count = 2; held.count <= 6; held.count++) {
    fixture.arrived([]);
    // Another arrival before the timer is due does not put the search off.
    fixture.arrived([]);
    clock.run();
    await settled();
    expect(place.list?.list.rows.length).toBe(held.count);
  }
});

test('messages that came while the page was away are added without a gap, however many there are', async () => {
  const held = { count: 10 };
  const { fixture, place, settled } = deskOver(holding(held));
  fixture.show('box', '');
  await settled();
  held.count = 400;
  await fixture.catchUp();
  await settled();
  const ids = place.list?.list.rows.map(({ id }) => id) ?? [];
  expect(ids).toEqual(Array.from({ length: 400 }, (_none, index) => idOf(400 - index)));
  held.count = 5_000;
  await fixture.catchUp();
  await settled();
  await settled();
  const rows = place.list?.list.rows ?? [];
  // So many are not added one page after the other: the list is loaded from its start.
  expect(rows.map(({ id }) => id)).toEqual(rows.map((_row, index) => idOf(5_000 - index)));
  expect(place.list?.list.complete).toBe(false);
});

test('a mail to many mailboxes is one row, and costs few requests until the screen is full', async () => {
  const held = holding({ count: 400 });
  // The newest 150 are copies of one mail.
  const { fixture, place, asked, settled } = deskOver((query) => {
    const page = held(query);
    const items = page.items?.map((one) => ({ ...one, copyKey: one.id > idOf(250) ? 'one mail' : one.id }));
    return items === undefined ? page : { ...page, items };
  });
  fixture.show('box', '');
  for (let at = 0; at < 10; at++) await settled();
  const rows = place.list?.list.rows ?? [];
  expect(rows[0]?.copies).toHaveLength(149);
  expect(rows.length).toBeGreaterThan(place.list?.list.height ?? 0);
  expect(asked.map(({ limit }) => limit)).toEqual([20, 200]);
});

/** A server that holds the mails 1 to 50, and answers a search when the test says so. */
function answering() {
  const waiting = new Map<string, () => void>();
  const find = async (query: QueryParams): Promise<Partial<FoundPage>> => {
    const text = String(query['query'] ?? '');
    if (text !== '') await new Promise<void>((resolve) => waiting.set(text, resolve));
    return holding({ count: 50 - text.length })(query);
  };
  return { find, answer: (text: string) => waiting.get(text)?.() };
}

test('the rows before stay until those of the last letter came, and an earlier answer changes nothing', async () => {
  const { find, answer } = answering();
  const { fixture, place, settled } = deskOver(find);
  const shown = () => [place.list?.query, place.list?.list.rows[0]?.subject];
  fixture.show('box', '');
  await settled();
  expect(shown()).toEqual(['', 'Mail 50']);
  for (const typed of ['m', 'ma', 'mai']) fixture.show('box', typed);
  answer('ma');
  await settled();
  expect(shown()).toEqual(['', 'Mail 50']);
  answer('mai');
  await settled();
  expect(shown()).toEqual(['mai', 'Mail 47']);
  // Who takes the last letter back before its answer came sees what is there, and nothing loads.
  fixture.show('box', 'mail');
  fixture.show('box', 'mai');
  answer('mail');
  await settled();
  expect(shown()).toEqual(['mai', 'Mail 47']);
});

test('a search that takes noticeably long takes the rows before away', async () => {
  const { find, answer } = answering();
  const { fixture, place, settled, clock } = deskOver(find);
  fixture.show('box', '');
  await settled();
  fixture.show('box', 'slow');
  clock.run();
  expect([place.list?.query, place.list?.list.rows.length, place.list?.list.loading]).toEqual(['slow', 0, true]);
  answer('slow');
  await settled();
  expect([place.list?.query, place.list?.list.rows[0]?.subject]).toEqual(['slow', 'Mail 46']);
});

test('a message that arrives while a search is cleared is in the list afterwards', async () => {
  let hold: Promise<void> | null = null;
  const held = { count: 10 };
  const { fixture, place, settled, clock } = deskOver(async (query) => {
    const page = holding(held)(query);
    await hold;
    return page;
  });
  fixture.show('box', 'mail');
  await settled();
  let answer = () => {};
  hold = new Promise((resolve) => {
    answer = resolve;
  });
  fixture.show('box', '');
  held.count = 11;
  fixture.arrived([]);
  answer();
  hold = null;
  await settled();
  clock.run();
  await settled();
  expect([place.list?.query, place.list?.list.rows[0]?.subject]).toEqual(['', 'Mail 11']);
});

test('rows stay where they are when the server frees space, which changes the keys of copies', async () => {
  const held = { count: 300 };
  let freed = 0;
  // Mails 297 and 298 are copies of one mail, and so are 270 and 271, of which the first page has none.
  const keyOf = (id: string) => {
    const number = Number(id);
    const mail = number === 298 ? 297 : number === 271 ? 270 : number;
    return `${freed} ${mail}`;
  };
  const { fixture, place, settled, clock } = deskOver((query) => {
    const page = holding(held)(query);
    return { ...page, items: (page.items ?? []).map((one) => ({ ...one, copyKey: keyOf(one.id) })) };
  });
  const shape = () =>
    (place.list?.list.rows ?? []).map((row) => [row, ...(row.copies ?? [])].map(({ id }) => Number(id)).join('+'));
  fixture.show('box', '');
  await settled();
  expect(shape().slice(0, 4)).toEqual(['300', '299', '298+297', '296']);
  const before = shape();
  freed = 1;
  // The connection is lost and comes back: the same page has other keys.
  await fixture.catchUp();
  await settled();
  expect(shape().slice(0, before.length)).toEqual(before);
  fixture.near();
  for (let at = 0; at < 5; at++) await settled();
  expect(shape().slice(0, before.length)).toEqual(before);
  expect(shape()).toContain('271+270');
  // The row still unfolds and folds by the key that it came with.
  const row = place.list?.list.rows.find(({ id }) => Number(id) === 298);
  if (row === undefined) throw new Error('the row is gone');
  expect(fixture.unfold(row, true)).toBe(true);
  expect(shape().slice(2, 4)).toEqual(['298', '297']);
  expect(fixture.unfold(row, false)).toBe(true);
  expect(shape().slice(0, before.length)).toEqual(before);
  // A message that comes now has a key of its own, and moves nothing below it.
  held.count = 301;
  fixture.hold();
  await fixture.catchUp();
  clock.run();
  await settled();
  expect(shape().slice(1, before.length + 1)).toEqual(before);
});
