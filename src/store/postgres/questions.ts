import type { Clock } from '../../ports/clock.ts';
import { type RunStatement, statement } from './connection.ts';

const NOTIFY = statement('notify question', 'select pg_notify($1, $2)');

/** The longest time in milliseconds to wait for the other servers. One that hangs must not hold up the asker. */
const ANSWER_MS = 1_000;

/** A thing that one server may ask of all others. */
type Topic = 'read the faults' | 'write the journal' | 'clear the journal' | 'tell the waits';

/** A question, named by the server that asks and the number that it gave. */
interface Question {
  readonly server: number;
  readonly number: number;
}

/** Does what is asked. The question counts as answered once it settles. */
type Act = (question: Question) => Promise<void>;

interface QuestionParts {
  readonly query: RunStatement;
  readonly channel: string;
  readonly server: number;
  readonly clock: Pick<Clock, 'after'>;
  /** Counts the other servers. */
  readonly others: () => Promise<number>;
}

/** Asks all other servers to do something, and does what they ask. Questions and answers are notifications. */
export class Questions {
  readonly #parts: QuestionParts;
  readonly #acts = new Map<string, Act>();
  readonly #asked = new Map<number, { readonly answered: Set<number>; act(): void }>();
  #number = 0;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  /** Sets what this server does when another asks. */
  on(topic: Topic, act: Act): void {
    this.#acts.set(topic, act);
  }

  /**
   * Asks all other servers. It settles with the question when all of them have done it, or after a second. A server
   * that hangs or just left does not answer.
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

  /** Takes a notification. Returns false if it is neither a question nor an answer. */
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
      // The database is away. The asker waits no longer than its second.
    }
  }
}
