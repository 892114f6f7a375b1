import type { KeyId, WorkspaceId } from '../../domain/ids.ts';
import {
  judgeRate,
  PER_KEY,
  PER_WORKSPACE,
  type RateLimitDecision,
  type RateWindow,
  tighter,
  WINDOW_MS,
} from '../../domain/rate-limit.ts';
import type { RateLimiter, RateTime } from '../../ports/server.ts';
import { numberColumn, type RunStatement, statement, textColumn } from './connection.ts';

/** Adds hits to an existing window. If the window is over, a new one replaces it. */
const TAKE_HITS = `on conflict (id) do update set
       opened_at = case when ${isOpen()} then w.opened_at else excluded.opened_at end,
       used = case when ${isOpen()} then w.used + excluded.used else excluded.used end,
       clock_offset = excluded.clock_offset,
       touched_at = now()`;

// All servers lock the rows in the same order, keys before workspaces, so no deadlock is possible. A request that the
// key's window refuses does not count against the workspace.
const HIT = statement(
  'hit rate windows',
  `with given as (
     select * from unnest($1::text[], $2::text[], $3::int[], $4::float8[], $5::float8[])
       as given (id, workspace, hits, at, clock_offset)
   ), keys as (
     insert into rate_windows as w (id, opened_at, used, clock_offset)
     select id, at, hits, clock_offset from given order by id
     ${TAKE_HITS}
     returning id, opened_at, used
   ), allowed as (
     select workspace, sum(least(hits, greatest(0, ${PER_KEY} - (keys.used - hits))))::int as hits,
       max(at) as at, max(clock_offset) as clock_offset
     from keys join given using (id) group by workspace
   ), workspaces as (
     insert into rate_windows as w (id, opened_at, used, clock_offset)
     select workspace, at, hits, clock_offset from allowed where hits > 0 order by workspace
     ${TAKE_HITS}
     returning id, opened_at, used
   )
   select id, opened_at, used::float8 as used from keys
   union all
   select id, opened_at, used::float8 as used from workspaces
   union all
   select w.id, w.opened_at, w.used::float8 as used
   from allowed join rate_windows as w on w.id = allowed.workspace where allowed.hits = 0`,
);
const RESET = statement('reset rate windows', 'delete from rate_windows');
const FORGET = statement(
  'forget rate windows',
  "delete from rate_windows where touched_at < now() - interval '5 minutes'",
);

/**
 * Returns the SQL condition that a window is still open at the time of the hits. A server whose clock is behind the clock of the server
 * that opened the window uses the same window. A clock that was set back by its offset opens a new one.
 */
function isOpen(): string {
  return `(excluded.opened_at < w.opened_at + ${WINDOW_MS}
         and (excluded.opened_at >= w.opened_at
           or (excluded.clock_offset = w.clock_offset and excluded.opened_at > w.opened_at - ${WINDOW_MS})))`;
}

/** A request that waits for its verdict. */
interface Hit {
  readonly keyId: KeyId;
  readonly workspaceId: WorkspaceId;
  readonly time: RateTime;
  resolve(verdict: RateLimitDecision): void;
  reject(error: unknown): void;
}

/**
 * Counts requests for all servers, in the database. One statement counts all requests that arrived while the previous
 * statement ran.
 */
export class SharedLimiter implements RateLimiter {
  readonly #query: RunStatement;
  #waiting: Hit[] = [];
  #running: Promise<void> | null = null;

  constructor(query: RunStatement) {
    this.#query = query;
  }

  hit(keyId: KeyId, workspaceId: WorkspaceId, time: RateTime): Promise<RateLimitDecision> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keyId, workspaceId, time, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  async reset(): Promise<void> {
    await this.#query(RESET);
  }

  /** Removes the windows without a hit in the last five minutes. */
  async prune(): Promise<void> {
    await this.#query(FORGET);
  }

