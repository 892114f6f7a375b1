import type { SpamRule, SpamScore } from '../checks/rules/spam.ts';
import type { SpamFilter } from '../ports/mail.ts';
import type { Clock } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { Semaphore } from '../semaphore.ts';
import { errorCode } from '../text/unknown.ts';
import { type DaemonAddress, type DaemonBounds, DaemonCalls, readAnswer } from './daemon-calls.ts';

/** The time includes the wait for other scores. The largest mail is the default of spamc(1). */
export const SPAMD_BOUNDS: DaemonBounds = { ms: 15_000, bytes: 500 * 1024 };

/** The number of concurrent scores. It stays below spamd's default of five children. */
const AT_A_TIME = 4;
const LONGEST_ANSWER_BYTES = 256 * 1024;

/** Creates a filter that gets the score from a SpamAssassin daemon, with the command REPORT of spamd's protocol 1.5. */
export function createSpamd(address: DaemonAddress, clock: Clock, bounds: DaemonBounds = SPAMD_BOUNDS): SpamFilter {
  const calls = new DaemonCalls(address, clock);
  const semaphore = new Semaphore(AT_A_TIME);
  const name = `spamd at ${address.host}, port ${address.port},`;
  const late = `gave no score in ${bounds.ms / 1_000} s`;

  const ask = (raw: Buffer, endsAt: number, cancelSignal: CancelSignal) =>
    calls.run(endsAt, late, async (socket) => {
      const calledOff = cancelSignal.onCancel(() =>
        socket.destroy(new Error('was given up: nobody waits for the score')),
      );
      try {
        const answer = readAnswer(socket, 'score', readSpamdAnswer);
        socket.end(Buffer.concat([Buffer.from(`REPORT SPAMC/1.5\r\nContent-length: ${raw.length}\r\n\r\n`), raw]));
        return await answer;
      } finally {
        calledOff();
      }
    });

  return {
    async score(sizeBytes, read, cancelSignal) {
      if (sizeBytes > bounds.bytes) return `spamd is asked about no mail of more than ${bounds.bytes / 1024} KiB`;
      const endsAt = clock.steady() + bounds.ms;
      const raw = await read();
      try {
        return await semaphore.run(() => ask(raw, endsAt, cancelSignal));
      } catch (error) {
        return `${name} ${error instanceof Error ? whyOf(error) : String(error)}`;
      }
    },
    close: () => calls.close(),
  };
}

function whyOf(error: Error): string {
  // A name with several addresses gives an AggregateError, whose message is empty.
  const code = errorCode(error);
  return code === null ? error.message : `can’t be asked (${code})`;
}

/** The maximum number of rules of an answer that are kept. SpamAssassin itself has some hundreds. */
const MAX_RULES = 200;
const START = 'SPAMD/';
const HEAD_END = '\r\n\r\n';
const NUMBER = String.raw`(-?\d{1,9}(?:\.\d{1,9})?)`;
const SPAM = new RegExp(`^Spam: (True|False) ; ${NUMBER} / ${NUMBER}$`, 'im');
const RULE = new RegExp(`^ {0,4}${NUMBER} +([A-Z_][A-Z0-9_]{0,99}) +(\\S.*|)$`, 'i');

/** The longest head in bytes. spamd's own has some hundred. */
const HEAD_BYTES = 4 * 1024;

/**
 * Parses the answer of spamd(8). Returns its length in bytes if it is incomplete, or the least length while its head is.
 * Throws if it holds no score.
 */
function readSpamdAnswer(received: Buffer): SpamScore | number {
  const text = received.toString('latin1', 0, HEAD_BYTES);
  const lineEnd = text.indexOf('\r\n');
  const first = lineEnd < 0 ? text : text.slice(0, lineEnd);
  const isOk = lineEnd < 0 || /^SPAMD\/\d+\.\d+ 0 /.test(first);
  if (!START.startsWith(first.slice(0, START.length)) || !isOk) throw odd(first);
  const end = text.indexOf(HEAD_END);
  if (end < 0 && text.length < HEAD_BYTES) return received.length + 1;
  if (end < 0) throw new Error('answered more than a score');
  const head = text.slice(0, end).replaceAll('\r\n', '\n');
  const [, verdict = '', score = '', threshold = ''] = SPAM.exec(head) ?? [];
  if (verdict === '') throw odd(head.split('\n').at(-1) ?? '');
  const [, length] = /^Content-length: (\d{1,9})$/im.exec(head) ?? [];
  const body = received.subarray(end + HEAD_END.length);
  // Without a Content-length the answer ends with the connection. If the end is missing, no rules are read.
  const needed = end + HEAD_END.length + Number(length ?? 0);
  if (needed > LONGEST_ANSWER_BYTES) throw new Error('answered more than a score');
  if (received.length < needed) return needed;
  return {
    score: Number(score),
    threshold: Number(threshold),
    isSpam: verdict.toLowerCase() === 'true',
    rules: rulesIn(body.subarray(0, Number(length ?? 0)).toString('utf8')),
  };
}

/**
 * Reads the rules that a report lists below its last line of dashes. The text above quotes the mail, so it may imitate
 * such a list. A report with another, configured layout yields no rules.
 */
function rulesIn(report: string): SpamRule[] {
  const lines = report.split(/\r?\n/);
  const ruler = lines.findLastIndex((line) => /^ *-{3,} -{3,} -{3,}\s*$/.test(line));
  if (ruler < 0) return [];
  const rules: SpamRule[] = [];
  for (const line of lines.slice(ruler + 1)) {
    const [, points = '', name = '', description = ''] = RULE.exec(line) ?? [];
    if (name !== '' && rules.length < MAX_RULES)
      rules.push({ name, points: Number(points), description: description.trim().slice(0, 200) });
  }
  return rules;
}

function odd(line: string): Error {
  return new Error(`answered ${JSON.stringify(line.slice(0, 200))}`);
}
