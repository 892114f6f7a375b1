import { ALL_MAIL, type ShellApi } from './api.ts';
import type { MessageListController } from './message-list-controller.ts';
import { NO_MARKS, type OpenState, type RowMarks, type WebRow, type WebState } from './state.ts';

/** A message whose marks are known. */
type Marked = Pick<WebRow, 'id' | 'mailboxId' | 'copies'>;

/** A change of marks. What it leaves out stays. */
interface MarkChange extends Partial<Pick<RowMarks, 'read' | 'starred'>> {
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
}

/** The parts of the page that marks change. */
export interface MarksHost {
  readonly api: ShellApi;
  readonly mail: MessageListController;
  readonly state: { readonly value: WebState };
  readonly server: { reloadMailboxes(): void };
  patch(change: Partial<WebState>): void;
  /** Runs a call, and shows the error if it fails. Returns null then. */
  attempt<T>(act: () => Promise<T>): Promise<T | null>;
  /** Runs a call that nobody asked for, and says nothing if it fails. Returns null then. */
  attemptQuietly<T>(act: () => Promise<T>): Promise<T | null>;
}

/** Marks messages on the server. The page shows the marks at once, and takes them back if the server refuses them. */
export class MessageMarks {
  readonly #host: MarksHost;

  constructor(host: MarksHost) {
    this.#host = host;
  }

  /** Marks messages as read or as unread. */
  read(messages: readonly Marked[], read: boolean): void {
    void this.#mark(messages, { read });
  }

  /** Marks a message as read because it was opened. If the server can't store that, the message stays unread. */
  opened(message: Marked): void {
    void this.#mark([message], { read: true }, (act) => this.#host.attemptQuietly(act));
  }

  /** Gives messages a star, or takes it away. */
  star(messages: readonly Marked[], starred: boolean): void {
    void this.#mark(messages, { starred });
  }

  /** Gives a message more tags. */
  addTags(message: Marked, tags: readonly string[]): void {
    void this.#mark([message], { addTags: tags });
  }

  /** Takes a tag from a message. */
  removeTag(message: Marked, tag: string): void {
    void this.#mark([message], { removeTags: [tag] });
  }

  /** Marks all messages of a mailbox, or of all mailboxes, as read. */
  async readAll(mailboxId: string): Promise<void> {
    const where = mailboxId === ALL_MAIL ? {} : { mailboxId };
    const query = 'is:unread';
    const done = await this.#host.attempt(() => this.#host.api.markMessages({ ...where, query, read: true }));
    if (done !== null) this.#host.server.reloadMailboxes();
  }

  /** Gives a message that was loaded the marks of its row. The row follows the feed; the message may have been read before. */
  latest(open: OpenState): OpenState {
    const row = this.#rowOf(open.id);
    if (row === undefined || open.facts === null) return open;
    const { read, starred, tags } = row;
    return { ...open, facts: { ...open.facts, read, starred, tags: [...tags] } };
  }

  /** Takes the marks that the server reported. Returns whether the unread counts are exact after it. */
  told(mailboxId: string, marked: ReadonlyMap<string, RowMarks>, isCounted: boolean): boolean {
    const known = this.#apply(mailboxId, marked, isCounted);
    return isCounted || known === marked.size;
  }

  async #mark(
    given: readonly Marked[],
    change: MarkChange,
    attempt: MarksHost['attempt'] = (act) => this.#host.attempt(act),
  ): Promise<void> {
    const messages = this.#host.mail.withCopies(given);
    const before = new Map<string, RowMarks>();
    const byMailbox = new Map<string, Map<string, RowMarks>>();
    for (const { id, mailboxId } of messages) {
      const marks = this.#marksOf(id);
      if (marks === null) continue;
      before.set(id, marks);
      const mailbox = byMailbox.get(mailboxId) ?? new Map<string, RowMarks>();
      byMailbox.set(mailboxId, mailbox.set(id, changed(marks, change)));
    }
    for (const [mailboxId, marked] of byMailbox) this.#apply(mailboxId, marked, false);
    const ids = messages.map(({ id }) => id);
    const done = await attempt(() => this.#host.api.markMessages({ ids, ...change }));
    if (done !== null) return;
    for (const [mailboxId, marked] of byMailbox)
      this.#apply(mailboxId, new Map([...marked.keys()].map((id) => [id, before.get(id) ?? NO_MARKS])), false);
  }

  #rowOf(id: string): WebRow | undefined {
    return this.#host.mail.copiesOf(id).find((one) => one.id === id);
  }

  /** Returns the marks of a message that the page shows. Null if it shows none. */
  #marksOf(id: string): RowMarks | null {
    const { open } = this.#host.state.value;
    const row = this.#rowOf(id);
    const marked = row ?? (open?.id === id ? open.facts : null);
    if (marked === null) return null;
    const { read, starred, tags } = marked;
    return { read, starred, tags };
  }

  /** Shows marks. Returns the number of messages whose marks were known before, and thus are counted. */
  #apply(mailboxId: string, marked: ReadonlyMap<string, RowMarks>, isCounted: boolean): number {
    let known = 0;
    let more = 0;
    for (const [id, { read }] of marked) {
      const before = this.#marksOf(id);
      if (before === null) continue;
      known++;
      more += Number(before.read) - Number(read);
    }
    this.#host.mail.marked(marked);
    const { open, mailboxes } = this.#host.state.value;
    const now = open === null ? undefined : marked.get(open.id);
    if (open?.facts && now !== undefined)
      this.#host.patch({ open: { ...open, facts: { ...open.facts, ...now, tags: [...now.tags] } } });
    if (!isCounted && more !== 0) this.#host.patch({ mailboxes: withMoreUnread(mailboxes, mailboxId, more) });
    return known;
  }
}

/** Returns the marks after a change. The server may write a tag as others do, and tells it then. */
function changed({ read, starred, tags }: RowMarks, change: MarkChange): RowMarks {
  const { addTags = [], removeTags = [] } = change;
  const added = addTags.filter((tag) => !tags.some((known) => isSameTag(known, tag)));
  return {
    read: change.read ?? read,
    starred: change.starred ?? starred,
    tags: [...tags, ...added].filter((tag) => !removeTags.some((removed) => isSameTag(removed, tag))),
  };
}

function isSameTag(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function withMoreUnread(mailboxes: WebState['mailboxes'], id: string, more: number): WebState['mailboxes'] {
  return mailboxes.map((one) => (one.id === id ? { ...one, unreadCount: Math.max(0, one.unreadCount + more) } : one));
}
