import { setImmediate } from 'node:timers/promises';
import { unlessGone } from '../actions/read-message.ts';
import type { Context } from '../context.ts';
import type { MailboxId, MessageId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import { momentNow } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import type { MailboxListing } from '../reading/mailbox-listing.ts';
import { AddedOctets } from './mail-lines.ts';

/** The messages that are looked at before others have their turn, and the most bytes of theirs that are read together. */
const BATCH = 50;
const SMALL_BYTES = 64 * 1024;
/** The mailboxes whose sizes are known, and the mails with added octets that are remembered in all of them. */
const MOST_MAILBOXES = 1_000;
const MOST_MAILS = 500_000;

/** The octets that each mail of a mailbox gets when it is sent. A mail that gets none is not listed. */
export type AddedSizes = ReadonlyMap<MessageId, number>;

interface Known {
  /** The newest message that was looked at. */
  upTo: string;
  readonly added: Map<MessageId, number>;
  /** The last look, which the next one waits for. */
  looking: Promise<void>;
}

/**
 * The sizes of mails as POP3 sends them: with a CR before each LF (RFC 1939 11). A mail has to be read for that, so each
 * is read once, when a client first asks for the sizes of its mailbox: most mails are never read over POP3.
 */
export class SentSizes {
  readonly #ctx: Context;
  readonly #known = new Map<MailboxId, Known>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Returns what the mails of a list get. It reads those that came since it was asked last. */
  async of(mailboxId: MailboxId, list: MailboxListing, cancelSignal: CancelSignal): Promise<AddedSizes> {
    const known = this.#known.get(mailboxId) ?? { upTo: '', added: new Map(), looking: Promise.resolve() };
    // A map keeps the order in which its entries came, so the first is the one that was used least.
    this.#known.delete(mailboxId);
    this.#known.set(mailboxId, known);
    known.looking = known.looking.catch(() => {}).then(() => this.#look(known, list, cancelSignal));
    await known.looking;
    this.#makeRoom(mailboxId);
    return known.added;
  }

  async #look(known: Known, list: MailboxListing, cancelSignal: CancelSignal): Promise<void> {
    const first = list.length === 0 ? '' : list.id(0);
    for (const id of known.added.keys()) if (id < first) known.added.delete(id);
    let from = list.length;
    while (from > 0 && list.id(from - 1) > known.upTo) from--;
    for (; from < list.length && !cancelSignal.isCancelled; from += BATCH) {
      const end = Math.min(from + BATCH, list.length);
      const ids = Array.from({ length: end - from }, (_, nth) => list.id(from + nth));
      const rows = await this.#ctx.store.read.messages.many(ids, momentNow(this.#ctx.clock));
      for (const [id, added] of await this.#count(rows.filter((row) => row !== null)))
        if (added > 0) known.added.set(id, added);
      known.upTo = ids.at(-1) ?? known.upTo;
      await setImmediate();
    }
  }

  async #count(rows: readonly Message[]): Promise<[MessageId, number][]> {
    const { blobs } = this.#ctx.store;
    const small = rows.filter(({ sizeBytes }) => sizeBytes <= SMALL_BYTES);
    const read = await blobs.readSmall(small.map(({ raw }) => raw));
    const found = new Map(small.map(({ id }, index) => [id, read[index] ?? null]));
    const counted: [MessageId, number][] = [];
    for (const row of rows) {
      const count = new AddedOctets();
      const bytes = found.get(row.id) ?? null;
      if (bytes !== null) count.next(bytes);
      else
        await unlessGone(this.#ctx, row, async () => {
          for await (const chunk of blobs.stream(row.raw)) count.next(chunk);
        });
      counted.push([row.id, count.end()]);
    }
    return counted;
  }

  #makeRoom(asked: MailboxId): void {
    let mails = 0;
    for (const { added } of this.#known.values()) mails += added.size;
    for (const [id, { added }] of this.#known) {
      if (id === asked || (mails <= MOST_MAILS && this.#known.size <= MOST_MAILBOXES)) return;
      this.#known.delete(id);
      mails -= added.size;
    }
  }
}
