import { nextUid } from '../domain/ids.ts';
import { countFromCounters } from '../reading/mailbox-listing.ts';
import { SYSTEM_FLAGS } from './flags.ts';
import { SelectedMailbox, type ToldFacts, uidValidityOf } from './selected.ts';

/** The messages up to which a mailbox is listed when it is opened. */
const LISTED_AT_ONCE = 1_000;

type Place = Parameters<typeof SelectedMailbox.open>;

/** The facts that SELECT tells. */
interface Facts {
  readonly length: number;
  readonly unread: number;
  /** The number of the first unread message. 0 if there is none, or if it is not known. */
  readonly firstUnread: number;
  readonly keywords: ReadonlySet<string>;
  readonly uidNext: number;
  readonly uidValidity: number;
}

/**
 * A mailbox that a client has opened. What it is told of a large one comes from counters, so it costs as much as for a
 * small one. The first command that needs the messages lists them.
 */
export class OpenedMailbox {
  readonly #place: Place;
  #told: (ToldFacts & { readonly unread: number }) | null = null;
  #selected: SelectedMailbox | null = null;

  private constructor(place: Place) {
    this.#place = place;
  }

  /** Opens a mailbox. Throws `ListsAreFull`, as {@link list} does. */
  static async open(...place: Place): Promise<OpenedMailbox> {
    const opened = new OpenedMailbox(place);
    await opened.#count();
    if (opened.#told === null) opened.#selected = await SelectedMailbox.open(...place);
    return opened;
  }

  /** The messages, if they are listed. */
  get selected(): SelectedMailbox | null {
    return this.#selected;
  }

  async list(): Promise<SelectedMailbox> {
    this.#selected ??= await (this.#told === null
      ? SelectedMailbox.open(...this.#place)
      : SelectedMailbox.listAfter(this.#told, ...this.#place));
    return this.#selected;
  }

  /** Writes what SELECT tells. */
  async answer(): Promise<string> {
    const { length, unread, firstUnread, keywords, uidNext, uidValidity } = await this.#facts();
    const [, , isReadOnly] = this.#place;
    const lasting = isReadOnly ? '' : ['\\Seen', '\\Flagged', ...keywords, '\\*'].join(' ');
    return [
      `* FLAGS (${[...SYSTEM_FLAGS, ...keywords].join(' ')})`,
      `* ${length} EXISTS`,
      `* ${unread} RECENT`,
      ...(firstUnread > 0 ? [`* OK [UNSEEN ${firstUnread}] the first unread message`] : []),
      `* OK [PERMANENTFLAGS (${lasting})] others last as long as the session`,
      `* OK [UIDNEXT ${uidNext}] the next UID`,
      `* OK [UIDVALIDITY ${uidValidity}] UIDs are valid`,
      '',
    ].join('\r\n');
  }

  end(): void {
    this.#selected?.end();
  }

  async #facts(): Promise<Facts> {
    const selected = this.#selected;
    if (selected !== null) {
      const { keywords, uidValidity } = selected;
      const { length, unread } = selected.list;
      const firstUnread = selected.firstUnread();
      return { length, unread, firstUnread, keywords, uidNext: await selected.uidNext(), uidValidity };
    }
    const { count = 0, unread = 0, lastId = null } = this.#told ?? {};
    return {
      length: count,
      unread,
      firstUnread: unread === count ? 1 : 0,
      // They are told before the first message that has one.
      keywords: new Set(),
      uidNext: nextUid(lastId),
      uidValidity: uidValidityOf(this.#place[1].id),
    };
  }

  /** Counts the messages, unless they are to be listed at once: they are few, or there are text messages too. */
  async #count(): Promise<void> {
    const [ctx, { id }, , , room] = this.#place;
    const reader = await ctx.store.readNow();
    const position = await reader.events.lastId();
    for (let lastId = await reader.messages.lastId(id); lastId !== null; ) {
      const found = await countFromCounters(ctx, id, reader);
      // A client whose list has no room learns it now.
      if (found === null || found.all <= LISTED_AT_ONCE || found.all > room.left) return;
      const last = await reader.messages.lastId(id);
      // Mail that comes meanwhile may be counted, so its id has to be known.
      if (last === lastId) this.#told = { count: found.all, unread: found.unread, lastId, position };
      if (last === lastId) return;
      lastId = last;
    }
  }
}
