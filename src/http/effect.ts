import type { Context } from '../context.ts';
import type { Tx } from '../ports/store.ts';
import type { Answer } from './answer.ts';

/** The change that a request makes, in the transaction that it gets. */
export interface TransactionEffect {
  run(tx: Tx): Promise<Answer>;
  /** Releases the prepared data of an effect that did not run. */
  discard(): void;
}

/** Runs an effect within `around` in a transaction. An effect that did not run is discarded. */
export async function runEffect(
  ctx: Context,
  effect: TransactionEffect,
  around: (tx: Tx, run: TransactionEffect['run']) => Promise<Answer> = (tx, run) => run(tx),
): Promise<Answer> {
  let done = false;
  try {
    let ran = false;
    const answer = await ctx.store.transaction((tx) => {
      ran = false;
      return around(tx, (within) => {
        ran = true;
        return effect.run(within);
      });
    });
    done = ran;
    return answer;
  } finally {
    if (!done) effect.discard();
  }
}
