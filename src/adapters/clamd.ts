import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Ulid } from '../domain/ids.ts';
import type { VirusScanStatus } from '../domain/parsed-mail.ts';
import type { VirusScanner } from '../ports/mail.ts';
import type { Clock, Log } from '../ports/system.ts';
import { Semaphore } from '../semaphore.ts';
import { errorCode } from '../text/unknown.ts';
import { type DaemonAddress, type DaemonBounds, DaemonCalls, readAnswer } from './daemon-calls.ts';
import { LruCache } from './lru-cache.ts';

/** The scanner without a daemon. It scans nothing (docs/contract.md#spf-and-virus-scan). */
const NO_SCANNER: VirusScanner = { scan: async () => 0, close: () => {} };

/** Creates the scanner: one that asks a clamd, or one that scans nothing. */
export function createVirusScanner(clamd: DaemonAddress | null, clock: Clock, log: Log): VirusScanner {
  if (clamd === null) return NO_SCANNER;
  return createClamdScanner(createClamd(clamd, clock), log, `clamd at ${clamd.host}, port ${clamd.port},`);
}

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

/** The largest content is the default of clamd's StreamMaxLength. */
export const SCAN_BOUNDS: DaemonBounds = { ms: 30_000, bytes: 100 * 1024 * 1024 };

export interface Clamd {
  /**
   * Scans bytes: 1 means clean, 2 infected, 4 too large. It rejects with the daemon's answer if there is no verdict.
   */
  scan(content: Buffer): Promise<1 | 2 | 4>;
  close(): void;
}

const CHUNK_BYTES = 64 * 1024;
const LONGEST_REPLY_BYTES = 4 * 1024;

/**
 * The number of attempts. clamd may give its verdict early and close the connection; a failing write then hides the
 * answer.
 */
const ATTEMPTS = 3;

/** Creates a client for the INSTREAM command of clamd(8). It opens one connection for each scan. */
export function createClamd(address: DaemonAddress, clock: Clock, bounds: DaemonBounds = SCAN_BOUNDS): Clamd {
  const calls = new DaemonCalls(address, clock);
  const late = `gave no verdict in ${bounds.ms / 1_000} s`;

  const attempt = (content: Buffer, endsAt: number): Promise<1 | 2 | 4> =>
    calls.run(endsAt, late, async (socket) => {
      const reply = readAnswer(socket, 'verdict', replyIn);
      void send(socket, content);
      return verdictOf(await reply);
    });

  return {
    async scan(content) {
      if (content.length > bounds.bytes) return 4;
      const endsAt = clock.steady() + bounds.ms;
      for (let left = ATTEMPTS; ; left--) {
        try {
          return await attempt(content, endsAt);
        } catch (error) {
          if (left <= 1 || !isHangUp(error)) throw error;
        }
      }
    },
    close: () => calls.close(),
  };
}

function isHangUp(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'EPIPE' || code === 'ECONNRESET';
}

/** Sends the content. A failure shows up as the socket's error. */
async function send(socket: Socket, content: Buffer): Promise<void> {
  await write(socket, Buffer.from('zINSTREAM\0'));
  for (let at = 0; at < content.length && !socket.destroyed; at += CHUNK_BYTES) {
    const chunk = content.subarray(at, at + CHUNK_BYTES);
    await write(socket, lengthOf(chunk.length), chunk);
    // clamd may answer and close before it has read everything. This pause lets the answer be read before a write
    // fails.
    await setImmediate();
  }
  await write(socket, lengthOf(0));
}

function write(socket: Socket, ...parts: readonly Buffer[]): Promise<void> {
  socket.cork();
  return new Promise((resolve) => {
    for (const part of parts) socket.write(part, () => resolve());
    socket.uncork();
  });
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

/** Returns the daemon's reply up to its terminating NUL. */
function replyIn(received: Buffer): string | number {
  const end = received.indexOf(0);
  if (end >= 0) return received.toString('latin1', 0, end).trim();
  if (received.length > LONGEST_REPLY_BYTES) throw new Error('answered what is no verdict');
  return received.length + 1;
}

function verdictOf(reply: string): 1 | 2 | 4 {
  if (reply === 'stream: OK') return 1;
  // AlertExceedsMax: clamd scanned only a part and found nothing in it.
  if (/^stream: Heuristics\.Limits\.Exceeded\S* FOUND$/.test(reply)) return 4;
  if (/^stream: \S.* FOUND$/.test(reply)) return 2;
  if (reply === 'INSTREAM size limit exceeded. ERROR') return 4;
  throw new Error(`answered ${JSON.stringify(reply.slice(0, 200))}`);
}