  /** Settles when no request waits for its verdict. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // Collects everything of this event-loop iteration.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#count(this.#waiting.splice(0));
    this.#running = null;
  }

  /** Counts requests and gives each its verdict. It never rejects. */
  async #count(hits: readonly Hit[]): Promise<void> {
    const times = timesOf(hits);
    const byKey = new Map<string, { readonly workspaceId: WorkspaceId; hits: number }>();
    for (const { keyId, workspaceId } of hits) {
      const counted = byKey.get(keyId);
      if (counted === undefined) byKey.set(keyId, { workspaceId, hits: 1 });
      else counted.hits++;
    }
    try {
      const counted = [...byKey.values()];
      const rows = await this.#query(HIT, [
        [...byKey.keys()],
        counted.map(({ workspaceId }) => workspaceId),
        counted.map((one) => one.hits),
        counted.map(({ workspaceId }) => times.get(workspaceId)?.now ?? 0),
        counted.map(({ workspaceId }) => times.get(workspaceId)?.offsetMs ?? 0),
      ]);
      const windows = new Map(
        rows.map((row) => [
          textColumn(row, 'id'),
          { openedAt: numberColumn(row, 'opened_at'), used: numberColumn(row, 'used') },
        ]),
      );
      const verdicts = verdictsOf(hits, windows, times);
      for (const [i, { resolve, reject }] of hits.entries()) {
        const verdict = verdicts[i];
        if (verdict === undefined) reject(new Error('a request was not counted'));
        else resolve(verdict);
      }
    } catch (error) {
      for (const { reject } of hits) reject(error);
    }
  }
}

/** Returns the latest time of each workspace. All requests of a workspace are counted at that time. */
function timesOf(hits: readonly Hit[]): Map<WorkspaceId, RateTime> {
  const times = new Map<WorkspaceId, RateTime>();
  for (const { workspaceId, time } of hits)
    if (time.now > (times.get(workspaceId)?.now ?? Number.NEGATIVE_INFINITY)) times.set(workspaceId, time);
  return times;
}

/**
 * Returns the verdict on each request, in their order. `windows` holds the windows after all requests were counted, by
 * the id of the key or workspace.
 */
function verdictsOf(
  hits: readonly Pick<Hit, 'keyId' | 'workspaceId'>[],
  windows: ReadonlyMap<string, RateWindow>,
  times: ReadonlyMap<WorkspaceId, RateTime>,
): RateLimitDecision[] {
  const after = (id: string, now = 0): RateWindow => windows.get(id) ?? { openedAt: now, used: 0 };
  const ranks = new Map<string, number>();
  const count = (id: string, by: number) => ranks.set(id, (ranks.get(id) ?? 0) + by);
  // Computes the counts before the requests from the counts after them.
  for (const { keyId } of hits) ranks.set(keyId, after(keyId).used);
  for (const { keyId } of hits) count(keyId, -1);
  const fresh = new Map(ranks);
  for (const { workspaceId } of hits) ranks.set(workspaceId, after(workspaceId).used);
  for (const { keyId, workspaceId } of hits) {
    const rank = (fresh.get(keyId) ?? 0) + 1;
    fresh.set(keyId, rank);
    if (rank <= PER_KEY) count(workspaceId, -1);
  }
  return hits.map(({ keyId, workspaceId }) => {
    const now = times.get(workspaceId)?.now ?? 0;
    count(keyId, 1);
    const ofKey = judgeAt(after(keyId, now), ranks.get(keyId) ?? 0, PER_KEY, now);
    if (ofKey.allowed) count(workspaceId, 1);
    return tighter(ofKey, judgeAt(after(workspaceId, now), ranks.get(workspaceId) ?? 0, PER_WORKSPACE, now));
  });
}

/**
 * Judges a window as it was after `used` requests. If another server's clock opened the window later than `now`, its
 * opening time counts as now, so that the reported wait is never longer than a window.
 */
function judgeAt({ openedAt }: RateWindow, used: number, limit: number, now: number): RateLimitDecision {
  return judgeRate({ openedAt, used }, limit, Math.max(now, openedAt));
}
