import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  arrived,
  arrivedAll,
  emptyList,
  gone,
  holdSelection,
  type ListRow,
  loading,
  loadingFailed,
  type MessageList,
  moved,
  onScreen,
  pageCame,
  resized,
  retried,
  selectedIndex,
  shownCount,
  toNewest,
  toOldest,
  wantsMore,
} from '../../../ui/model/message-list.ts';

interface Item {
  readonly id: string;
}
type List = MessageList<Item>;

const item = (number: number): Item => ({ id: String(number).padStart(6, '0') });
const items = (from: number, to: number): Item[] => Array.from({ length: from - to + 1 }, (_, i) => item(from - i));
const ids = (rows: readonly Item[]) => rows.map(({ id }) => Number(id));
const loaded = (from: number, to: number, height = 5): List => pageCame(emptyList<Item>(height), items(from, to), true);

describe('new mail', () => {
  test('is selected as it comes until the reader moves', () => {
    const list = arrived(arrived(loaded(3, 1), item(4)), item(5));
    expect(ids(onScreen(list))).toEqual([5, 4, 3, 2, 1]);
    expect(Number(list.selected)).toBe(5);
  });

  test('waits above, counted, once something is being read', () => {
    const reading = moved(loaded(20, 1), 3);
    const list = arrived(arrived(reading, item(21)), item(22));
    expect(onScreen(list)).toEqual(onScreen(reading));
    expect(list.selected).toBe(reading.selected);
    expect(list.waiting).toBe(2);
    const top = toNewest(list);
    expect(ids(onScreen(top))).toEqual([22, 21, 20, 19, 18]);
    expect([top.waiting, Number(top.selected)]).toEqual([0, 22]);
  });

  test('waits also when the first message is open', () => {
    const list = arrived(holdSelection(loaded(2, 1)), item(3));
    expect([list.waiting, Number(list.selected)]).toEqual([1, 2]);
  });

  test('is shown at once where nothing was, whatever the reader pressed', () => {
    const list = arrived(arrived(moved(pageCame(emptyList<Item>(5), [], true), 1), item(1)), item(2));
    expect([ids(onScreen(list)), list.waiting, Number(list.selected)]).toEqual([[2, 1], 0, 2]);
  });

  test('that is reported twice is listed once', () => {
    expect(shownCount(arrived(loaded(3, 1), item(2)))).toBe(3);
  });
});

describe('what is deleted', () => {
  test('passes the selection to the older neighbour, and the last message to the newer one', () => {
    const list = moved(loaded(5, 1), 2);
    expect(Number(gone(list, ({ id }) => Number(id) === 3).selected)).toBe(2);
    const last = moved(loaded(5, 1), 9);
    expect(Number(gone(last, ({ id }) => Number(id) === 1).selected)).toBe(2);
  });

  test('above the screen moves nothing on it', () => {
    const list = moved(loaded(50, 1), 30);
    const before = onScreen(list);
    expect(onScreen(gone(list, ({ id }) => Number(id) > 45))).toEqual(before);
  });

  test('lets the mail in that waited above, if it was all that was shown', () => {
    const list = arrived(moved(loaded(3, 1), 1), item(4));
    expect(list.waiting).toBe(1);
    const left = gone(list, ({ id }) => Number(id) < 4);
    expect([ids(onScreen(left)), left.waiting, Number(left.selected)]).toEqual([[4], 0, 4]);
  });

  test('leaves an empty list that accepts new mail, if it was everything', () => {
    const list = gone(moved(loaded(5, 1), 1), () => true);
    expect([shownCount(list), list.selected]).toEqual([0, null]);
    expect(Number(toNewest(arrived(list, item(9))).selected)).toBe(9);
  });
});

