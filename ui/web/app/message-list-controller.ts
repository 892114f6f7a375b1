import {
  arrivedAll,
  emptyList,
  holdSelection,
  loading,
  loadingFailed,
  moved,
  pageCame,
  restored,
  retried,
  select,
  selectedRowOf,
  shownCount,
  toNewest,
  toOldest,
  wantsMore,
} from '../../model/message-list.ts';
import { ALL_MAIL, type ShellApi } from './api.ts';
import { folded, messageCount, oldestOf, rowHolding, withChanged, withoutFolds, withoutMessages } from './copies.ts';
import { ofLongerWord } from './longer-word.ts';
import { BackendError, type ShellClock } from './ports.ts';
import { NONE, withoutDeleted } from './selection.ts';
import { copiesOf, type ListState, messagesOf, type RowMarks, toWebRow, type WebRow } from './state.ts';

/** The size of the first page, which fills the screen, and of each further page. */
const FIRST_PAGE = 20;
export const MAIL_PAGE = 100;
/** The size of a page while copies of few mails are all that came, so that a mail to many mailboxes costs few requests. */
const PAGE_OF_COPIES = 200;
/** The number of rows below the screen that a renewed list contains. */
const MORE_THAN_SHOWN = 4;
/** The delay in milliseconds before codes and first words are loaded, so that rows in passing cost no request. */
const PREVIEW_MS = 140;
const MAX_PREVIEWS = 60;
/** The shortest time in milliseconds between two such loads while messages arrive and push rows out of sight. */
const PREVIEW_PAUSE_MS = 1_000;
/** The quiet time in milliseconds after which a flood is over. It is longer than the longest pause of the feed. */
const CALM_MS = 1_300;
/** The shortest time in milliseconds between two searches of a filtered list while messages arrive. */
const REFILTER_MS = 300;
/** The time in milliseconds after which rows of the search before leave, because the next one takes noticeably long. */
const SLOW_MS = 300;
/** The rest in milliseconds after which matches are counted, so that letters in passing count nothing. */
const COUNT_MS = 200;
/** The largest number of newer messages that are added to a list. If there are more, the list is loaded again. */
const MOST_NEWER = 1_000;
/** The most pages that are loaded to find the row of a message that was opened by its address. */
const MOST_SEEKS = 30;
/** The number of previews (codes and first words of a row) after which the list discards all of them. */
const KEPT_PREVIEWS = 1_000;

/** The part of the page that stores the list and explains its errors. */
export interface MessageListHost {
  get(): ListState | null;
  set(list: ListState): void;
  explain(error: unknown): string;
  /** Tells whether a message is being deleted, so that the list leaves it out. */
  isDeleted(id: string): boolean;
}

/** Loads the visible list page by page and keeps it in step with the server. */
export class MessageListController {
  readonly #api: ShellApi;
  readonly #clock: ShellClock;
  readonly #host: MessageListHost;
  #height = 12;
  #loading: AbortController | null = null;
  /** The list that is being loaded in the place of the shown one. Null if the list loads its own pages, or nothing. */
  #next: ListState | null = null;
  #callOffNext: () => void = () => {};
  #callOffCount: () => void = () => {};
  /** The count of a search's matches that is under way. `isStale` tells that they have changed since it began. */
  #counting: { readonly call: AbortController; isStale: boolean } | null = null;
  /** Messages of this list that are being deleted, which the server still counts. */
  readonly #hidden = new Set<string>();
  #callOffPreviews: () => void = () => {};
  /** The previews that are being loaded. `isPassed` tells that other rows came into sight since. */
  #previewing: { readonly call: AbortController; isPassed: boolean } | null = null;
  #previewsAskedAt = Number.NEGATIVE_INFINITY;
  #arrivedSincePreviews = 0;
  #callOffRefilter: (() => void) | null = null;
  #inSight: readonly string[] = [];
  #isNear = false;
  /** The message that was last opened by its address. */
  #reached: string | null = null;
  /** The pages that are still loaded to find its row. 0 if it was found, or is not in the list. */
  #seeksLeft = 0;

