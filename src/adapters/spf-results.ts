import type { MessageId } from '../domain/ids.ts';
import { type SpfQuestion, type SpfResult, spfQuestion } from '../domain/spf.ts';
import type { Clock } from '../ports/clock.ts';
import type { Dns } from '../ports/dns.ts';
import type { Spf } from '../ports/spf.ts';
import { LruCache } from './lru-cache.ts';
import { evaluateSpf } from './spf-evaluation.ts';

export interface SpfSettings {
  /** Tells whether a zone replaces DNS. Loopback and private clients are then evaluated too. */
  readonly hasZone: boolean;
  /** The host name of this server, for the macro `r` of RFC 7208. */
  readonly receiver: string;
  /** The time limit of one evaluation, in milliseconds. */
  readonly ms?: number;
}

/**
 * The default time limit in milliseconds. A reader waits for the result, so it is a quarter of the time RFC 7208 4.6.4
 * suggests.
 */
const EVALUATION_MS = 5_000;
const KEPT = 20_000;
/** The time in milliseconds for which a temperror is cached. DNS may work again after it. */
const TEMPERROR_KEPT_MS = 30_000;

/** Creates the SPF evaluation. It evaluates a message when it is first read, and caches the result. */
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
