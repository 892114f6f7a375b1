import {
  arrivedAll,
  gone,
  held,
  loading,
  loadingFailed,
  moved,
  pageCame,
  retried,
  select,
  toNewest,
  toOldest,
  wantsMore,
} from '../model/message-list.ts';
import { remaining } from '../model/selection.ts';
import { ALL_MAIL, type Api, type Summary } from './api.ts';
import type { Clock } from './ports.ts';
import { emptyMailList, type ListState, type WebRow } from './state.ts';

/** What the first view needs, and what follows it. */
const FIRST_PAGE = 30;
const PAGE = 100;
/** What is scrolled past is not looked into. */
const GLANCE_MS = 140;
const MAX_GLANCES = 60;
/** A filtered list asks anew this long after the last arrival. */
const REFILTER_MS = 300;
/** What a list knows of messages beside their rows is forgotten where it is more than this. */
const KEPT_GLANCES = 1_000;

/** What a desk works on: the list that is shown, and where it is kept. */
export interface ListPlace {
  get(): ListState | null;
  set(list: ListState): void;
  explain(error: unknown): string;
}

/** Loads the list that is shown, page by page, and keeps it as the server has it. */
export class MailDesk {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #place: ListPlace;
  #height = 12;
  #loading: AbortController | null = null;
  #callOffGlance: () => void = () => {};
  #callOffRefilter: () => void = () => {};
  #inSight: readonly string[] = [];

  constructor(api: Api, clock: Clock, place: ListPlace) {
    this.#api = api;
    this.#clock = clock;
    this.#place = place;
  }

  /** Shows a mailbox, or what a search finds in it. */
  show(mailboxId: string, query: string): void {
    const before = this.#place.get();
    if (before?.mailboxId === mailboxId && before.query === query) return;
    this.#loading?.abort();
    this.#loading = null;
    this.#place.set(emptyMailList(mailboxId, query, this.#height));
    void this.#fetchMore();
  }

  /** Loads anew from the top, as after a reset. */
  reload(): void {
    const before = this.#place.get();
    if (before === null) return;
    this.#loading?.abort();
    this.#loading = null;
    this.#place.set(emptyMailList(before.mailboxId, before.query, this.#height));
    void this.#fetchMore();
  }

  /** What was missed while the feed was down, from the newest on. */
  async catchUp(): Promise<void> {
    const state = this.#place.get();
    if (state === null) return;
    this.#change((list) => ({ ...list, list: retried(list.list) }));
    await this.#newest(state);
    void this.#fetchMore();
  }

  retry(): void {
    this.#change((state) => ({ ...state, failure: null, list: retried(state.list) }));
    void this.#fetchMore();
  }

  /** Rows the reader sees: `first` of what is shown, as many as there is room for. */
  scrolled(first: number, height: number): void {
    this.#height = height;
    const state = this.#place.get();
    if (state === null) return;
    const { list } = state;
    if (list.top !== first || list.height !== height) {
      // Who scrolls down reads: what comes then waits above.
      const following = list.following && first === 0;
      this.#place.set({ ...state, list: { ...list, top: first, height, following } });
    }
    const from = list.waiting + first;
    this.#inSight = list.rows.slice(from, from + height + 1).map(({ id }) => id);
    this.#glance();
    void this.#fetchMore();
  }

  arrived(rows: readonly WebRow[]): void {
    const state = this.#place.get();
    if (state === null) return;
    if (state.query !== '') {
      this.#refilter();
      return;
    }
    const mine = rows.filter(({ mailboxId }) => state.mailboxId === ALL_MAIL || mailboxId === state.mailboxId);
    if (mine.length > 0) this.#change((list) => ({ ...list, list: arrivedAll(list.list, mine) }));
  }

