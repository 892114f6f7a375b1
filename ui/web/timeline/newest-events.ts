import { firstUlidAt } from '../../../src/text/ulid-digits.ts';
import type { FeedEvent } from '../app/ports.ts';

/** The most events of one answer of the server. */
export const PAGE = 500;
/** The most events that the timeline shows. */
export const MOST = 5_000;
/** The first span that is looked at if there is more than one page. Each further one back is four times as long. */
const SPAN_MS = 60_000;

/** Lists at most `PAGE` events after an id, oldest first, as the server does. */
type ListEvents = (after: string) => Promise<readonly FeedEvent[]>;

/**
 * Returns the newest events since a moment, oldest first, and whether these are all. The server lists from the oldest, so
 * spans of time are read from now back until there are enough: after a burst the last minute is what the reader looks for.
 */
export async function newestEvents(
  list: ListEvents,
  since: number,
  now: number,
): Promise<{ readonly events: readonly FeedEvent[]; readonly isAll: boolean }> {
  const start = Math.max(0, Math.floor(since));
  const first = await list(firstUlidAt(start));
  if (first.length < PAGE) return { events: first, isAll: true };
  let events: readonly FeedEvent[] = [];
  let end: number | null = null;
  let begin = now;
  for (let span = SPAN_MS; begin > start && events.length <= MOST; span *= 4) {
    begin = Math.max(start, Math.floor(begin - span));
    events = [...(await newestBetween(list, begin, end, now, MOST - events.length)), ...events];
    end = begin;
  }
  return { events: events.slice(-MOST), isAll: begin <= start && events.length <= MOST };
}

/**
 * Lists the events from one moment up to another, or up to now and beyond if there is no other. If there are more than
 * `most`, the newest of them and at least one more.
 */
async function newestBetween(
  list: ListEvents,
  from: number,
  end: number | null,
  now: number,
  most: number,
): Promise<readonly FeedEvent[]> {
  const found: FeedEvent[] = [];
  const endId = end === null ? null : firstUlidAt(end);
  const middle = Math.floor((from + (end ?? now)) / 2);
  for (let after = firstUlidAt(from); ; ) {
    const page = await list(after);
    const inside = endId === null ? page : page.filter(({ id }) => id < endId);
    found.push(...inside);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE || inside.length < page.length) return found;
    if (found.length > most && middle > from) {
      // The newest events of a burst come last, and the half that has them needs fewer pages than the whole.
      const newer = await newestBetween(list, middle, end, now, most);
      if (newer.length > most) return newer;
      return [...(await newestBetween(list, from, middle, now, most - newer.length)), ...newer];
    }
    after = last.id;
  }
}
