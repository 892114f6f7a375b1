import { refuse } from '../../domain/errors.ts';
import {
  type Cluster,
  createViewToken,
  type HeldAwaits,
  MAX_VIEWS,
  type View,
  type Views,
} from '../../ports/server.ts';
import type { Clock, Random } from '../../ports/system.ts';
import type { KeyedMutex } from '../../ports/waiting.ts';
import { type DatabaseConnection, parseRow, type RunStatement, says, statement } from './connection.ts';
import type { DatabaseSession } from './sessions.ts';

const NOTIFY = statement('notify question', 'select pg_notify($1, $2)');

/**
 * The time limit in milliseconds for the other servers' answers. A server that hangs must not block the one that asks.
 */
const ANSWER_MS = 1_000;

/** The requests that one server may send to all others. */
type Topic = 'read the faults' | 'write the journal' | 'clear the journal' | 'tell the waits';

/** The identity of a question: the server that asks, and that server's number for it. */
interface Question {
  readonly server: number;
  readonly number: number;
}

/** The handler of a question. The server answers once it settles. */
type Act = (question: Question) => Promise<void>;

interface QuestionParts {
  readonly query: RunStatement;
  readonly channel: string;
  readonly server: number;
  readonly clock: Pick<Clock, 'after'>;
  /** Counts the other servers. */
  readonly others: () => Promise<number>;
}

/**
 * Sends requests, called questions, to all other servers, and handles theirs. Questions and answers are notifications
 * of PostgreSQL.
 */
export class Questions {
  readonly #parts: QuestionParts;
  readonly #acts = new Map<string, Act>();
  /** The function that gets the number of each server that answers, by the number of this server's question. */
  readonly #asked = new Map<number, (server: number) => void>();
  #number = 0;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  /** Sets the handler of a topic. */
  on(topic: Topic, act: Act): void {
    this.#acts.set(topic, act);
  }

  /**
   * Sends a question to all other servers. It settles with the question's identity once all of them have answered, or
   * after a second, because a server that hangs or has just left does not answer.
   */
  async ask(topic: Topic): Promise<Question> {
    const { query, channel, server, clock, others } = this.#parts;
    const question: Question = { server, number: ++this.#number };
    const count = await others();
    if (count <= 0) return question;
    let cancel = () => {};
    const done = new Promise<void>((resolve) => {
      const answered = new Set<number>();
      cancel = clock.after(ANSWER_MS, resolve);
      this.#asked.set(question.number, (server) => {
        if (answered.add(server).size >= count) resolve();
      });
    });
    try {
      await query(NOTIFY, [channel, JSON.stringify({ question: topic, number: question.number, of: server })]);
      await done;
    } finally {
      cancel();
      this.#asked.delete(question.number);
    }
    return question;
  }

  /** Handles a notification. Returns false if it is neither a question nor an answer. */
  hear(payload: string): boolean {
    const asked = /^\{"question":"([a-z ]+)","number":(\d+),"of":(\d+)\}$/.exec(payload);
    if (asked !== null) {
      const [, topic = '', number, of] = asked;
      const question = { server: Number(of), number: Number(number) };
      if (question.server !== this.#parts.server) void this.#answer(topic, question);
      return true;
    }
    const answer = /^\{"answer":(\d+),"to":(\d+),"of":(\d+)\}$/.exec(payload);
    if (answer === null) return false;
    const [, number, to, of] = answer;
    if (Number(to) === this.#parts.server) this.#asked.get(Number(number))?.(Number(of));
    return true;
  }

  async #answer(topic: string, question: Question): Promise<void> {
    const { query, channel, server } = this.#parts;
    try {
      await this.#acts.get(topic)?.(question);
      const answer = JSON.stringify({ answer: question.number, to: question.server, of: server });
      await query(NOTIFY, [channel, answer]);
    } catch {
      // The handler failed, or the database is away. The asking server continues after its time limit.
    }
  }
}

const TELL = statement('tell waits', 'insert into answers (asker, number, server, row) values ($1, $2, $3, $4)');
const TAKE = statement('take waits', 'delete from answers where asker = $1 and number = $2 returning row');

/** Exchanges lists of held awaits with the other servers. */
export function sharedWaits(
  query: RunStatement,
  questions: Questions,
  server: number,
): Pick<Cluster, 'onAskedForAwaits' | 'awaitsOfOthers'> {
  let tell: () => HeldAwaits = () => ({ waiters: 0, waits: [] });
  questions.on('tell the waits', async ({ server: asker, number }) => {
    await query(TELL, [asker, number, server, JSON.stringify(tell())]);
  });
  return {
    onAskedForAwaits: (ofThisServer) => {
      tell = ofThisServer;
    },
    awaitsOfOthers: async () => {
      const question = await questions.ask('tell the waits');
      return (await query(TAKE, [question.server, question.number])).map(parseRow<HeldAwaits>);
    },
  };
}

const TRY = statement('try mutex', 'select pg_try_advisory_lock(hashtextextended($1, 1)) as yes');
const RELEASE = statement('release mutex', 'select pg_advisory_unlock(hashtextextended($1, 1))');

/** The pause in milliseconds before the next attempt to take a key that another server holds. */
const PAUSE_MS = 25;

/**
 * Creates a mutex among all servers of a database. Work of this server queues in `own`; the first in that queue takes
 * an advisory lock in the database. One session holds all locks of the server, so a server that dies loses them.
 */
export function sharedMutex(
  own: KeyedMutex,
  session: DatabaseSession,
  schema: string,
  clock: Pick<Clock, 'sleep'>,
): KeyedMutex {
  const acquire = async (key: string): Promise<DatabaseConnection> => {
    for (;;) {
      const connection = await session.connection();
      if (await says(connection.query, TRY, [key])) return connection;
      await clock.sleep(PAUSE_MS);
    }
  };
  return {
    runExclusive: (name, work) =>
      own.runExclusive(name, async () => {
        const key = `mailcap ${schema} ${name}`;
        const connection = await acquire(key).catch((error: unknown) => {
          throw refuse('storage_unavailable', undefined, { cause: error });
        });
        try {
          return await work();
        } finally {
          // If the session was lost, the database has released the lock.
          if (connection.isOpen) await connection.query(RELEASE, [key]).catch(() => {});
        }
      }),
  };
}

const OPEN = statement(
  'open view',
  `with old as (delete from views where token in (select token from views order by expires_at desc offset $4))
   insert into views (token, expires_at, row) values ($1, $2, $3)`,
);
const GET = statement('get view', 'select row from views where token = $1 and expires_at > $2::float8');

/** Creates the views of all servers. A link from one server opens on every server. */
export function sharedViews(query: RunStatement, random: Random): Views {
  return {
    async open(view) {
      const token = createViewToken(random);
      await query(OPEN, [token, view.expiresAt, JSON.stringify(view), MAX_VIEWS - 1]);
      return token;
    },
    async get(token, realNow) {
      // PostgreSQL throws on a text with NUL. All tokens match this pattern.
      if (!/^[\w-]{1,64}$/.test(token)) return null;
      const [row] = await query(GET, [token, realNow]);
      return row === undefined ? null : parseRow<View>(row);
    },
  };
}