  constructor(api: ShellApi, clock: ShellClock, host: MessageListHost) {
    this.#api = api;
    this.#clock = clock;
    this.#host = host;
  }

  /** Shows a mailbox, or the result of a search in it. The rows before stay until the result is there. */
  show(mailboxId: string, query: string): void {
    const before = this.#host.get();
    const shown = this.#next ?? before;
    if (shown?.mailboxId === mailboxId && shown.query === query) return;
    this.#stop();
    const next = emptyMailList(mailboxId, query, this.#height);
    if (before?.mailboxId !== mailboxId) this.#host.set(next);
    // Who takes the last letter back sees what is there already.
    else if (before.query !== query) {
      const same = { ...next, previews: before.previews };
      const longer = ofLongerWord(before, same);
      if (longer !== null) this.#host.set(longer);
      return void this.#fetchMore(null, same, longer !== null);
    }
    void this.#fetchMore();
  }

  /** Clears the list and loads it from the newest message, as after a reset. */
  reload(): void {
    const before = this.#next ?? this.#host.get();
    if (before === null) return;
    this.#stop();
    this.#host.set(emptyMailList(before.mailboxId, before.query, this.#height));
    void this.#fetchMore();
  }

  /** Loads the messages that arrived while the feed was disconnected. */
  async catchUp(): Promise<void> {
    const state = this.#host.get();
    if (state === null) return;
    this.#change((list) => ({ ...list, list: retried(list.list) }));
    await this.#newest(state);
    void this.#fetchMore();
  }

  /** Tells whether the list shows only the newest messages. Then it may drop older rows without the reader's notice. */
  get isRenewable(): boolean {
    const state = this.#host.get();
    if (state === null) return true;
    return this.#next === null && state.query === '' && state.list.following && state.selection.ids.size === 0;
  }

  /**
   * Replaces the rows by the newest page. It is used in a flood, in which the feed is paused. Returns false, and
   * changes nothing, if the reader selected a message meanwhile, or if `isWanted` then returns false.
   */
  async renew(isWanted: () => boolean): Promise<boolean> {
    const before = this.#host.get();
    if (before === null) return true;
    const page = await this.#page(before, null, undefined, Math.max(FIRST_PAGE, before.list.height + MORE_THAN_SHOWN));
    const now = this.#host.get();
    if (!isWanted() || now === null || now.mailboxId !== before.mailboxId || !this.isRenewable) return false;
    // An older page that is still loading would not fit behind the new rows.
    this.#loading?.abort();
    this.#loading = null;
    const list = this.#folded(now, pageCame(emptyList(now.list.height), page.rows, page.next === null), page.rows);
    this.#host.set({ ...now, ...totalOf(page), failure: null, cutOffAt: page.cutOffAt, list });
    this.settle(page.rows.length);
    void this.#fetchMore();
    return true;
  }

  /** Continues a search that ended before it had read all mails. */
  searchOn(): void {
    const from = this.#host.get()?.cutOffAt ?? null;
    this.#change((state) => ({ ...state, cutOffAt: null }));
    void this.#fetchMore(from);
  }

  retry(): void {
    this.#change((state) => ({ ...state, failure: null, list: retried(state.list) }));
    void this.#fetchMore();
  }

  /** Loads the next page when the reader points at the list, because a scroll or a key may follow. */
  near(): void {
    if (this.#isNear) return;
    this.#isNear = true;
    void this.#fetchMore();
  }

  /** Records the visible rows: the index of the first one and how many fit. */
  scrolled(first: number, height: number): void {
    this.#height = height;
    const state = this.#host.get();
    if (state === null) return;
    const { list } = state;
    if (list.top !== first || list.height !== height) {
      // A reader who scrolls down is reading. New messages then wait above the list.
      const following = list.following && first === 0;
      this.#host.set({ ...state, list: { ...list, top: first, height, following } });
    }
    const from = list.waiting + first;
    this.#inSight = list.rows.slice(from, from + height + 1).map(({ id }) => id);
    this.#preview();
    void this.#fetchMore();
  }

  /** Returns messages with the copies that are one row with them: what is done to the row is done to each copy. */
  withCopies<Message extends Pick<WebRow, 'id' | 'copies'>>(
    messages: readonly Message[],
  ): readonly (Message | WebRow)[] {
    const [first] = messages;
    // The only one may be an open message, which stands nowhere in the list or under another copy.
    const own = messages.length === 1 && first !== undefined ? this.copiesOf(first.id) : [];
    return own.length > 0 ? own : messages.flatMap((one) => [one, ...(one.copies ?? [])]);
  }

  arrived(rows: readonly WebRow[]): void {
    const state = this.#host.get();
    if (state === null) return;
    // What arrives while another list is being loaded may be in neither of the two.
    if (state.query !== '' || this.#next !== null) this.#refilter();
    if (state.query !== '') return;
    const mine = rows.filter(({ mailboxId }) => state.mailboxId === ALL_MAIL || mailboxId === state.mailboxId);
    if (mine.length > 0) this.#change((now) => this.#withArrived(now, mine));
  }

  /** Adds new messages. A copy of a mail in sight folds into one row with it, which goes to the top. */
  #withArrived(state: ListState, rows: readonly WebRow[]): ListState {
    const held = new Set(state.list.rows.flatMap(({ copies = [] }) => copies.map(({ id }) => id)));
    const fresh = rows.filter(({ id }) => !held.has(id));
    const released = state.list.rows.slice(0, state.list.waiting);
    return { ...state, list: this.#folded(state, arrivedAll(state.list, fresh), [...fresh, ...released]) };
  }

  /** Folds the copies of mails, but for those that the reader has unfolded. */
  #folded(state: ListState, list: ListState['list'], rows: readonly WebRow[]): ListState['list'] {
    return folded(list, new Set(rows.map(({ copyKey }) => copyKey).filter((key) => !state.unfolded.has(key))));
  }

  /** Unfolds the copies of a mail, or folds them. Returns false if there is nothing to do. */
  unfold(row: WebRow, isUnfolded: boolean): boolean {
    const state = this.#host.get();
    const keys = new Set([row.copyKey]);
    if (state === null || (isUnfolded ? row.copies === undefined : !state.unfolded.has(row.copyKey))) return false;
    const list = holdSelection(state.list);
    const others = [...state.unfolded].filter((key) => key !== row.copyKey);
    this.#host.set({
      ...state,
      list: isUnfolded ? withoutFolds(list, keys) : folded(list, keys),
      unfolded: new Set(isUnfolded ? [...others, row.copyKey] : others),
    });
    this.#preview();
    return true;
  }