  gone(isGone: (id: string) => boolean): void {
    this.#change((state) => {
      const list = gone(state.list, ({ id }) => isGone(id));
      return list === state.list ? state : { ...state, list, selection: remaining(state.selection, isGone) };
    });
    void this.#fetchMore();
  }

  move(by: number): void {
    this.#change((state) => ({ ...state, list: moved(state.list, by), reveal: state.reveal + 1 }));
  }

  /** To one row of what is shown. */
  point(index: number): void {
    this.#change((state) => ({ ...state, list: select({ ...state.list, following: false }, index) }));
  }

  toNewest(): void {
    this.#change((state) => ({ ...state, list: toNewest(state.list), reveal: state.reveal + 1 }));
  }

  toOldest(): void {
    this.#change((state) => ({ ...state, list: toOldest(state.list), reveal: state.reveal + 1 }));
    void this.#fetchMore();
  }

  /** What is open is read: from now on what comes waits. */
  hold(): void {
    this.#change((state) => ({ ...state, list: held(state.list) }));
  }

  #change(change: (state: ListState) => ListState): void {
    const state = this.#place.get();
    if (state === null) return;
    const next = change(state);
    if (next !== state) this.#place.set(next);
  }

  async #fetchMore(): Promise<void> {
    const state = this.#place.get();
    if (state === null || this.#loading !== null || !wantsMore(state.list)) return;
    const call = new AbortController();
    this.#loading = call;
    this.#place.set({ ...state, list: loading(state.list) });
    const before = state.list.rows.at(-1)?.id ?? null;
    try {
      const page = await this.#page(state, before, call.signal);
      if (call.signal.aborted) return;
      this.#change((now) => {
        const list = pageCame(now.list, page.rows, page.next === null);
        return {
          ...now,
          failure: null,
          total: page.total,
          list,
          reveal: now.list.seekingEnd ? now.reveal + 1 : now.reveal,
        };
      });
    } catch (error) {
      if (call.signal.aborted) return;
      const failure = this.#place.explain(error);
      this.#change((now) => ({ ...now, failure, list: loadingFailed(now.list) }));
    } finally {
      if (this.#loading === call) this.#loading = null;
    }
    this.#glance();
    void this.#fetchMore();
  }

  async #page({ mailboxId, query }: ListState, before: string | null, signal?: AbortSignal) {
    const { items, total, next } = await this.#api.messages(
      mailboxId,
      { query, limit: before === null ? FIRST_PAGE : PAGE, before },
      signal,
    );
    return { rows: items.map((row) => toWebRow(row, mailboxId)), total, next };
  }

  #refilter(): void {
    this.#callOffRefilter();
    this.#callOffRefilter = this.#clock.after(REFILTER_MS, () => {
      const state = this.#place.get();
      if (state !== null && state.query !== '') void this.#newest(state);
    });
  }

  async #newest(state: ListState): Promise<void> {
    try {
      const { rows, total } = await this.#page(state, null);
      const now = this.#place.get();
      if (now?.mailboxId !== state.mailboxId || now.query !== state.query) return;
      this.#change((list) => ({ ...list, total, list: arrivedAll(list.list, rows) }));
    } catch {
      // What is shown stays; the connection's own state says that the server is gone.
    }
  }

  /** Asks for what the rows in sight show beside their summaries, once the reader rests. */
  #glance(): void {
    this.#callOffGlance();
    this.#callOffGlance = this.#clock.after(GLANCE_MS, () => void this.#glanceNow());
  }

  async #glanceNow(): Promise<void> {
    const state = this.#place.get();
    if (state === null) return;
    const from = state.list.waiting + state.list.top;
    const rows = state.list.rows.slice(from, from + state.list.height + 1).map(({ id }) => id);
    const unknown = (rows.length > 0 ? rows : this.#inSight).filter((id) => !state.glances.has(id));
    if (unknown.length === 0) return;
    try {
      const came = await this.#api.glances(unknown.slice(0, MAX_GLANCES));
      this.#change((now) => {
        if (now.mailboxId !== state.mailboxId) return now;
        const kept = now.glances.size > KEPT_GLANCES ? new Map() : now.glances;
        return { ...now, glances: new Map([...kept, ...came.map((one) => [one.id, one] as const)]) };
      });
    } catch {
      // A row without its first words is still a row.
    }
  }

  /** The rows changed under the reader: what is in sight now may be unknown. */
  settle(): void {
    this.#glance();
  }
}

export function toWebRow(row: Summary, mailboxId: string): WebRow {
  return {
    id: row.id,
    mailboxId: row.mailboxId ?? mailboxId,
    from: row.from ?? '',
    to: row.to ?? '',
    subject: row.subject ?? '',
    receivedAt: Date.parse(row.receivedAt),
    sizeBytes: row.sizeBytes,
    attachmentCount: row.attachmentCount,
  };
}
