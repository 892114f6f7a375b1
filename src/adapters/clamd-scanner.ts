import type { Ulid } from '../domain/ids.ts';
import type { VirusScanStatus } from '../domain/parsed-mail.ts';
import type { Log } from '../ports/log.ts';
import type { VirusScanner } from '../ports/scanner.ts';
import type { Clamd } from './clamd.ts';
import { LruCache } from './lru-cache.ts';
import { Semaphore } from './semaphore.ts';

/** The number of concurrent scans. It stays below clamd's default MaxThreads, because others may use the daemon too. */
const AT_A_TIME = 4;
const KEPT = 20_000;
const FAILED = 3;

interface Pending {
  readonly verdict: Promise<VirusScanStatus>;
  readonly wanted: (() => boolean)[];
}

/**
 * Creates a scanner that uses a clamd daemon. It logs once when the daemon fails and once when it works again. `name`
 * is the daemon's name in the log.
 */
export function createClamdScanner(clamd: Clamd, log: Log, name: string): VirusScanner {
  const kept = new LruCache<Ulid, VirusScanStatus>(KEPT);
  const pending = new Map<Ulid, Pending>();
  const semaphore = new Semaphore(AT_A_TIME);
  let away = false;

  const scanNow = async (read: () => Promise<Buffer | null>): Promise<VirusScanStatus> => {
    const content = await read().catch(() => null);
    // The message was deleted in the meantime.
    if (content === null) return FAILED;
    try {
      const verdict = await clamd.scan(content);
      if (away) log.info(`${name} gives verdicts again`);
      away = false;
      return verdict;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!away)
        log.warn(`${name} gives no verdict (${why}): until it does, attachments have virusScanStatus 3, scan failed`);
      away = true;
      return FAILED;
    }
  };

  const scan = async (id: Ulid, read: () => Promise<Buffer | null>, wanted: (() => boolean)[]) => {
    try {
      const verdict = await semaphore.run(async () => (wanted.some((isWanted) => isWanted()) ? scanNow(read) : FAILED));
      if (verdict !== FAILED) kept.set(id, verdict);
      return verdict;
    } finally {
      pending.delete(id);
    }
  };

  return {
    async scan(id, read, isWanted) {
      const known = kept.get(id);
      if (known !== undefined) return known;
      const under = pending.get(id);
      if (under !== undefined) {
        under.wanted.push(isWanted);
        return under.verdict;
      }
      const wanted = [isWanted];
      const verdict = scan(id, read, wanted);
      pending.set(id, { verdict, wanted });
      return verdict;
    },
    close: () => clamd.close(),
  };
}
