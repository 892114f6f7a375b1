import type { MailboxId, MessageId } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import type { SearchQuery } from '../../domain/search/query.ts';
import type { MessageTexts, PreparedText, TextHit, TextProgress, TextScope, TextStretch } from '../../ports/store.ts';
import type { Log as Logger } from '../../ports/system.ts';
import type { CommittedState } from '../tables/committed-state.ts';
import { idKey } from '../tables/messages/id-key.ts';
import { ID_BYTES } from './block-format.ts';
import { conditionsOf } from './conditions.ts';
import {
  type AddedText,
  type Cover,
  type FindReply,
  type FindRequest,
  idAfter,
  type LibraryStretch,
  MOST_HITS,
} from './library.ts';

/** The error of calls to a thread that ended. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

/** The calls of a {@link TextLibrary}, which runs in a thread of its own. Each change returns the new covers. */
export interface LibraryCalls {
  open(): Promise<readonly Cover[]>;
  add(after: string, texts: readonly AddedText[]): Promise<readonly Cover[]>;
  compare(cover: Cover, ids: Uint8Array): Promise<readonly Cover[]>;
  erase(gone: readonly string[]): Promise<readonly Cover[]>;
  find(request: FindRequest): Promise<FindReply>;
  /** Ends the thread at once. What it was doing is done again by the next one. */
  close(): Promise<void>;
}

interface StoreTextsDeps {
  readonly state: CommittedState;
  /** Tells whether there are texts from before. Without them nothing is started until the first text is added. */
  readonly hasTexts: () => Promise<boolean>;
  readonly start: () => LibraryCalls;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The number of messages up to which a search names those that it wants, so that it looks only at their blocks. */
const FEW_WANTED = 65_536;
/** The number of removed messages from which all ids are compared instead. */
const MANY_GONE = 50_000;

/** The prepared texts of a store whose rows are in memory. It knows which messages have one; the library has the texts. */
export class StoreTexts implements MessageTexts {
  readonly #deps: StoreTextsDeps;
  #calls: LibraryCalls | null = null;
  #opening: Promise<LibraryCalls | null> | null = null;
  #covers: readonly Cover[] = [];
  /** Removed messages that may still have a text. */
  #gone: string[] = [];
  #hasManyGone = false;
  #isNoting = false;
  /** Tells whether the texts could not be kept. The next sweep tries again. */
  #isResting = false;
  #hasTold = false;
  #isClosed = false;

  constructor(deps: StoreTextsDeps) {
    this.#deps = deps;
  }

