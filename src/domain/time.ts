import type { Workspace } from './workspace.ts';

// Times are milliseconds since 1970 in the code, and ISO 8601 with milliseconds and offset on the wire
// (docs/contract.md#ids-and-times).

/**
 * The last result of {@link writeTime}. An event contains its time twice, and mail that arrives together has the same
 * time.
 */
let written = { ms: 0, text: '1970-01-01T00:00:00.000+00:00' };

/** Writes a time such as `2026-11-20T15:55:21.123+00:00`. */
export function writeTime(ms: number): string {
  if (ms !== written.ms) written = { ms, text: new Date(ms).toISOString().replace('Z', '+00:00') };
  return written.text;
}

// A `+` that the client did not encode arrives as a space in a query.
const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+\- ])(\d{2})(?::?(\d{2}))?)?$/i;

/**
 * Parses an ISO 8601 date and time into milliseconds since 1970. Without an offset it is UTC. Returns null if the text
 * is invalid.
 */
export function parseTime(text: string): number | null {
  const match = ISO_8601.exec(text.trim());
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const offsetMinutes = Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0);
  const readable =
    isDay(year, month, day) && hour <= 23 && minute <= 59 && second <= 59 && offsetMinutes <= 24 * 60 - 1;
  if (!readable) return null;
  const fraction = Math.trunc(Number(`0.${match[7] ?? 0}`) * 1_000);
  const sign = match[8] === '-' ? -1 : 1;
  return utc(year, month, day) + ((hour * 60 + minute - sign * offsetMinutes) * 60 + second) * 1_000 + fraction;
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(utc(year, month, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Returns the start of a day. It takes years below 100 literally, to which Date.UTC would add 1900. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

export const DAY_MS = 86_400_000;
/** The last result of {@link utcDay}. It is called for every message, nearly always with the same day. */
let latest = { startsAt: 0, day: '1970-01-01' };

/** Returns the UTC day for daily counters, such as `2026-11-20`. */
export function utcDay(ms: number): string {
  const isLatest = ms >= latest.startsAt && ms < latest.startsAt + DAY_MS;
  if (!isLatest) latest = { startsAt: Math.floor(ms / DAY_MS) * DAY_MS, day: new Date(ms).toISOString().slice(0, 10) };
  return latest.day;
}

/** A moment as a server sees it, from which the time of each workspace follows (docs/clock.md). */
export interface Moment {
  /** The real time in milliseconds since 1970. */
  readonly realNow: number;
  /** The offset of the server's clock in milliseconds. It applies to workspaces without a clock of their own. */
  readonly serverOffsetMs: number;
}

type Clocked = Pick<Workspace, 'clockOffsetMs'> | null | undefined;

/** Returns how far the time of a workspace is from real time, in milliseconds. */
export function offsetOf(workspace: Clocked, { serverOffsetMs }: Pick<Moment, 'serverOffsetMs'>): number {
  return workspace?.clockOffsetMs ?? serverOffsetMs;
}

/** Returns the time in a workspace, in milliseconds since 1970. Without a workspace it is the time of the server. */
export function timeOf(workspace: Clocked, moment: Moment): number {
  return moment.realNow + offsetOf(workspace, moment);
}

// The range of the clock: from 1970 to the last year that ULIDs and ISO 8601 can express.
const EARLIEST = 0;
const LATEST = Date.UTC(9999, 11, 31);

/**
 * Parses a clock setting into the milliseconds to add to real time (docs/clock.md). It takes
 * `{"offsetSeconds"}`, `{"now"}`, or null for real time. Returns null if the setting is invalid.
 */
export function parseClockSetting(value: unknown, realNow: number): number | null {
  if (value === null) return 0;
  if (typeof value !== 'object') return null;
  const given: { offsetSeconds?: unknown; now?: unknown } = value;
  const offsetMs = offsetAsked(given, realNow);
  const inRange = offsetMs !== null && realNow + offsetMs >= EARLIEST && realNow + offsetMs <= LATEST;
  return inRange ? offsetMs : null;
}

function offsetAsked(given: { offsetSeconds?: unknown; now?: unknown }, realNow: number): number | null {
  if (typeof given.offsetSeconds === 'number' && given.now === undefined)
    return Math.round(given.offsetSeconds * 1_000);
  if (typeof given.now !== 'string' || given.offsetSeconds !== undefined) return null;
  const now = parseTime(given.now);
  return now === null ? null : now - realNow;
}

// The id of a row has the real time of its arrival, and `receivedAt` has the time of its workspace. While the clock of the
// workspace stands, both grow together. A list by id can therefore stop at a time, if it knows how far the times were
// apart. These steps record that for the rows of one mailbox or webhook.

/** The rows that arrived while the clock of the workspace stood. */
export interface ClockStep {
  /** The id of the row before the first one, or ''. */
  readonly after: string;
  /** The id of the first row. */
  readonly from: string;
  /** No row was received later than this many milliseconds after the time in its id. */
  readonly leadMs: number;
}

/** A step, and where the next one begins. */
interface ClockSpan extends ClockStep {
  /** The first id of the next step. Undefined in the last one. */
  readonly to: string | undefined;
}

/** Times that are less than this apart belong to one step, because the clocks of two servers are not exactly equal. */
const GRAIN_MS = 1_000;
/** The number of steps that are kept. The oldest ones are joined, so that their rows only cost more to find. */
const MOST = 32;
/** The rows from before the first step: without a shift, no row is received later than the time in its id. */
const BEGINNING: ClockStep = { after: '', from: '', leadMs: 0 };

/** A row, with the time in its id. */
interface Dated {
  readonly id: string;
  readonly idTime: number;
}

/**
 * Returns the steps after a row arrived. They are the given ones if it arrived in the last of them. `last` is the row
 * before it.
 */
export function stepsWith(
  steps: readonly ClockStep[] | undefined,
  { id, idTime, receivedAt }: Dated & { readonly receivedAt: number },
  last: Dated | undefined,
): readonly ClockStep[] | undefined {
  const lead = receivedAt - idTime;
  const current = steps?.at(-1) ?? BEGINNING;
  if (lead <= current.leadMs && lead > current.leadMs - 2 * GRAIN_MS) return steps;
  const leadMs = Math.ceil(lead / GRAIN_MS) * GRAIN_MS;
  // Ids of an earlier version may be ahead of real time. Their time then stands still, and all such rows are one step.
  if (steps !== undefined && idTime === last?.idTime)
    return [...steps.slice(0, -1), { ...current, leadMs: Math.max(leadMs, current.leadMs) }];
  const step = { after: last?.id ?? '', from: id, leadMs };
  const [first, second, ...others] = [...(steps ?? []), step];
  if (first === undefined || second === undefined || others.length + 2 <= MOST) return [...(steps ?? []), step];
  return [{ ...first, leadMs: Math.max(first.leadMs, second.leadMs) }, ...others];
}

/** Returns the spans of the steps, the oldest first. */
export function spansOf(steps: readonly ClockStep[] | undefined): ClockSpan[] {
  const all = [BEGINNING, ...(steps ?? [])];
  return all.map((step, at) => ({ ...step, to: all[at + 1]?.from }));
}
