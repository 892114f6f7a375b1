import type { Diagnosis, HeldWait } from '../app/api.ts';

/** The query of the diagnosis that explains a pending await. */
export function diagnosisOf({ filters, note, heldSince }: HeldWait): Readonly<Record<string, string>> {
  // The wait of a client may have begun before the await that it holds now.
  const since = note?.since ?? filters['since'] ?? heldSince;
  const asked = note === null ? filters : { ...filters, ...note.asked };
  const { count: _count, after: _after, ...conditions } = asked as Record<string, string>;
  return { ...conditions, since };
}

/** Returns the filters of a pending await by their names, as the client wrote them. */
export function filtersOf({ filters, note }: HeldWait): [name: string, text: string][] {
  return Object.entries(note?.filters ?? filters).filter(([name]) => name !== 'since' && name !== 'after');
}

/** The reasons of the client for each message that it refused, by the id of the message. */
export type ClientReasons = ReadonlyMap<string, string>;

export function reasonsOf({ note }: HeldWait): ClientReasons {
  return new Map((note?.refused ?? []).map(({ id, reason }) => [id, reason]));
}

/** The messages of a diagnosis that match, by the server's filters and by those that only the client can evaluate. */
export function matchingOf<Seen extends { readonly id: string; readonly refusedBy: readonly unknown[] }>(
  messages: readonly Seen[],
  reasons: ClientReasons,
): Seen[] {
  return messages.filter(({ id, refusedBy }) => refusedBy.length === 0 && !reasons.has(id));
}

/** The condition of each call that waits for a part of a mail. */
const ASKED_BY_CALL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  waitForCode: { code: '1' },
  waitForLink: { link: 'any' },
};

/** The conditions of a mail that would end a pending await, as far as the server can evaluate them. */
export function matchingConditions(wait: HeldWait): Readonly<Record<string, string>> {
  const { since: _since, ...conditions } = diagnosisOf(wait);
  return { ...ASKED_BY_CALL[wait.note?.call ?? ''], ...conditions };
}

type SeenMessage = Diagnosis['messages']['items'][number];
type Refusal = SeenMessage['refusedBy'][number];

/** A mail that nearly matched, and the conditions on which it failed. */
export interface NearMiss {
  readonly message: SeenMessage | Diagnosis['elsewhere']['items'][number];
  /** The conditions of the server that refused it. Empty for one that came elsewhere or that the client refused. */
  readonly failed: readonly Refusal[];
  /** The reason of the client. Null if it has given none. */
  readonly reason: string | null;
  /** The mailbox to which it came instead. Null for the one that the test watches. */
  readonly cameTo: string | null;
}

/** A mail that fails all conditions is near if it has this share of the wanted texts. */
const NEAR = 0.5;

/**
 * Ranks the mails that nearly matched: those that met a condition, and those with much of what was wanted. First come
 * those with the fewest failed conditions, then those whose texts have most of what was wanted, then the newest. A mail
 * that matches and came to another mailbox failed on that alone.
 */
export function nearMissesOf({ messages, elsewhere, filters }: Diagnosis, reasons: ClientReasons): readonly NearMiss[] {
  const misses: NearMiss[] = [
    ...messages.items.map((message) => ({
      message,
      failed: message.refusedBy,
      reason: reasons.get(message.id) ?? null,
      cameTo: null,
    })),
    ...elsewhere.items
      .filter(({ matches }) => matches)
      .map((message) => ({ message, failed: [], reason: null, cameTo: message.subdomain })),
  ].filter((one) => one.failed.length > 0 || one.reason !== null || one.cameTo !== null);
  const count = ({ failed, reason, cameTo }: NearMiss) =>
    failed.length + Number(reason !== null && failed.length === 0) + Number(cameTo !== null);
  const closeness = ({ failed }: NearMiss) =>
    failed.length === 0 ? 1 : failed.reduce((sum, refusal) => sum + closenessOf(refusal), 0) / failed.length;
  const conditions = Object.values(filters).filter((text) => text !== null).length;
  const near = misses.filter((miss) => miss.failed.length < conditions || closeness(miss) >= NEAR);
  return near.toSorted(
    (one, other) =>
      count(one) - count(other) ||
      closeness(other) - closeness(one) ||
      Date.parse(other.message.receivedAt) - Date.parse(one.message.receivedAt),
  );
}

