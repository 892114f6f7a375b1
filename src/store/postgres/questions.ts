import type { Clock } from '../../ports/clock.ts';
import { type RunStatement, statement } from './connection.ts';

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
  readonly #asked = new Map<number, { readonly answered: Set<number>; act(): void }>();
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
      this.#asked.set(question.number, {
        answered,
        act: () => {
          if (answered.size >= count) resolve();
        },
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
    const own = Number(to) === this.#parts.server ? this.#asked.get(Number(number)) : undefined;
    own?.answered.add(Number(of));
    own?.act();
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
