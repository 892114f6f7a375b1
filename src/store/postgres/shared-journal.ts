import { JOURNAL_CAPACITY, type SmtpConnection, type SmtpJournal, type SmtpRefusal } from '../../ports/storage.ts';
import type { Clock, Log } from '../../ports/system.ts';
import { parseRow, type RunStatement, statement } from './connection.ts';
import type { Questions } from './shared.ts';

/** The delay in milliseconds before new entries are written. A server that is killed loses the entries of this time. */
const WRITE_MS = 1_000;

// Each server has a ring buffer of slots for each kind.
const WRITE = statement(
  'write journal',
  `insert into smtp_journal (kind, server, slot, number, at, row)
   select entry.kind, $1, entry.number % ${JOURNAL_CAPACITY}, entry.number, entry.at, entry.row
   from unnest($2::text[], $3::bigint[], $4::float8[], $5::text[]) as entry (kind, number, at, row)
   on conflict (kind, server, slot) do update
   set number = excluded.number, at = excluded.at, row = excluded.row`,
);
const READ = statement(
  'read journal',
  `select row from smtp_journal where kind = $1 order by at desc, server desc, number desc limit ${JOURNAL_CAPACITY}`,
);
const CLEAR = statement('clear journal', 'delete from smtp_journal');
const PRUNE = statement(
  'prune journal',
  `delete from smtp_journal using (
     select kind, server, slot, row_number() over (partition by kind order by at desc, server desc, number desc) as place
     from smtp_journal) as entry
   where smtp_journal.kind = entry.kind and smtp_journal.server = entry.server and smtp_journal.slot = entry.slot
     and entry.place > ${JOURNAL_CAPACITY}`,
);

type Kind = 'connection' | 'refusal';

/** An entry of this server. */
interface Entry {
  readonly kind: Kind;
  readonly number: number;
  /** The time in milliseconds since 1970, without the clock offset, which would mix up the order. */
  readonly at: number;
  readonly what: SmtpConnection | SmtpRefusal;
}

interface JournalParts {
  readonly query: RunStatement;
  readonly questions: Questions;
  readonly server: number;
  readonly clock: Pick<Clock, 'after' | 'now' | 'offsetMs'>;
  readonly log: Log;
}

/**
 * The SMTP journal of all servers. Each server keeps its new entries in memory and writes them once a second. Before a
 * read, the server asks all others to write, so that the newest entries are not missing.
 */
export class SharedJournal implements SmtpJournal {
  readonly capacity = JOURNAL_CAPACITY;
  readonly #parts: JournalParts;
  /** The entries whose final form is not in the database yet, the oldest first. */
  readonly #unwritten: Record<Kind, Map<unknown, Entry>> = { connection: new Map(), refusal: new Map() };
  #number = 0;
  #isPlanned = false;
  #cancel = () => {};
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: JournalParts) {
    this.#parts = parts;
    parts.questions.on('write the journal', () => this.#write());
    parts.questions.on('clear the journal', () => this.#forget());
  }

  opened(connection: SmtpConnection): void {
    this.#add('connection', connection);
  }

  closed(connection: SmtpConnection): void {
    if (this.#unwritten.connection.has(connection)) this.#writeLater();
  }

  refused(refusal: SmtpRefusal): void {
    this.#add('refusal', refusal);
  }

  async connections(): Promise<readonly SmtpConnection[]> {
    const rows = await this.#read('connection');
    return rows.map((row) => {
      const { transcript, ...connection } = parseRow<Omit<SmtpConnection, 'transcript'> & { transcript: string[] }>(
        row,
      );
      return { ...connection, transcript: { lines: () => transcript } };
    });
  }

  async refusals(): Promise<readonly SmtpRefusal[]> {
    return (await this.#read('refusal')).map((row) => parseRow<SmtpRefusal>(row));
  }

  async clear(): Promise<void> {
    const { query, questions } = this.#parts;
    await this.#forget();
    await questions.ask('clear the journal');
    await query(CLEAR);
  }

  /** Removes all entries beyond the capacity, counted over all servers. */
  async prune(): Promise<void> {
    await this.#parts.query(PRUNE);
  }

  /** Writes the remaining entries. It never rejects. */
  async close(): Promise<void> {
    this.#cancel();
    await this.#write().catch(() => {});
  }

  #add(kind: Kind, what: SmtpConnection | SmtpRefusal): void {
    const { clock } = this.#parts;
    const entries = this.#unwritten[kind];
    entries.set(what, { kind, number: this.#number++, at: clock.now() - clock.offsetMs(), what });
    // The ring buffer has no slots for more.
    for (const oldest of entries.keys()) {
      if (entries.size <= JOURNAL_CAPACITY) break;
      entries.delete(oldest);
    }
    this.#writeLater();
  }

  #writeLater(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#cancel = this.#parts.clock.after(WRITE_MS, () => {
      this.#write().catch((error: unknown) => {
        // The entries are kept, and written together with the next ones.
        this.#parts.log.debug('the SMTP journal was not written', { error });
      });
    });
  }

  async #read(kind: Kind) {
    const { query, questions } = this.#parts;
    await Promise.all([this.#write(), questions.ask('write the journal')]);
    return query(READ, [kind]);
  }

  /** Drops the entries of this server that are not written yet. */
  async #forget(): Promise<void> {
    for (const entries of Object.values(this.#unwritten)) entries.clear();
    await this.#writing.catch(() => {});
  }

  /** Writes everything that was recorded before the call. */
  #write(): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(() => this.#writeAll());
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    this.#isPlanned = false;
    this.#cancel();
    const { connection, refusal } = this.#unwritten;
    const entries = [...connection.values(), ...refusal.values()];
    if (entries.length === 0) return;
    // An open connection will change, so its entry is kept and written again.
    const done = entries.filter(({ what }) => !('closedAt' in what) || what.closedAt !== null);
    await this.#parts.query(WRITE, [
      this.#parts.server,
      entries.map(({ kind }) => kind),
      entries.map(({ number }) => number),
      entries.map(({ at }) => at),
      entries.map(({ what }) => written(what)),
    ]);
    for (const { kind, what } of done) this.#unwritten[kind].delete(what);
  }
}

function written(what: SmtpConnection | SmtpRefusal): string {
  return JSON.stringify('transcript' in what ? { ...what, transcript: what.transcript.lines() } : what);
}
