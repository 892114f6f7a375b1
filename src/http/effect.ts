import type { Context } from '../context.ts';
import type { Tx } from '../ports/store.ts';
import type { Answer } from './answer.ts';

/** What a request does, in the transaction it is given. */
export interface Effect {
  run(tx: Tx): Promise<Answer>;
  /** It was not done: what was made ready for it is given up. */
  discard(): void;
}

/** Runs `around` in a transaction; an effect that is not done by then is discarded. */
export async function runEffect(
  ctx: Context,
  effect: Effect,
  around: (tx: Tx, run: Effect['run']) => Promise<Answer> = (tx, run) => run(tx),
): Promise<Answer> {
  let done = false;
  try {
    let ran = false;
    const answer = await ctx.store.transaction((tx) =>
      around(tx, (within) => {
        ran = true;
        return effect.run(within);
      }),
    );
    done = ran;
    return answer;
  } finally {
    if (!done) effect.discard();
  }
}
