import type { Socket } from 'node:net';
import type { SpamScore } from '../checks/rules/spam.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';
import type { SpamFilter } from '../ports/spam-filter.ts';
import { type DaemonAddress, DaemonCalls } from './daemon-calls.ts';
import { Semaphore } from './semaphore.ts';
import { readSpamdAnswer } from './spamd-answer.ts';

/** The limits of one score. */
export interface SpamdBounds {
  /** The time limit in milliseconds, including the wait for other scores. */
  readonly ms: number;
  /** The largest mail, in bytes: the default of spamc(1). */
  readonly bytes: number;
}

export const SPAMD_BOUNDS: SpamdBounds = { ms: 15_000, bytes: 500 * 1024 };

/** The number of concurrent scores. It stays below spamd's default of five children. */
const AT_A_TIME = 4;
const LONGEST_ANSWER_BYTES = 256 * 1024;

/** Creates a filter that gets the score from a SpamAssassin daemon, with the command REPORT of spamd's protocol 1.5. */
export function createSpamd(address: DaemonAddress, clock: Clock, bounds: SpamdBounds = SPAMD_BOUNDS): SpamFilter {
  const calls = new DaemonCalls(address, clock);
  const semaphore = new Semaphore(AT_A_TIME);
  const name = `spamd at ${address.host}, port ${address.port},`;
  const late = `gave no score in ${bounds.ms / 1_000} s`;

  const ask = (raw: Buffer, endsAt: number, ending: Ending) =>
    calls.run(endsAt, late, async (socket) => {
      const calledOff = ending.onEnd(() => socket.destroy(new Error('was given up: nobody waits for the score')));
      try {
        const answer = answerOf(socket);
        socket.end(Buffer.concat([Buffer.from(`REPORT SPAMC/1.5\r\nContent-length: ${raw.length}\r\n\r\n`), raw]));
        return await answer;
      } finally {
        calledOff();
      }
    });

  return {
    async score(sizeBytes, read, ending) {
      if (sizeBytes > bounds.bytes) return `spamd is asked about no mail of more than ${bounds.bytes / 1024} KiB`;
      const endsAt = clock.steady() + bounds.ms;
      const raw = await read();
      try {
        return await semaphore.run(() => ask(raw, endsAt, ending));
      } catch (error) {
        return `${name} ${error instanceof Error ? whyOf(error) : String(error)}`;
      }
    },
    close: () => calls.close(),
  };
}

function whyOf(error: Error): string {
  // A name with several addresses gives an AggregateError, whose message is empty.
  const code = 'code' in error ? String(error.code) : '';
  return code === '' ? error.message : `can’t be asked (${code})`;
}

function answerOf(socket: Socket): Promise<SpamScore> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    let needed = 0;
    socket.on('data', (bytes) => {
      chunks.push(bytes);
      received += bytes.length;
      // An answer that comes byte by byte must not be read anew with each of them.
      if (received < needed) return;
      try {
        const answer = readSpamdAnswer(Buffer.concat(chunks));
        if (typeof answer !== 'number') resolve(answer);
        else needed = answer;
        if (needed > LONGEST_ANSWER_BYTES) reject(new Error('answered more than a score'));
      } catch (error) {
        reject(error);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('hung up without a score')));
  });
}
