import { expect, test } from 'vitest';
import { withoutBcc } from '../../src/mail/leaving-mail.ts';
import { byDay } from '../support/night.ts';
import { processorMs } from '../support/processor-time.ts';

async function* piecesOf(mail: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < mail.length; at += bytes) yield mail.subarray(at, at + bytes);
}

async function stripped(mail: string, bytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of withoutBcc(piecesOf(Buffer.from(mail, 'latin1'), bytes))) pieces.push(piece);
  return Buffer.concat(pieces).toString('latin1');
}

const LONG = `X-Long: ${'v'.repeat(1_200)}\r\n bcc: still the field before\r\n`;
const BODY = '\r\nBcc: in the text\r\n\r\nResent-Bcc: too\r\n';

test.each([
  ['a field', 'Bcc: a@x.test\r\n', ''],
  ['a field in the first line', `Bcc: a@x.test\r\n${LONG}`, LONG],
  ['a folded field', `${LONG}bcc:\r\n a@x.test,\r\n\tb@x.test\r\nTo: c@x.test\r\n`, `${LONG}To: c@x.test\r\n`],
  ['white space before the colon', 'BCC \t: a@x.test\r\nTo: b@x.test\r\n', 'To: b@x.test\r\n'],
  ['a name that is folded before its colon', 'Bcc\r\n : a@x.test\r\nTo: b@x.test\r\n', 'To: b@x.test\r\n'],
  ['a resent mail', 'Resent-Bcc: a@x.test\r\nResent-To: b@x.test\r\n', 'Resent-To: b@x.test\r\n'],
  ['a byte order mark', '\xef\xbb\xbfBcc: a@x.test\r\nTo: b@x.test\r\n', 'To: b@x.test\r\n'],
  ['several', `Bcc: a@x.test\r\n${LONG}Bcc: b@x.test\r\nBcc: c@x.test\r\n`, LONG],
  ['names that only look like it', 'X-Bcc: a@x.test\r\nBccs: b\r\nSubject: Bcc: c\r\n', null],
  ['a line without a colon', 'To: a@x.test\r\nbcc\r\n: b@x.test\r\n', null],
])('leaves out %s, however the mail is cut into pieces', async (_what, header, left) => {
  for (const end of [BODY, '', '\r\n'])
    for (const bytes of [1, 2, 7, 999, 1_001, 65_536])
      expect(await stripped(header + end, bytes)).toBe((left ?? header) + end);
  const long = BODY + 'x'.repeat(70_000);
  for (const bytes of [999, 65_536]) expect(await stripped(header + long, bytes)).toBe((left ?? header) + long);
});

test('a mail without a header is text, whatever it contains', async () => {
  const text = `Hello.\r\nBcc: a@x.test\r\n${BODY}`;
  for (const bytes of [1, 1_000, 100_000]) expect(await stripped(text, bytes)).toBe(text);
});

const LARGE: [string, string][] = [
  ['a million fields', 'A: b\r\n'.repeat(2_000_000)],
  ['a million Bcc fields', 'Bcc:\r\n'.repeat(2_000_000)],
  ['lines that begin like it', 'b\r\n'.repeat(4_000_000)],
  ['one field of 12 MB', `Bcc: ${'x'.repeat(12_000_000)}`],
  ['one folded field of 12 MB', `Bcc: x${'\r\n x'.repeat(3_000_000)}`],
];
// By day fields that stay, lines that nearly are one, and a field that goes.
test.each(byDay(LARGE, (_row, at) => at % 2 === 0))(
  '%s cost the later pieces of a mail no more than the earlier ones',
  async (_what, header) => {
    const mail = Buffer.from(`From: a@x.test\r\n${header}`);
    const costs: number[] = [];
    let from = processorMs();
    for await (const _piece of withoutBcc(timed()));
    costs.push(processorMs() - from);
    const half = Math.floor(costs.length / 2);
    // Work that grows with what came before, or that waits for the end, makes the second half at least three times dearer.
    expect(sum(costs.slice(half))).toBeLessThan(2.5 * sum(costs.slice(0, half)) + 200);

    async function* timed(): AsyncGenerator<Buffer> {
      for await (const piece of piecesOf(mail, 256 * 1024)) {
        from = processorMs();
        yield piece;
        costs.push(processorMs() - from);
      }
      from = processorMs();
    }
  },
);

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