/**
 * Returns how much of a wanted text the seen ones have, from 0 to 1: the share of its pairs of letters, in a place of
 * about its length, because a long text has many pairs by chance. White space counts in no pair, because every text has it.
 */
function closenessOf({ wanted, saw }: Refusal): number {
  const pairs = pairsOf(wanted);
  if (pairs.size === 0) return 0;
  const shares = saw.flatMap((text) =>
    [...text.slice(0, COMPARED).matchAll(/(?<!\S)\S/g)].map(({ index }) => {
      const there = pairsOf(text.slice(Math.max(0, index - 1), index + wanted.length + BESIDE));
      return [...pairs].filter((pair) => there.has(pair)).length / pairs.size;
    }),
  );
  return Math.max(0, ...shares);
}

/** The letters that a place has beyond those of the wanted text. */
const BESIDE = 2;

function pairsOf(text: string): ReadonlySet<string> {
  return new Set([...text.toLowerCase().matchAll(/(?=(\S\S))/g)].map(([, pair = '']) => pair));
}

/** A text in parts. `same` is the longest part that the other text has too. What differs stands before and after it. */
export interface DifferingText {
  /** The beginning, about which no condition asks: a text only has to be contained. */
  readonly start: string;
  readonly before: string;
  readonly same: string;
  readonly after: string;
  readonly end: string;
}

/** The longest texts that are compared, because each letter of one meets each of the other. */
const COMPARED = 200;

/** Splits a wanted text and the nearest seen one at what they share, ignoring case. Null if the mail has no such text. */
export function differenceOf({ wanted, saw, ...rest }: Refusal): { wanted: DifferingText; saw: DifferingText } | null {
  const [nearest] = saw
    .map((text) => ({ text, closeness: closenessOf({ ...rest, wanted, saw: [text] }) }))
    .toSorted((one, other) => other.closeness - one.closeness);
  if (nearest === undefined) return null;
  const [one, other] = [wanted.slice(0, COMPARED), nearest.text.slice(0, COMPARED)];
  const { at, otherAt, length } = longestShared(one.toLowerCase(), other.toLowerCase());
  // A few letters are in all texts.
  if (one.slice(at, at + length).trim().length < LEAST_SHARED && length < one.length)
    return { wanted: whole(one), saw: whole(other) };
  const before = Math.max(0, otherAt - at);
  const after = otherAt + length + (one.length - at - length);
  return {
    wanted: { ...NOTHING, before: one.slice(0, at), same: one.slice(at, at + length), after: one.slice(at + length) },
    saw: {
      start: other.slice(0, before),
      before: other.slice(before, otherAt),
      same: other.slice(otherAt, otherAt + length),
      after: other.slice(otherAt + length, after),
      end: other.slice(after),
    },
  };
}

/** The letters that two texts share by more than chance. */
const LEAST_SHARED = 3;
const NOTHING: DifferingText = { start: '', before: '', same: '', after: '', end: '' };

function whole(text: string): DifferingText {
  return { ...NOTHING, same: text };
}

function longestShared(one: string, other: string) {
  let best = { at: 0, otherAt: 0, length: 0 };
  let before: number[] = [];
  for (let at = 0; at < one.length; at++) {
    const now: number[] = [];
    for (let otherAt = 0; otherAt < other.length; otherAt++) {
      if (one[at] !== other[otherAt]) continue;
      const length = (before[otherAt - 1] ?? 0) + 1;
      now[otherAt] = length;
      if (length > best.length) best = { at: at - length + 1, otherAt: otherAt - length + 1, length };
    }
    before = now;
  }
  return best;
}