  /** Returns the message with this id and the copies that are one row with it. */
  copiesOf(id: string): readonly WebRow[] {
    const row = rowHolding(this.#host.get()?.list.rows ?? [], id);
    return row === undefined ? [] : copiesOf(row);
  }

  gone(isGone: (id: string) => boolean): void {
    this.#change((state) => {
      const list = withoutMessages(state.list, isGone);
      const fewer = messageCount(state.list) - messageCount(list);
      if (fewer === 0) return state;
      for (const { id } of messagesOf(state.list.rows))
        if (isGone(id) && this.#host.isDeleted(id)) this.#hidden.add(id);
      const total = state.total === null ? null : state.total - fewer;
      return { ...state, list, total, selection: withoutDeleted(state.selection, isGone) };
    });
    void this.#fetchMore();
  }

  /** Shows new marks of messages. */
  marked(marks: ReadonlyMap<string, RowMarks>): void {
    this.#change((state) => {
      const list = withChanged(state.list, (row) => {
        const now = marks.get(row.id);
        return now === undefined ? row : { ...row, ...now };
      });
      return list === state.list ? state : { ...state, list };
    });
  }

  /** Puts messages back whose deletion was undone. */
  restore(rows: readonly WebRow[]): void {
    const state = this.#host.get();
    if (state === null) return;
    // A search may no longer find them, so it decides anew.
    if (state.query !== '') {
      this.reload();
      return;
    }
    const mine = rows.filter(({ mailboxId }) => state.mailboxId === ALL_MAIL || mailboxId === state.mailboxId);
    if (mine.length > 0)
      this.#change((now) => ({
        ...now,
        list: this.#folded(now, restored(now.list, mine), mine),
        reveal: now.reveal + 1,
      }));
  }

  /** Returns the selected row. Null if the list has none. */
  selected(): WebRow | null {
    const list = this.#host.get()?.list;
    return list === undefined ? null : selectedRowOf(list);
  }

  move(by: number): void {
    this.near();
    this.#change((state) => ({ ...state, list: moved(state.list, by), reveal: state.reveal + 1 }));
  }

  /** Selects one row by its index. */
  point(index: number): void {
    this.#change((state) => ({ ...state, list: select({ ...state.list, following: false }, index) }));
  }

  /** Selects the row of a message that was opened by its address: at once, or after the pages up to it are loaded. */
  reach(id: string): void {
    if (this.#reached !== id) this.#seeksLeft = MOST_SEEKS;
    this.#reached = id;
    this.#select(id);
    if (this.#seeks()) void this.#fetchMore();
  }

  #select(id: string): void {
    this.#change((state) => {
      const { list } = state;
      const row = rowHolding(list.rows, id);
      const index = row === undefined ? -1 : list.rows.indexOf(row) - list.waiting;
      if (list.selected === row?.id || index < 0) return state;
      return { ...state, list: holdSelection(select(list, index)), reveal: state.reveal + 1 };
    });
  }

  /** Tells whether the row of the reached message may be on a page that is not loaded. */
  #seeks(): boolean {
    const state = this.#host.get();
    if (state === null || this.#reached === null || this.#seeksLeft === 0) return false;
    const oldest = oldestOf(state.list);
    if (oldest === null) return false;
    return !state.list.complete && !state.list.failed && oldest > this.#reached;
  }

  toNewest(): void {
    this.#change((state) => {
      const released = state.list.rows.slice(0, state.list.waiting);
      return { ...state, list: this.#folded(state, toNewest(state.list), released), reveal: state.reveal + 1 };
    });
  }

  toOldest(): void {
    this.#change((state) => ({ ...state, list: toOldest(state.list), reveal: state.reveal + 1 }));
    void this.#fetchMore();
  }

  /**
   * Stops the list from following the newest message, because the reader opened one. New messages now wait above the
   * list.
   */
  hold(): void {
    this.#change((state) => ({ ...state, list: holdSelection(state.list) }));
  }

  #change(change: (state: ListState) => ListState): void {
    const state = this.#host.get();
    if (state === null) return;
    const next = change(state);
    if (next !== state) this.#host.set(next);
  }

  /** Ends what is being loaded for the list, because another one takes its place. */
  #stop(): void {
    this.#loading?.abort();
    this.#loading = null;
    this.#previewing?.call.abort();
    this.#previewing = null;
    this.#next = null;
    this.#callOffNext();
    this.#counting?.call.abort();
    this.#counting = null;
    this.#callOffCount();
    this.#hidden.clear();
    this.#callOffRefilter?.();
    this.#callOffRefilter = null;
  }

  /**
   * Loads the next page, from the last row or from where a search ended; with `next`, the first page of that list, which
   * it then shows. `isThere` tells that its rows are shown already, and stay.
   */
  async #fetchMore(from: string | null = null, next: ListState | null = null, isThere = false): Promise<void> {
    const state = next ?? this.#host.get();
    if (state === null || this.#loading !== null || state.cutOffAt !== null) return;
    const seeks = next === null && this.#seeks();
    if (!seeks && (!wantsMore(state.list) || (!this.#isNear && isEnough(state.list)))) return;
    if (seeks) this.#seeksLeft--;
    const call = new AbortController();
    this.#loading = call;
    this.#next = next;
    const begin = () => this.#host.set({ ...state, list: loading(state.list) });
    if (next === null) begin();
    else if (!isThere) this.#callOffNext = this.#clock.after(SLOW_MS, begin);
    const before = from ?? oldestOf(state.list);
    try {
      const page = await this.#page(state, before, call.signal, sizeOfNext(state, before));
      if (call.signal.aborted) return;
      this.#show(next);
      this.#change((now) => {
        // Rows that were there before the answer come again with it.
        const held = next === null ? now.list : { ...now.list, rows: [], waiting: 0 };
        const came = pageCame(held, page.rows, page.next === null);
        // The scroll position comes from the browser, because the reader may have scrolled away from the selection.
        const placed = now.list.seekingEnd ? came : { ...came, top: now.list.top };
        const list = this.#folded(now, placed, page.rows);
        return {
          ...now,
          ...totalOf(page),
          failure: null,
          cutOffAt: page.cutOffAt,
          list,
          reveal: now.list.seekingEnd ? now.reveal + 1 : now.reveal,
        };
      });
      if ((before === null || seeks) && this.#reached !== null) this.#select(this.#reached);
      if (before === null && page.isToCount) {
        if (next === null) void this.#count(state);
        else this.#callOffCount = this.#clock.after(COUNT_MS, () => void this.#count(state));
      }
    } catch (error) {
      if (call.signal.aborted) return;
      this.#show(next);
      const failure = this.#host.explain(error);
      const isWrong = error instanceof BackendError && error.code === 'invalid_query';
      this.#change((now) => ({ ...now, failure, isWrong, list: loadingFailed(now.list) }));
    } finally {
      if (this.#loading === call) this.#loading = null;
    }
    this.#preview();
    void this.#fetchMore();
  }

  /** Shows a list whose first answer came, as the reader left it if its rows were there already. */
  #show(next: ListState | null): void {
    if (next === null) return;
    this.#callOffNext();
    this.#next = null;
    if (this.#host.get()?.query !== next.query) this.#host.set(next);
  }

  async #page(
    { mailboxId, query }: ListState,
    before: string | null,
    signal?: AbortSignal,
    limit = before === null ? FIRST_PAGE : MAIL_PAGE,
  ) {
    const answer = await this.#api.messages(mailboxId, { query, limit, before }, signal);
    const { items, total: counted, complete, next } = answer;
    // If a page is neither full nor the last one, the search has read as many mails as one search may.
    const cutOffAt = !complete && items.length < limit ? next : null;
    const rows = items.filter(({ id }) => !this.#host.isDeleted(id)).map((row) => toWebRow(row, mailboxId));
    for (const { id } of items) if (this.#host.isDeleted(id)) this.#hidden.add(id);
    // A search whose results are all on the first page needs no count.
    const isWhole = before === null && complete && next === null;
    const total = counted ?? (isWhole ? rows.length : null);
    // Nor does one that has to be continued: its count would read as many mails again.
    return { rows, total, next, cutOffAt, isToCount: total === null && cutOffAt === null };
  }

  /** Counts the matches of a search, after its first page is shown. */
  async #count(state: ListState): Promise<void> {
    if (this.#counting !== null) {
      this.#counting.isStale = true;
      return;
    }
    const counting = { call: new AbortController(), isStale: false };
    const { signal } = counting.call;
    this.#counting = counting;
    try {
      const total = await this.#api.countFound(state.mailboxId, state.query, signal);
      if (signal.aborted || total === null) return;
      const hidden = [...this.#hidden].filter((id) => this.#host.isDeleted(id)).length;
      this.#change((now) => ({ ...now, total: Math.max(total - hidden, messageCount(now.list)) }));
    } catch {
      // The list is useful without the number.
    } finally {
      if (this.#counting === counting) this.#counting = null;
    }
    if (counting.isStale && !signal.aborted) await this.#count(state);
  }

  /** Repeats the search while messages arrive, even if they never stop. */
  #refilter(): void {
    this.#callOffRefilter ??= this.#clock.after(REFILTER_MS, () => {
      this.#callOffRefilter = null;
      if (this.#next !== null) return this.#refilter();
      const state = this.#host.get();
      if (state !== null) void this.#newest(state);
    });
  }

  /** Loads the messages that are newer than the list, page by page, so that none is missing between them. */
  async #newest(state: ListState): Promise<void> {
    const isShown = () => {
      const now = this.#host.get();
      return now?.mailboxId === state.mailboxId && now.query === state.query;
    };
    try {
      const known = state.list.rows[0]?.id ?? '';
      const newer: WebRow[] = [];
      for (let before: string | null = null; ; ) {
        const page = await this.#page(state, before);
        if (!isShown()) return;
        newer.push(...page.rows);
        before = page.next;
        const last = newer.at(-1)?.id ?? '';
        if (before === null || page.cutOffAt !== null || last <= known) {
          this.#change((now) => ({ ...this.#withArrived(now, newer), ...totalOf(page) }));
          if (page.isToCount) void this.#count(state);
          return;
        }
        if (newer.length > MOST_NEWER) return this.reload();
      }
    } catch {
      // The list does not change. The connection state already shows that the server is gone.
    }
  }

  /** Loads codes and first words of the visible rows after the reader stops scrolling. */
  #preview(afterMs = PREVIEW_MS): void {
    this.#callOffPreviews();
    this.#callOffPreviews = this.#clock.after(afterMs, () => void this.#loadPreviews());
  }

  /** Loads previews one call at a time: a slow network would keep a search waiting behind those of rows in passing. */
  async #loadPreviews(): Promise<void> {
    const state = this.#host.get();
    if (state === null) return;
    if (this.#previewing !== null) {
      this.#previewing.isPassed = true;
      return;
    }
    const from = state.list.waiting + state.list.top;
    const rows = state.list.rows.slice(from, from + state.list.height + 1).map(({ id }) => id);
    const ids = (rows.length > 0 ? rows : this.#inSight).filter((id) => !state.previews.has(id)).slice(0, MAX_PREVIEWS);
    if (ids.length === 0) return;
    this.#previewsAskedAt = this.#clock.now();
    this.#arrivedSincePreviews = 0;
    const previewing = { call: new AbortController(), isPassed: false };
    this.#previewing = previewing;
    try {
      const came = await this.#api.getMessagePreviews({ ids }, { signal: previewing.call.signal });
      this.#change((now) => {
        if (now.mailboxId !== state.mailboxId) return now;
        const kept = now.previews.size > KEPT_PREVIEWS ? new Map() : now.previews;
        return { ...now, previews: new Map([...kept, ...came.map((one) => [one.id, one] as const)]) };
      });
    } catch {
      // A row is useful even without its first words.
    }
    if (this.#previewing !== previewing) return;
    this.#previewing = null;
    if (previewing.isPassed) this.#preview();
  }

  /**
   * Loads the missing previews after messages arrived. If more arrived than the screen shows, it waits until the flood
   * is over, because the server would read many mails whose rows are out of sight.
   */
  settle(arrived: number): void {
    this.#arrivedSincePreviews += arrived;
    const rest = this.#previewsAskedAt + PREVIEW_PAUSE_MS - this.#clock.now();
    this.#preview(this.#arrivedSincePreviews > this.#height ? CALM_MS : Math.max(PREVIEW_MS, rest));
  }
}

function emptyMailList(mailboxId: string, query: string, height: number): ListState {
  return {
    mailboxId,
    query,
    list: emptyList(height),
    failure: null,
    isWrong: false,
    cutOffAt: null,
    total: null,
    previews: new Map(),
    selection: NONE,
    unfolded: new Set(),
    reveal: 0,
  };
}

/** Returns the number of all messages that a page tells. The page of a search tells none. */
function totalOf({ total }: { readonly total: number | null }): Partial<Pick<ListState, 'total'>> {
  return total === null ? {} : { total };
}

/** Returns whether the first page is enough for now: it fills the screen, and the reader has not scrolled. */
function isEnough(list: ListState['list']): boolean {
  return list.top === 0 && !list.seekingEnd && shownCount(list) > list.height;
}

/** Returns the size of the next page. A page that folded into few rows has left the screen empty. */
function sizeOfNext({ list }: ListState, before: string | null): number {
  if (before === null) return FIRST_PAGE;
  const isEmpty = list.rows.length <= list.height && messageCount(list) > list.rows.length;
  return isEmpty ? PAGE_OF_COPIES : MAIL_PAGE;
}
