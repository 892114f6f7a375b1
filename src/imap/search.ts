import { setImmediate } from 'node:timers/promises';
import { findIds, MOST_READ } from '../actions/search-messages.ts';
import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import { tagKey } from '../domain/marks.ts';
import type { Message } from '../domain/message.ts';
import type { Term } from '../domain/search/query.ts';
import { DAY_MS } from '../domain/time.ts';
import { fieldsOf, unfolded } from '../mail/mime-tree.ts';
import { momentNow } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { readAddresses } from '../text/addresses.ts';
import { fold } from '../text/fold.ts';
import { readMailDate } from '../text/mail-date.ts';
import { readMailHeaders } from './fetch.ts';
import { isKeyword } from './flags.ts';
import { NotInGrammar, type SearchKey } from './grammar.ts';
import type { SelectedMailbox } from './selected.ts';

// SEARCH (RFC 3501 6.4.4). Flags, numbers, times and sizes are decided by what the session knows, sender and subject by
// the rows, and texts of the mail by the search of the server, which has them prepared. Its texts are decoded, and it
// ignores case, width and invisible characters. Only SENT... and the header in TEXT read the headers of mails.

/** The messages, and the verdicts on them, that are looked at before others have their turn. */
const MOST_MESSAGES = 2_000;
const MOST_VERDICTS = 20_000;
/** The headers that are read at a time. */
const READS = 200;
/** The keys of a command that the server searches for. */
const MOST_SEARCHES = 50;
/** The mails without a prepared text, and the headers, that a command may read. It takes some seconds. */
const MOST: SearchBounds = { mails: MOST_READ, headers: 200_000 };

export interface SearchBounds {
  readonly mails: number;
  readonly headers: number;
}

/** A search that would read too many mails. The text goes behind `NO`. */
export class SearchTooLarge extends Error {
  override readonly name = 'SearchTooLarge';
}

/** The verdict on a message. Null means that its header must be read. */
type Verdict = boolean | null;

interface Candidate {
  readonly index: number;
  readonly row: Message | null;
  readonly header: Buffer | null;
}

/** Returns the indexes of the messages that match, ascending. Throws {@link NotInGrammar} for too many texts, {@link SearchTooLarge}. */
export async function searchSelected(
  ctx: Context,
  connection: CancelSignal,
  selected: SelectedMailbox,
  key: SearchKey,
  most = MOST,
): Promise<number[]> {
  const search = new Search(selected);
  const within = search.within(key);
  const keys = keysIn(key);
  await search.find(ctx, connection, keys, within, most.mails);
  const matches: number[] = [];
  const open: number[] = [];
  const atOnce = Math.max(1, Math.min(MOST_MESSAGES, Math.floor(MOST_VERDICTS / keys.length)));
  const needsRow = keys.some(({ kind }) => ROW_KINDS.has(kind));
  const note = (index: number, verdict: Verdict): void => {
    if (verdict === true) matches.push(index);
    else if (verdict === null) open.push(index);
  };
  for (let at = 0; at < within.length && !connection.isCancelled; at += atOnce) {
    const some = within.slice(at, at + atOnce);
    if (needsRow) {
      const wanted = (row: Message, nth: number): false => {
        const index = some[nth] ?? 0;
        note(index, search.verdict(key, { index, row, header: null }));
        return false;
      };
      await ctx.store.read.messages.many(
        some.map((index) => selected.entry(index).id),
        momentNow(ctx.clock),
        wanted,
      );
    } else for (const index of some) note(index, search.verdict(key, { index, row: null, header: null }));
    await setImmediate();
  }
  if (open.length > most.headers)
    throw new SearchTooLarge(`the search would read ${open.length} headers: search in fewer messages`);
  for (let at = 0; at < open.length && !connection.isCancelled; at += READS) {
    const some = open.slice(at, at + READS);
    const rows = await ctx.store.read.messages.many(
      some.map((index) => selected.entry(index).id),
      momentNow(ctx.clock),
    );
    const headers = await readMailHeaders(ctx, rows);
    for (const [nth, index] of some.entries()) {
      const header = headers[nth] ?? null;
      if (header !== null && search.verdict(key, { index, row: rows[nth] ?? null, header })) matches.push(index);
    }
    await setImmediate();
  }
  return matches.sort((a, b) => a - b);
}

/** The keys that the row of a message decides. */
const ROW_KINDS: ReadonlySet<SearchKey['kind']> = new Set(['from', 'to', 'cc', 'subject']);

/** Returns a key with all keys within it. */
function keysIn(key: SearchKey): SearchKey[] {
  if (key.kind === 'and') return [key, ...key.keys.flatMap(keysIn)];
  if (key.kind === 'or') return [key, ...keysIn(key.one), ...keysIn(key.other)];
  return key.kind === 'not' ? [key, ...keysIn(key.key)] : [key];
}

/** Returns what the server searches for. Null for a key that it does not search for. */
function termOf(key: SearchKey): Term | null {
  if (key.kind === 'header')
    return { kind: 'header', name: key.name.trim().toLowerCase(), text: words(key.text), not: false };
  if (key.kind !== 'body' && key.kind !== 'text') return null;
  const text = words(key.text);
  return text === '' ? null : { kind: 'text', field: key.kind === 'body' ? 'body' : null, text, not: false };
}

/** Returns a text as a search takes it: words with single spaces, and nothing if it would show nothing. */
function words(text: string): string {
  const joined = text.replace(/\s+/g, ' ').trim();
  return fold(joined).trim() === '' ? '' : joined;
}

class Search {
  readonly #selected: SelectedMailbox;
  /** The messages that have the text of a key. */
  readonly #found = new Map<SearchKey, ReadonlySet<MessageId>>();
  readonly #sets = new Map<SearchKey, ReadonlySet<number>>();

