import { setImmediate } from 'node:timers/promises';
import { deleteOfWorkspace } from '../actions/delete-messages.ts';
import { markEach, markMessage } from '../actions/mark-messages.ts';
import { unlessGone } from '../actions/read-message.ts';
import { putMessage } from '../actions/receive-message.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../domain/errors.ts';
import { matchesGlob, parseGlob } from '../domain/glob.ts';
import { nextUid, uidOf } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { MarkChange } from '../domain/marks.ts';
import { momentNow } from '../ports/system.ts';
import type { LineConnection } from '../reading/line-connection.ts';
import { TOO_LONG } from '../reading/line-connection.ts';
import { ListsAreFull } from '../reading/list-room.ts';
import { countEmails } from '../reading/mailbox-listing.ts';
import { isOfBrowser, readPlain, type SignIn, SignInRefused, signInOf } from '../reading/sign-in.ts';
import type { ServerTls } from '../smtp/tls.ts';
import { VERSION } from '../version.ts';
import { type FetchMemory, fetchMessages } from './fetch.ts';
import { CommandUnfit, isKeyword, type SortedFlags, sortFlags, writeFlags } from './flags.ts';
import { type FlagChange, type ImapCommand, NotInGrammar, parseCommand, tagOf } from './grammar.ts';
import { OpenedMailbox } from './opened.ts';
import { readCommand, type SentCommand } from './read-command.ts';
import { SearchTooLarge, searchSelected } from './search.ts';
import { type Entry, type SelectedMailbox, uidValidityOf } from './selected.ts';
import { setOf, string } from './write.ts';

/** The commands in a row that make no sense, after which the connection ends. */
const MOST_BAD = 20;
/** A line of SASL. */
const MOST_LINE_BYTES = 4_096;
/** The messages of one change. Others may change something in between. */
const BATCH = 1_000;
/** The flags that a session may give a message besides the marks of the server. */
const MOST_SESSION_FLAGS = 50;

/** A refused command. The text goes behind `NO`. */
class No extends Error {
  override readonly name = 'No';
}

type Named<Name extends ImapCommand['name']> = ImapCommand & { readonly name: Name };

/** An IMAP connection (RFC 3501). Each command is run and answered before the next one is read. */
export class ImapSession {
  readonly #ctx: Context;
  readonly #connection: LineConnection;
  readonly #tls: ServerTls;
  readonly #memory: FetchMemory;
  readonly #openMailbox: SignIn;
  #mailbox: Mailbox | null = null;
  #opened: OpenedMailbox | null = null;
  #isLeaving = false;
  #beginTls: (() => Promise<void>) | null = null;

  constructor(ctx: Context, connection: LineConnection, tls: ServerTls, memory: FetchMemory) {
    this.#ctx = ctx;
    this.#connection = connection;
    this.#tls = tls;
    this.#memory = memory;
    this.#openMailbox = signInOf(ctx, connection, 'imap');
  }

  async serve(): Promise<void> {
    try {
      await this.#write(`* OK [CAPABILITY ${this.#capabilities()}] mailcap\r\n`);
      for (let bad = 0; !this.#isLeaving; ) {
        const isSense = await this.#next();
        bad = isSense ? 0 : bad + 1;
        if (bad < MOST_BAD) continue;
        await this.#write('* BYE too many wrong commands\r\n');
        return;
      }
    } finally {
      this.#unselect();
    }
  }

  /** Reads a command and answers it. Returns false if it makes no sense. */
  async #next(): Promise<boolean> {
    const sent = await readCommand(this.#connection);
    if (sent.kind === 'end') {
      this.#isLeaving = true;
      return true;
    }
    if (sent.kind === 'append') return this.#answer(sent.start.tag, 'APPEND', () => this.#append(sent));
    if (this.#mailbox === null && isOfBrowser(sent.text)) {
      this.#isLeaving = true;
      return true;
    }
    let command: ImapCommand;
    try {
      if (sent.kind === 'wrong') throw new NotInGrammar(sent.why);
      command = parseCommand(sent.text);
    } catch (error) {
      if (!(error instanceof NotInGrammar)) throw error;
      await this.#write(`${tagOf(sent.text) ?? '*'} BAD ${error.message}\r\n`);
      return false;
    }
    return this.#answer(command.tag, command.name, () => this.#run(command));
  }

