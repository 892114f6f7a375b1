import type { HeldAwaits } from '../../ports/cluster.ts';
import { documentOf, type RunStatement, statement } from './connection.ts';
import type { Questions } from './questions.ts';

const TELL = statement('tell waits', 'insert into answers (asker, number, server, row) values ($1, $2, $3, $4)');
const TAKE = statement('take waits', 'delete from answers where asker = $1 and number = $2 returning row');

/** Exchanges lists of held awaits with the other servers. */
export class SharedWaits {
  readonly #query: RunStatement;
  readonly #questions: Questions;
  #tell: () => HeldAwaits = () => ({ waiters: 0, waits: [] });

  constructor(query: RunStatement, questions: Questions, server: number) {
    this.#query = query;
    this.#questions = questions;
    questions.on('tell the waits', async ({ server: asker, number }) => {
      await query(TELL, [asker, number, server, JSON.stringify(this.#tell())]);
    });
  }

  /** Sets the function that returns the awaits of this server. */
  onAsked(tell: () => HeldAwaits): void {
    this.#tell = tell;
  }

  async ofOthers(): Promise<readonly HeldAwaits[]> {
    const { server, number } = await this.#questions.ask('tell the waits');
    return (await this.#query(TAKE, [server, number])).map((row) => documentOf<HeldAwaits>(row));
  }
}