  constructor(selected: SelectedMailbox) {
    this.#selected = selected;
  }

  /** Finds each text of a body, a header or a mail, from the first to the last of these messages. */
  async find(
    ctx: Context,
    cancelSignal: CancelSignal,
    keys: readonly SearchKey[],
    within: readonly number[],
    mostMails: number,
  ): Promise<void> {
    const [first, last] = [within[0], within.at(-1)];
    if (first === undefined || last === undefined) return;
    const { mailbox, list } = this.#selected;
    const downTo = this.#selected.entry(first).id;
    const before = last + 1 < list.length ? this.#selected.entry(last + 1).id : undefined;
    const budget = { left: mostMails };
    for (const key of keys) {
      const term = termOf(key);
      if (term === null) continue;
      if (this.#found.size >= MOST_SEARCHES) throw new NotInGrammar(`a search may look for ${MOST_SEARCHES} texts`);
      const search = { scope: { mailboxId: mailbox.id }, query: [term], before, downTo, budget, cancelSignal };
      const ids = await findIds(ctx, search);
      if (ids === null && !cancelSignal.isCancelled) {
        const { missing } = await ctx.store.texts.progress();
        throw new SearchTooLarge(`${missing} messages wait for the search: try again later, or in fewer messages`);
      }
      this.#found.set(key, ids ?? new Set());
    }
  }

  /** Returns the indexes, ascending, outside of which nothing can match. */
  within(key: SearchKey): readonly number[] {
    const sets = (key.kind === 'and' ? key.keys : [key]).filter((inner) => inner.kind === 'set');
    const [narrowest] = sets.map((set) => [...this.#indexes(set)]).sort((a, b) => a.length - b.length);
    return narrowest ?? Array.from({ length: this.#selected.list.length }, (_, index) => index);
  }

  verdict(key: SearchKey, candidate: Candidate): Verdict {
    const { row, index } = candidate;
    const selected = this.#selected;
    switch (key.kind) {
      case 'all':
        return true;
      case 'and':
        return this.#all(key.keys, candidate);
      case 'or': {
        const [one, other] = [this.verdict(key.one, candidate), this.verdict(key.other, candidate)];
        if (one === true || other === true) return true;
        return one === null || other === null ? null : false;
      }
      case 'not': {
        const verdict = this.verdict(key.key, candidate);
        return verdict === null ? null : !verdict;
      }
      case 'flag':
        return hasFlag(selected, index, key.flag);
      case 'set':
        return this.#indexes(key).has(index);
      case 'from':
      case 'to':
      case 'cc':
        return holdsAddress(row?.[key.kind] ?? null, key.text);
      case 'subject':
        return holds(row?.subject ?? null, key.text);
      case 'header':
        return this.#isFound(key, index);
      case 'body':
        return words(key.text) === '' || this.#isFound(key, index);
      case 'text':
        if (words(key.text) === '' || this.#isFound(key, index)) return true;
        return candidate.header === null ? null : holds(candidate.header.toString('latin1'), latin1(key.text));
      case 'days':
        if (!key.isSent) return isWithin(key, Math.floor(selected.list.receivedAt(index) / DAY_MS));
        return candidate.header === null ? null : isWithin(key, sentDay(candidate.header));
      case 'larger':
        return selected.list.sizeBytes(index) > key.bytes;
      case 'smaller':
        return selected.list.sizeBytes(index) < key.bytes;
    }
  }

  #all(keys: readonly SearchKey[], candidate: Candidate): Verdict {
    let all: Verdict = true;
    for (const key of keys) {
      const verdict = this.verdict(key, candidate);
      if (verdict === false) return false;
      if (verdict === null) all = null;
    }
    return all;
  }

  #isFound(key: SearchKey, index: number): boolean {
    return this.#found.get(key)?.has(this.#selected.entry(index).id) === true;
  }

  #indexes(key: Extract<SearchKey, { kind: 'set' }>): ReadonlySet<number> {
    const known = this.#sets.get(key) ?? new Set(this.#selected.indexes(key.set, key.isUid));
    this.#sets.set(key, known);
    return known;
  }
}

function hasFlag(selected: SelectedMailbox, index: number, flag: string): boolean {
  switch (flag.toLowerCase()) {
    case '\\seen':
      return selected.list.isRead(index);
    case '\\recent':
      return !selected.list.isRead(index);
    case '\\flagged':
      return selected.list.isStarred(index);
    default: {
      const isSame = (one: string) => tagKey(one) === tagKey(flag);
      const { session, tags } = selected.flags(index);
      return [...session].some(isSame) || tags.some((tag) => isKeyword(tag) && isSame(tag));
    }
  }
}

function holds(text: string | null, part: string): boolean {
  return part === '' || text?.toLowerCase().includes(part.toLowerCase()) === true;
}

/** Tells whether an address field has a text, as it is written or without the comments in its addresses. */
function holdsAddress(list: string | null, part: string): boolean {
  if (holds(list, part)) return true;
  return list !== null && /[(\s]@|@[(\s]/.test(list) && readAddresses(list).some(({ address }) => holds(address, part));
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function isWithin({ from, to }: Extract<SearchKey, { kind: 'days' }>, day: number | null): boolean {
  return day !== null && day >= from && day < to;
}

/** Returns the day of the Date field in the sender's zone, in days since 1970. Null if there is none. */
function sentDay(header: Buffer): number | null {
  const field = fieldsOf(header).find(({ name }) => name === 'date');
  const date = field === undefined ? null : readMailDate(unfolded(field.bytes.subarray(field.bytes.indexOf(':') + 1)));
  return date === null ? null : Math.floor((date.time + date.offsetMinutes * 60_000) / DAY_MS);
}
