import type { MessageId } from '../domain/ids.ts';
import { type SpfQuestion, type SpfResult, spfQuestion } from '../domain/spf.ts';
import { evaluateSpf } from '../mail/spf.ts';
import type { Clock } from '../ports/clock.ts';
import type { Dns } from '../ports/dns.ts';
import type { Spf } from '../ports/spf.ts';
import { LruCache } from './lru-cache.ts';

export interface SpfSettings {
  /** A zone stands in for DNS: loopback and private clients are evaluated too. */
  readonly hasZone: boolean;
  /** The name this server goes by, macro r. */
  readonly receiver: string;
  /** What one evaluation may take, in all. */
  readonly ms?: number;
}

/** A reader waits for it, so it is a quarter of what RFC 7208 4.6.4 has in mind for a receiver. */
const EVALUATION_MS = 5_000;
const KEPT = 20_000;
/** DNS may answer again by then; until then it is not waited for once more. */
const TEMPERROR_KEPT_MS = 30_000;

/** Evaluates a message when it is first read, and keeps the results. */
export function createSpf(dns: Dns, clock: Clock, settings: SpfSettings): Spf {
  const { hasZone, receiver, ms = EVALUATION_MS } = settings;
  const kept = new LruCache<MessageId, Promise<SpfResult>>(KEPT);

  const decide = async (question: SpfQuestion): Promise<SpfResult> => {
    const late = new AbortController();
    let stop = () => {};
    const tooLate = new Promise<SpfResult>((resolve) => {
      stop = clock.after(ms, () => {
        late.abort(new Error(`more than ${ms} ms`));
        resolve('temperror');
      });
    });
    const result = evaluateSpf(question, dns, receiver, late.signal).catch((): SpfResult => 'temperror');
    return Promise.race([result, tooLate]).finally(() => stop());
  };

  return {
    evaluate(id, facts) {
      const question = spfQuestion(facts, hasZone);
      if (question === null) return Promise.resolve('none');
      const known = kept.get(id);
      if (known !== undefined) return known;
      const result = decide(question);
      kept.set(id, result);
      void result.then((value) => {
        if (value === 'temperror') clock.after(TEMPERROR_KEPT_MS, () => kept.delete(id));
      });
      return result;
    },
  };
}