  async #answer(tag: string, name: ImapCommand['name'] | 'APPEND', run: () => Promise<string>): Promise<boolean> {
    let reply: string;
    let isSense = true;
    try {
      reply = `OK ${await run()}`;
    } catch (error) {
      reply = this.#replyTo(error);
      isSense = !reply.startsWith('BAD');
    }
    const selected = this.#selected;
    if (selected?.lost) {
      await this.#write(`* BYE ${selected.lost}\r\n`);
      this.#isLeaving = true;
      return true;
    }
    const keepsNumbers = name === 'FETCH' || name === 'STORE' || name === 'SEARCH';
    await this.#write(`${selected?.takeNews(!keepsNumbers) ?? ''}${tag} ${reply}\r\n`);
    const beginTls = this.#beginTls;
    this.#beginTls = null;
    await beginTls?.();
    return isSense;
  }

  #replyTo(error: unknown): string {
    if (error instanceof No) return `NO ${error.message}`;
    if (error instanceof CommandUnfit || error instanceof NotInGrammar) return `BAD ${error.message}`;
    if (error instanceof ListsAreFull || error instanceof SearchTooLarge) return `NO [LIMIT] ${error.message}`;
    if (error instanceof SignInRefused) {
      this.#isLeaving ||= error.isLast;
      return `NO [AUTHENTICATIONFAILED] ${error.message}`;
    }
    if (error instanceof ApiError)
      return `NO ${REPLIES[error.code] ?? '[UNAVAILABLE] the mailbox is not available now'}`;
    // Once the connection is cut, the store may be closed already.
    if (!this.#connection.isCancelled) this.#ctx.log.error('a command of IMAP failed', { error });
    return 'NO [UNAVAILABLE] the server failed';
  }

  /** Runs a command. Returns the text behind `OK`. */
  async #run(command: ImapCommand): Promise<string> {
    switch (command.name) {
      // Any state (RFC 3501 6.1)
      case 'CAPABILITY':
        await this.#write(`* CAPABILITY ${this.#capabilities()}\r\n`);
        return 'done';
      case 'NOOP':
      case 'CHECK':
        if (command.name === 'CHECK') await this.#inMailbox();
        await (await this.#opened?.list())?.refresh();
        return 'done';
      case 'LOGOUT':
        this.#isLeaving = true;
        this.#unselect();
        await this.#write('* BYE see you\r\n');
        return 'done';
      case 'ID':
        await this.#write(`* ID ("name" "mailcap" "version" ${string(VERSION)})\r\n`);
        return 'done';
      // Not signed in (6.2)
      case 'STARTTLS':
        return this.#startTls();
      case 'LOGIN':
        this.#isUnknown();
        return this.#signIn(command.user, command.password);
      case 'AUTHENTICATE':
        this.#isUnknown();
        return this.#authenticate(command);
      default:
        return this.#runSignedIn(command, this.#signedIn());
    }
  }

  async #runSignedIn(command: ImapCommand, mailbox: Mailbox): Promise<string> {
    switch (command.name) {
      // Signed in (6.3)
      case 'SELECT':
      case 'EXAMINE':
        return this.#select(command.mailbox, command.name === 'EXAMINE', mailbox);
      case 'CREATE':
      case 'DELETE':
      case 'RENAME':
        throw new No('[CANNOT] a mailbox of mailcap has one folder, INBOX: use keywords');
      case 'SUBSCRIBE':
      case 'UNSUBSCRIBE':
        this.#requireInbox(command.mailbox);
        return 'INBOX is always subscribed';
      case 'LIST':
      case 'LSUB':
        return this.#list(command);
      case 'NAMESPACE':
        await this.#write('* NAMESPACE (("" "/")) NIL NIL\r\n');
        return 'done';
      case 'STATUS':
        return this.#status(command, mailbox);
      case 'IDLE':
        return this.#idle();
      default:
        // Nothing is deleted in a mailbox that nobody has listed.
        if ((command.name === 'CLOSE' || command.name === 'UNSELECT') && this.#opened?.selected === null) {
          this.#unselect();
          return 'closed';
        }
        return this.#runSelected(command, await this.#inMailbox());
    }
  }

  async #runSelected(command: ImapCommand, selected: SelectedMailbox): Promise<string> {
    switch (command.name) {
      // SelectedMailbox (6.4)
      case 'CLOSE':
        if (!selected.isReadOnly) await this.#expunge(selected, null);
        this.#unselect();
        return 'closed';
      case 'UNSELECT':
        this.#unselect();
        return 'closed';
      case 'EXPUNGE':
        this.#mayWrite(selected);
        await this.#expunge(selected, command.uids === null ? null : new Set(selected.indexes(command.uids, true)));
        return 'done';
      case 'FETCH':
        return this.#fetch(command, selected);
      case 'SEARCH':
        return this.#search(command, selected);
      case 'STORE':
        return this.#store(command, selected);
      case 'COPY':
      case 'MOVE':
        return this.#copy(command, selected);
      default:
        throw new CommandUnfit('the command is unknown');
    }
  }

  #capabilities(): string {
    const list = ['IMAP4rev1', 'LITERAL+', 'ID', 'IDLE', 'NAMESPACE', 'UIDPLUS', 'MOVE', 'CHILDREN', 'UNSELECT'];
    if (this.#mailbox !== null) return list.join(' ');
    list.push('SASL-IR', 'AUTH=PLAIN');
    if (this.#tls.isOffered && !this.#connection.isEncrypted) list.push('STARTTLS');
    return list.join(' ');
  }

  async #startTls(): Promise<string> {
    this.#isUnknown();
    if (this.#connection.isEncrypted) throw new CommandUnfit('TLS is active already');
    if (this.#ctx.config.starttls === 'off') throw new No('TLS is turned off');
    const context = await this.#tls.context().catch(() => null);
    if (context === null) throw new No('[UNAVAILABLE] TLS is not available');
    // The handshake begins behind the answer.
    this.#beginTls = () => this.#connection.startTls(context);
    return 'begin TLS';
  }

  async #signIn(name: string, password: string): Promise<string> {
    this.#mailbox = await this.#openMailbox(name, password);
    return `[CAPABILITY ${this.#capabilities()}] signed in`;
  }

  async #authenticate({ mechanism, initial }: Named<'AUTHENTICATE'>): Promise<string> {
    if (mechanism !== 'PLAIN') throw new No('[CANNOT] the mechanism is PLAIN');
    let response = initial;
    if (response === null) {
      await this.#write('+ \r\n');
      const line = await this.#connection.readLine(MOST_LINE_BYTES);
      response = line === null || line === TOO_LONG ? '*' : line.toString('latin1');
    }
    if (response === '*') throw new CommandUnfit('the sign-in was cancelled');
    const plain = readPlain(response);
    if (plain === null) throw new CommandUnfit('the response is no PLAIN of base64 for the user alone');
    return this.#signIn(plain.name, plain.password);
  }

  async #select(folder: string, isReadOnly: boolean, mailbox: Mailbox): Promise<string> {
    this.#unselect();
    this.#requireInbox(folder);
    const { lists } = this.#memory;
    this.#opened = await OpenedMailbox.open(this.#ctx, mailbox, isReadOnly, this.#connection, lists);
    await this.#write(await this.#opened.answer());
    return `[READ-${isReadOnly ? 'ONLY' : 'WRITE'}] INBOX is open`;
  }

  /** The messages of the mailbox that the client has opened, if a command has listed them. */
  get #selected(): SelectedMailbox | null {
    return this.#opened?.selected ?? null;
  }

  async #list({ name, reference, pattern }: Named<'LIST' | 'LSUB'>): Promise<string> {
    if (pattern === '') await this.#write(`* ${name} (\\Noselect) "/" ""\r\n`);
    // There is no hierarchy, so % stands for as much as *.
    else if (matchesGlob(parseGlob((reference + pattern).replaceAll('%', '*')), 'inbox'))
      await this.#write(`* ${name} (\\HasNoChildren) "/" INBOX\r\n`);
    return 'done';
  }

  async #status({ mailbox, items }: Named<'STATUS'>, { id }: Mailbox): Promise<string> {
    this.#requireInbox(mailbox);
    const { messages } = await this.#ctx.store.readNow();
    const { all, unread } = await countEmails(this.#ctx, id, this.#connection);
    const values = {
      MESSAGES: all,
      RECENT: unread,
      UNSEEN: unread,
      UIDNEXT: nextUid(await messages.lastId(id)),
      UIDVALIDITY: uidValidityOf(id),
    };
    await this.#write(`* STATUS INBOX (${items.map((item) => `${item} ${values[item]}`).join(' ')})\r\n`);
    return 'done';
  }

  /** Tells news as they come, until the client says DONE (RFC 2177). */
  async #idle(): Promise<string> {
    const selected = (await this.#opened?.list()) ?? null;
    let isIdle = true;
    let isTelling = false;
    const news = (): string => (isIdle ? (selected?.takeNews(true) ?? '') : '');
    const tell = async (): Promise<void> => {
      // What a client that reads nothing is not told yet stays in its list, and takes no memory of its connection.
      if (isTelling) return;
      isTelling = true;
      for (let some = news(); some !== ''; some = news()) await this.#write(some);
      isTelling = false;
      // The connection ends with the command that follows.
      if (selected?.lost) this.#connection.retire(`* BYE ${selected.lost}\r\n`);
    };
    await this.#write('+ idling\r\n');
    if (selected !== null) {
      selected.onNews = () => void tell();
      await selected.refresh();
      void tell();
    }
    const line = await this.#connection.readLine(MOST_LINE_BYTES);
    isIdle = false;
    if (selected !== null) selected.onNews = () => {};
    if (line === null) this.#isLeaving = true;
    else if (line === TOO_LONG || line.toString('latin1').trim().toUpperCase() !== 'DONE')
      throw new CommandUnfit('expected DONE');
    return 'done';
  }

  async #expunge(selected: SelectedMailbox, within: ReadonlySet<number> | null): Promise<void> {
    const deleted = selected.withSessionFlag('\\Deleted');
    const doomed = within === null ? deleted : deleted.filter(({ index }) => within.has(index));
    await this.#delete(selected, doomed);
  }

  async #delete(selected: SelectedMailbox, doomed: readonly Entry[]): Promise<void> {
    if (doomed.length === 0) return;
    const ids = doomed.map(({ id }) => id);
    await deleteOfWorkspace(this.#ctx, selected.mailbox.workspaceId, ids);
    // Another client may have deleted some of them before.
    for (const entry of doomed) selected.lose(entry);
    await selected.refresh();
  }

  async #fetch({ set, isUid, items }: Named<'FETCH'>, selected: SelectedMailbox): Promise<string> {
    // An item that is asked for a thousand times is answered once.
    const asked = [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
    const all = isUid && !asked.some(({ kind }) => kind === 'UID') ? [{ kind: 'UID' } as const, ...asked] : asked;
    const fetch = { ctx: this.#ctx, connection: this.#connection, memory: this.#memory, selected, items: all };
    const isWhole = await fetchMessages(fetch, this.#indexes(selected, set, isUid));
    if (!isWhole) throw new No('[EXPUNGEISSUED] some messages are gone');
    return 'done';
  }

  async #search({ charset, key, isUid }: Named<'SEARCH'>, selected: SelectedMailbox): Promise<string> {
    if (charset !== null && !/^(?:utf-8|us-ascii)$/i.test(charset))
      throw new No('[BADCHARSET (UTF-8 US-ASCII)] the charset is UTF-8');
    const found = await searchSelected(this.#ctx, this.#connection, selected, key);
    const numbers = isUid ? found.map((index) => selected.uid(index)) : found.map((index) => index + 1);
    await this.#write(`* SEARCH${numbers.map((number) => ` ${number}`).join('')}\r\n`);
    return 'done';
  }

  async #store(command: Named<'STORE'>, selected: SelectedMailbox): Promise<string> {
    this.#mayWrite(selected);
    const { set, isUid, isSilent } = command;
    const indexes = this.#indexes(selected, set, isUid);
    for (let at = 0; at < indexes.length && !this.#connection.isCancelled; at += BATCH) {
      const some = indexes.slice(at, at + BATCH);
      const entries = some.map((index) => selected.entry(index));
      await this.#change(selected, entries, command);
      // A change of the session alone waits for nothing, so others would have no turn.
      await setImmediate();
      selected.forget(entries);
      if (isSilent) continue;
      const answers = some.map((index) => {
        const flags = writeFlags(selected.flags(index));
        return `* ${index + 1} FETCH (${isUid ? `UID ${selected.uid(index)} ` : ''}FLAGS ${flags})\r\n`;
      });
      await this.#write(selected.takeKeywords() + answers.join(''));
    }
    return 'done';
  }

  /** Changes the marks of messages in the store, and the other flags in the session. */
  async #change(selected: SelectedMailbox, entries: readonly Entry[], { how, flags }: FlagChange): Promise<void> {
    const asked = sortFlags(flags);
    const isAdded = how !== 'remove';
    let change: MarkChange;
    if (how === 'set') {
      const tags = new Set(asked.tags.map((tag) => tag.toLowerCase()));
      // Tags that are no keywords are not the client's to remove: it has never seen them.
      const seen = new Set(entries.flatMap(({ index }) => selected.list.tags(index).filter(isKeyword)));
      const removeTags = [...seen].filter((tag) => !tags.has(tag.toLowerCase()));
      change = { read: asked.isRead, starred: asked.isStarred, addTags: asked.tags, removeTags };
    } else {
      change = {
        ...(asked.isRead && { read: isAdded }),
        ...(asked.isStarred && { starred: isAdded }),
        ...(asked.tags.length > 0 && (isAdded ? { addTags: asked.tags } : { removeTags: asked.tags })),
      };
    }
    // Messages with the same flags share them, because a command may name a million messages.
    const changed = new Map<ReadonlySet<string> | null, ReadonlySet<string>>();
    if (how === 'set' || asked.session.length > 0)
      for (const entry of entries) {
        const before = how === 'set' ? null : selected.sessionFlags(entry);
        const session = changed.get(before) ?? sessionFlags(before, asked.session, isAdded);
        changed.set(before, session);
        selected.setSession(entry, session);
      }
    if (Object.keys(change).length === 0) return;
    const ids = entries.map(({ id }) => id);
    const { workspaceId } = selected.mailbox;
    const { skipped } = await markEach(this.#ctx, ids, change, { workspaceId, cancelSignal: this.#connection });
    await selected.refresh();
    if (skipped > 0) throw new No('[LIMIT] some messages have too many tags already');
  }

  async #append({ start, bytes, waits }: Extract<SentCommand, { kind: 'append' }>): Promise<string> {
    const connection = this.#connection;
    const mailbox = this.#mailbox;
    let left = bytes;
    let isOver = false;
    const refuse = async (error: unknown): Promise<never> => {
      // Who waits to be told to go on is told no. Anybody else has sent the message already.
      if (!waits) for await (const _chunk of connection.readBytes(left));
      if (!waits) await connection.readLine(MOST_LINE_BYTES);
      throw error;
    };
    if (mailbox === null) return refuse(new CommandUnfit('sign in first'));
    if (start.mailbox.toUpperCase() !== 'INBOX')
      return refuse(new No('[NONEXISTENT] there is no such folder: INBOX is the only one'));
    if (bytes > this.#ctx.config.smtpSize)
      return refuse(new No(`[TOOBIG] a message has at most ${this.#ctx.config.smtpSize} bytes`));
    let asked: SortedFlags;
    try {
      asked = sortFlags(start.flags);
    } catch (error) {
      return refuse(error);
    }
    if (waits) await this.#write('+ go on\r\n');
    async function* counted() {
      for await (const chunk of connection.readBytes(bytes)) {
        left -= chunk.length;
        yield chunk;
      }
      // Half of a message is none.
      if (left > 0) throw new CommandUnfit('the client left within the message');
      isOver = true;
      const rest = await connection.readLine(MOST_LINE_BYTES);
      const more = rest === TOO_LONG ? connection.tooLong : (rest?.toString('latin1') ?? '');
      if (more.trim() !== '') throw new NotInGrammar('expected the end of the command: APPEND takes one message');
    }
    let message: Awaited<ReturnType<typeof putMessage>>;
    try {
      const client = { clientAddress: connection.clientAddress, clientPort: null };
      message = await putMessage(this.#ctx, mailbox, { raw: counted(), ...client });
    } catch (error) {
      for await (const _chunk of connection.readBytes(left));
      if (!isOver) await connection.readLine(MOST_LINE_BYTES);
      // The next bytes may be those of another message. They must not run as commands.
      if (error instanceof NotInGrammar) {
        this.#isLeaving = true;
        await this.#write('* BYE commands can not be told from what follows the message\r\n');
      }
      throw error;
    }
    const change = { read: asked.isRead, starred: asked.isStarred, addTags: asked.tags };
    if (asked.isRead || asked.isStarred || asked.tags.length > 0)
      await this.#ctx.store.transaction((tx) => markMessage(this.#ctx, tx, message, change));
    await this.#selected?.refresh();
    return `[APPENDUID ${uidValidityOf(mailbox.id)} ${uidOf(message.id)}] stored`;
  }

  /** Makes copies of messages in INBOX, the only folder, and removes the originals of a MOVE. */
  async #copy({ name, set, isUid, mailbox }: Named<'COPY' | 'MOVE'>, selected: SelectedMailbox): Promise<string> {
    this.#requireInbox(mailbox);
    if (name === 'MOVE') this.#mayWrite(selected);
    const ctx = this.#ctx;
    const indexes = this.#indexes(selected, set, isUid);
    const entries = indexes.map((index) => selected.entry(index));
    const from: number[] = [];
    const to: number[] = [];
    const copied: Entry[] = [];
    for (const entry of entries) {
      if (this.#connection.isCancelled) break;
      const row = await ctx.store.read.messages.get(entry.id, momentNow(ctx.clock));
      const raw = row === null ? null : await unlessGone(ctx, row, () => ctx.store.blobs.read(row.raw));
      if (row === null || raw === null) {
        selected.lose(entry);
        continue;
      }
      const put = { raw: once(raw), clientAddress: this.#connection.clientAddress, clientPort: null };
      const copy = await putMessage(ctx, selected.mailbox, put);
      const { isRead: read, isStarred: starred, tags } = row;
      if (read || starred || tags.length > 0)
        await ctx.store.transaction((tx) => markMessage(ctx, tx, copy, { read, starred, tags }));
      from.push(selected.uid(entry.index));
      to.push(uidOf(copy.id));
      copied.push(entry);
    }
    if (to.length === 0) return 'nothing to copy';
    const code = `[COPYUID ${selected.uidValidity} ${setOf(from)} ${setOf(to)}]`;
    if (name === 'COPY') {
      await selected.refresh();
      return `${code} copied`;
    }
    await this.#write(`* OK ${code} moved\r\n`);
    await this.#delete(selected, copied);
    return 'done';
  }

  #indexes(selected: SelectedMailbox, set: Named<'FETCH'>['set'], isUid: boolean): number[] {
    const { length } = selected.list;
    const isBeyond = (number: number) => number !== Number.POSITIVE_INFINITY && number > length;
    if (!isUid && set.some(([first, last]) => isBeyond(first) || isBeyond(last) || length === 0))
      throw new CommandUnfit(`INBOX has ${length} messages`);
    return selected.indexes(set, isUid);
  }

  #signedIn(): Mailbox {
    if (this.#mailbox === null) throw new CommandUnfit('sign in first');
    return this.#mailbox;
  }

  #isUnknown(): void {
    if (this.#mailbox !== null) throw new CommandUnfit('you are signed in already');
  }

  async #inMailbox(): Promise<SelectedMailbox> {
    if (this.#opened === null) throw new CommandUnfit('select INBOX first');
    return this.#opened.list();
  }

  #mayWrite({ isReadOnly }: SelectedMailbox): void {
    if (isReadOnly) throw new No('[READ-ONLY] INBOX was opened with EXAMINE');
  }

  #requireInbox(name: string): void {
    if (name.toUpperCase() !== 'INBOX') throw new No('[NONEXISTENT] there is no such folder: INBOX is the only one');
  }

  #unselect(): void {
    this.#opened?.end();
    this.#opened = null;
  }

  async #write(text: string): Promise<void> {
    if (text !== '') await this.#connection.write(Buffer.from(text, 'latin1'));
  }
}

/** Returns the flags of a session that a message has after a change. */
function sessionFlags(
  before: ReadonlySet<string> | null,
  asked: readonly string[],
  isAdded: boolean,
): ReadonlySet<string> {
  const flags = [...(before ?? [])];
  const after = new Set(isAdded ? [...flags, ...asked] : flags.filter((flag) => !asked.includes(flag)));
  if (after.size > MOST_SESSION_FLAGS) throw new No(`[LIMIT] a message has at most ${MOST_SESSION_FLAGS} such flags`);
  return after;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** The replies to errors of the service, by their code. */
const REPLIES: Readonly<Record<string, string>> = {
  not_found: '[NONEXISTENT] the mailbox was deleted',
  invalid_body: '[CANNOT] the message is empty',
  too_many_tags: '[LIMIT] there are too many tags',
  daily_inbound_limit_reached: '[LIMIT] the mailbox has its mail of the day',
  storage_limit_reached: '[OVERQUOTA] the storage of the workspace is full',
  disk_full: '[UNAVAILABLE] the disk is full',
};
