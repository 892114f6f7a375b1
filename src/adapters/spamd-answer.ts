import type { SpamRule, SpamScore } from '../checks/rules/spam.ts';

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
export function readSpamdAnswer(received: Buffer): SpamScore | number {
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
  if (length !== undefined && body.length < Number(length)) return end + HEAD_END.length + Number(length);
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