  /** Reports that a message was removed. */
  removed(id: string): void {
    if (!this.#isNoting || this.#hasManyGone) return;
    this.#gone.push(id);
    if (this.#gone.length < MANY_GONE) return;
    this.#gone = [];
    this.#hasManyGone = true;
  }

  async missing(limit: number): Promise<readonly Message[]> {
    await this.#open();
    const found: Message[] = [];
    if (this.#isResting || this.#isClosed) return found;
    let from = '';
    for (const { after, last } of [...this.#covers, END]) {
      if (after > from) {
        for (const message of this.#deps.state.messages.inOrder.ascending(from)) {
          if (found.length >= limit) return found;
          if (message.id > after) break;
          found.push(message);
        }
      }
      from = last;
    }
    return found;
  }

  async add(texts: readonly PreparedText[]): Promise<void> {
    if (texts.length === 0 || this.#isClosed) return;
    try {
      this.#calls = (await this.#open()) ?? this.#start();
      for (const run of this.#runsOf(texts)) this.#covers = await this.#calls.add(run.after, run.texts);
    } catch (error) {
      this.#rest(error);
    }
  }

  async *find(query: SearchQuery, scope: TextScope): AsyncGenerator<TextStretch, void, void> {
    const calls = await this.#open();
    if (calls === null) {
      yield { downTo: null, found: null };
      return;
    }
    const conditions = conditionsOf(query);
    const only = this.#wantedIn(scope);
    let before: string | null = scope.before ?? null;
    let enough = Math.min(scope.enough ?? MOST_HITS, MOST_HITS);
    for (let isEnd = false; !isEnd; ) {
      const reply: FindReply = await this.#ask(calls, { conditions, before, only, enough });
      enough = MOST_HITS;
      for (const [index, stretch] of reply.stretches.entries()) {
        isEnd = reply.isEnd && index === reply.stretches.length - 1;
        const isEmpty = stretch.ids === null && !this.#hasMessages(scope, stretch.after, before);
        before = idAfter(stretch.after);
        if (!isEmpty)
          yield { downTo: isEnd ? null : (before as MessageId), found: hitsOf(stretch) }; // the id after one
        else if (isEnd) yield { downTo: null, found: [] };
      }
    }
  }

  async progress(): Promise<TextProgress> {
    await this.#open();
    const messages = this.#deps.state.messages.size;
    const texts = this.#covers.reduce((sum, { count }) => sum + count, 0) - this.#gone.length;
    const prepared = Math.max(0, Math.min(messages, texts));
    return { prepared, missing: messages - prepared };
  }

  /** Removes the texts of removed messages. */
  async reclaim(): Promise<void> {
    this.#isResting = false;
    if (this.#isClosed) return;
    try {
      const calls = await this.#open();
      if (calls === null || (this.#gone.length === 0 && !this.#hasManyGone)) return;
      const gone = this.#gone;
      this.#gone = [];
      if (this.#hasManyGone) {
        this.#hasManyGone = false;
        await this.#compareAll(calls);
      }
      this.#covers = await calls.erase(gone);
    } catch (error) {
      this.#rest(error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#calls?.close();
  }

  /** Opens the texts from before, if there are any. Null if there are none, or if they can't be opened. */
  #open(): Promise<LibraryCalls | null> {
    if (this.#calls !== null || this.#isClosed) return Promise.resolve(this.#calls);
    this.#opening ??= this.#openNow().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #openNow(): Promise<LibraryCalls | null> {
    if (this.#isResting || !(await this.#deps.hasTexts())) return null;
    const calls = this.#start();
    try {
      this.#covers = await calls.open();
      await this.#compareAll(calls);
      this.#covers = await calls.erase([]);
      this.#calls = calls;
      return calls;
    } catch (error) {
      await calls.close();
      this.#rest(error);
      return null;
    }
  }

  /** Starts the library. From now on removed messages are noted for it. */
  #start(): LibraryCalls {
    this.#gone = [];
    this.#hasManyGone = false;
    this.#isNoting = true;
    return this.#deps.start();
  }

  /** Compares all texts with the messages that there are. */
  async #compareAll(calls: LibraryCalls): Promise<void> {
    for (const cover of this.#covers) {
      const ids: string[] = [];
      for (const id of this.#deps.state.messages.ids(undefined, cover.after)) {
        if (id > cover.last) break;
        ids.push(id);
      }
      this.#covers = await calls.compare(cover, Buffer.from(ids.join(''), 'latin1'));
    }
  }

  /** Divides texts into runs without another message between them. Texts of removed messages are left out. */
  #runsOf(texts: readonly PreparedText[]): { readonly after: string; readonly texts: readonly AddedText[] }[] {
    const { messages } = this.#deps.state;
    const left = new Map(texts.map((text) => [text.id as string, text]));
    const runs: { readonly after: string; readonly texts: AddedText[] }[] = [];
    for (const first of [...left.keys()].sort()) {
      if (!left.has(first) || messages.get(first) === undefined) continue;
      const [before] = messages.inOrder.descending(first);
      // The message at the end of the last cover may have been removed.
      const covered = this.#covers.findLast(({ last }) => last < first)?.last ?? '';
      const after = before !== undefined && before.id > covered ? before.id : covered;
      const run: AddedText[] = [];
      for (const id of messages.ids(undefined, after)) {
        const text = left.get(id);
        if (text === undefined) break;
        left.delete(id);
        run.push(text);
      }
      runs.push({ after, texts: run });
    }
    return runs;
  }

  /** Returns the ids of the messages in a scope, if they are few. */
  #wantedIn({ mailboxId, workspaceId }: TextScope): Uint8Array | null {
    const { messages, mailboxesByWorkspace } = this.#deps.state;
    const mailboxes: readonly MailboxId[] =
      mailboxId !== undefined
        ? [mailboxId]
        : workspaceId === undefined
          ? []
          : Array.from(mailboxesByWorkspace.of(workspaceId).ascending(), ({ id }) => id);
    const count = mailboxes.reduce((sum, id) => sum + messages.addresses(id).size, 0);
    if ((mailboxId ?? workspaceId) === undefined || count > FEW_WANTED || count > messages.size / 2) return null;
    const ids = mailboxes.flatMap((id) => [...messages.ids(id)]);
    return Buffer.from((mailboxes.length > 1 ? ids.sort() : ids).join(''), 'latin1');
  }

  /** Tells whether a scope has messages above `after` and below `before`. */
  #hasMessages({ mailboxId }: TextScope, after: string, before: string | null): boolean {
    const { messages } = this.#deps.state;
    for (const address of messages.addresses(mailboxId).descending(idKey(before ?? undefined)))
      return messages.idAt(address) > after;
    return false;
  }

  async #ask(calls: LibraryCalls, request: FindRequest): Promise<FindReply> {
    try {
      const reply = await calls.find(request);
      this.#covers = reply.covers;
      return reply;
    } catch (error) {
      this.#rest(error);
      return { stretches: [{ after: '', ids: null, unread: [] }], isEnd: true, covers: [] };
    }
  }

  /** Lets searches read mails until the next sweep, because texts can't be kept now. */
  #rest(error: unknown): void {
    if (this.#isClosed) return;
    this.#isResting = true;
    if (error instanceof ThreadEnded) {
      this.#calls = null;
      this.#covers = [];
    }
    if (this.#hasTold) return;
    this.#hasTold = true;
    this.#deps.logger.warn('the texts for searches can not be kept now, so searches read the mails themselves', {
      error: String(error),
    });
  }
}

/** The end of all ids. */
const END: Cover = { after: '\uffff', last: '\uffff', count: 0 };

function hitsOf({ ids, unread }: LibraryStretch): TextHit[] | null {
  if (ids === null) return null;
  const open = new Set(unread);
  return Array.from({ length: ids.length / ID_BYTES }, (_, index) => ({
    // The cast is safe: the library has the ids of messages.
    id: ids.slice(index * ID_BYTES, (index + 1) * ID_BYTES) as MessageId,
    isSure: !open.has(index),
  }));
}