describe('loading', () => {
  test('asks for more near the end of what is there, once, and not where there is no more', () => {
    const first = pageCame(emptyList<Item>(5), items(200, 101), false);
    expect(wantsMore(first)).toBe(false);
    const near = moved(first, 90);
    expect(wantsMore(near)).toBe(true);
    expect(wantsMore(loading(near))).toBe(false);
    expect(wantsMore(pageCame(near, items(100, 1), true))).toBe(false);
  });

  test('goes on to the oldest when the reader asked for it, and stops when he moves', () => {
    const list = toOldest(pageCame(emptyList<Item>(5), items(300, 201), false));
    expect(Number(list.selected)).toBe(201);
    const further = pageCame(list, items(200, 101), false);
    expect([Number(further.selected), wantsMore(further)]).toEqual([101, true]);
    expect(moved(further, -1).seekingEnd).toBe(false);
    const end = pageCame(further, items(100, 1), true);
    expect([Number(end.selected), wantsMore(end), end.seekingEnd]).toEqual([1, false, false]);
  });

  test('a page that overlaps what is there adds only what is older', () => {
    const list = pageCame(loaded(10, 5), items(7, 1), true);
    expect(ids(list.rows)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });
});

type Act = (list: List) => List;
const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.integer({ min: 1, max: 999 }).map(
    (number): Act =>
      (list) =>
        arrived(list, item(number)),
  ),
  fc.integer({ min: -30, max: 30 }).map(
    (by): Act =>
      (list) =>
        moved(list, by),
  ),
  fc.integer({ min: 1, max: 40 }).map(
    (height): Act =>
      (list) =>
        resized(list, height),
  ),
  fc.array(fc.integer({ min: 1, max: 999 })).map(
    (doomed): Act =>
      (list) =>
        gone(list, ({ id }) => doomed.includes(Number(id))),
  ),
  fc.constantFrom<Act>(toNewest, toOldest, holdSelection),
);

test('after any inputs rows are in order and unique, the selected one is on the screen, and the screen is full if possible', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.array(acts, { maxLength: 40 }), (count, steps) => {
      let list = loaded(count + 500, 501);
      for (const act of steps) {
        list = act(list);
        const all = ids(list.rows);
        expect(all).toEqual([...new Set(all)].sort((a, b) => b - a));
        const screen = onScreen(list);
        expect(screen).toHaveLength(Math.min(list.height, shownCount(list)));
        if (shownCount(list) > 0) expect(screen.map(({ id }) => id)).toContain(list.selected);
        else expect(list.selected).toBeNull();
      }
    }),
    // This message came into the middle of a full screen and moved the selected last row off it.
    { examples: [[3, [(list) => arrived(list, item(1)), toOldest, (list) => arrived(list, item(300))]]] },
  );
});

test('whatever arrives while something is read: the screen stays as it is', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.nat(59),
      fc.array(fc.integer({ min: 561, max: 999 })),
      (count, by, news) => {
        const reading = moved(loaded(count + 500, 501), by);
        const list = news.reduce((before, number) => arrived(before, item(number)), reading);
        expect(onScreen(list)).toEqual(onScreen(reading));
        expect(list.selected).toBe(reading.selected);
        expect(selectedIndex(list)).toBe(selectedIndex(reading));
        expect(list.waiting).toBe(new Set(news).size);
      },
    ),
  );
});

test('messages that come at once are as if they had come one by one', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 30 });
  fc.assert(
    fc.property(ids, ids, fc.integer({ min: -1, max: 8 }), fc.boolean(), (there, coming, down, complete) => {
      const rows = (numbers: readonly number[]) => numbers.map((number) => ({ id: String(number).padStart(3, '0') }));
      const newestFirst = rows([...there].sort((a, b) => b - a));
      const loaded = pageCame(emptyList<ListRow>(5), newestFirst, complete);
      const list = down < 0 ? loaded : moved(loaded, down);
      const oneByOne = rows([...coming].sort((a, b) => a - b)).reduce(arrived, list);
      expect(arrivedAll(list, rows(coming))).toEqual(oneByOne);
    }),
  );
});

test('a page that failed to load is requested again only when it may be', () => {
  const failed = loadingFailed(emptyList<ListRow>(5));
  expect(wantsMore(failed)).toBe(false);
  expect(wantsMore(retried(failed))).toBe(true);
});
