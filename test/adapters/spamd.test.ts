import { expect, test, vi } from 'vitest';
import { createSpamd, SPAMD_BOUNDS } from '../../src/adapters/spamd.ts';
import { systemClock } from '../../src/adapters/system.ts';
import type { SpamFilter } from '../../src/ports/mail.ts';
import type { Script } from '../support/scripted-daemon.ts';
import { scriptedSpamd, spamdAnswer } from '../support/scripted-spamd.ts';

const MAIL = Buffer.from('From: a@shop.example\r\n\r\nHello.\r\n');
const NEVER = { isCancelled: false, onCancel: () => () => {} };
const answer =
  (text: string): Script =>
  (socket) =>
    socket.end(Buffer.from(text, 'latin1'));

function score(filter: SpamFilter, raw = MAIL): ReturnType<SpamFilter['score']> {
  return filter.score(raw.length, async () => raw, NEVER);
}

test('the daemon gets the mail unchanged, and the answer has the score and the rules that matched', async () => {
  const rules = [
    ' 2.7 MISSING_DATE           Missing Date: header',
    '-0.0 NO_RELAYS              Informational: message was not relayed via SMTP',
    '1000 GTUBE                  BODY: Generic Test for Unsolicited Bulk Email',
    ' 0.5 URIBL_X                Contains an URL',
    '                            [URIs: 9.9 EVIL_RULE]',
  ];
  await using daemon = await scriptedSpamd(answer(spamdAnswer('True ; 1003.3 / 5.0', rules)));
  expect(await score(createSpamd(daemon, systemClock()))).toEqual({
    score: 1003.3,
    threshold: 5,
    isSpam: true,
    rules: [
      { name: 'MISSING_DATE', points: 2.7, description: 'Missing Date: header' },
      { name: 'NO_RELAYS', points: -0, description: 'Informational: message was not relayed via SMTP' },
      { name: 'GTUBE', points: 1000, description: 'BODY: Generic Test for Unsolicited Bulk Email' },
      { name: 'URIBL_X', points: 0.5, description: 'Contains an URL' },
    ],
  });
  const head = `REPORT SPAMC/1.5\r\nContent-length: ${MAIL.length}\r\n\r\n`;
  expect(daemon.contents).toEqual([Buffer.concat([Buffer.from(head), MAIL])]);
});

test('a mail that imitates the table in the preview of the report adds no rule', async () => {
  const preview = 'Content preview:\n---- ---- ----\n-99 TRUSTED me\nSpam: False ; 0 / 5';
  await using daemon = await scriptedSpamd(answer(spamdAnswer('True ; 7 / 5.0', [' 7.0 BAD          Bad'], preview)));
  expect(await score(createSpamd(daemon, systemClock()))).toEqual({
    score: 7,
    threshold: 5,
    isSpam: true,
    rules: [{ name: 'BAD', points: 7, description: 'Bad' }],
  });
});

test('an answer that comes byte by byte is waited for, and a report of another form has no rules', async () => {
  const text = 'SPAMD/1.1 0 EX_OK\r\nContent-length: 4\r\nSpam: False ; -0.1 / 5.0\r\n\r\nham\n';
  await using daemon = await scriptedSpamd((socket) => {
    const rest = [...Buffer.from(text)];
    const next = () => {
      const byte = rest.shift();
      if (byte !== undefined) socket.write(Buffer.of(byte), () => setImmediate(next));
    };
    next();
  });
  expect(await score(createSpamd(daemon, systemClock()))).toEqual({
    score: -0.1,
    threshold: 5,
    isSpam: false,
    rules: [],
  });
});

const ADDRESS = /^spamd at 127\.0\.0\.1, port \d+, /;

test.each<[claim: string, script: Script, why: RegExp]>([
  ['hangs', () => {}, /gave no score in 0.2 s$/],
  ['hangs within its answer', (socket) => socket.write('SPAMD/1.1 0 EX_OK\r\nSpam:'), /gave no score in 0.2 s$/],
  ['hangs up', (socket) => socket.destroy(), /(hung up without a score|can’t be asked \(ECONNRESET\))$/],
  [
    'hangs up within its answer',
    answer('SPAMD/1.1 0 EX_OK\r\nContent-length: 9\r\nSpam: True ; 9 / 5\r\n\r\nx'),
    /hung up/,
  ],
  ['resets the connection', (socket) => socket.resetAndDestroy(), /ECONNRESET|hung up/],
  [
    'has an error',
    answer('SPAMD/1.0 76 Bad header line: (EOF)\r\n'),
    /answered "SPAMD\/1.0 76 Bad header line: \(EOF\)"$/,
  ],
  ['gives no score', answer('SPAMD/1.1 0 EX_OK\r\nSpam: Perhaps\r\n\r\n'), /answered "Spam: Perhaps"$/],
  ['is no spamd', answer('220 mail.test ESMTP\r\n'), /answered "220 mail.test ESMTP"$/],
  ['talks without end', (socket) => socket.write(`SPAMD/1.1 0 ${'x'.repeat(300_000)}`), /answered more than a score$/],
])('a daemon that %s is reported, and gives no score', async (_claim, script, why) => {
  await using daemon = await scriptedSpamd(script);
  const bounds = { ...SPAMD_BOUNDS, ms: why.source.startsWith('gave') ? 200 : SPAMD_BOUNDS.ms };
  const said = await score(createSpamd(daemon, systemClock(), bounds));
  expect(said).toMatch(ADDRESS);
  expect(said).toMatch(why);
});

test('an error says that the daemon is not there', async () => {
  const daemon = await scriptedSpamd(() => {});
  await daemon.close();
  expect(await score(createSpamd(daemon, systemClock()))).toMatch(/can’t be asked \(ECONNREFUSED\)$/);
});

test('a daemon that hangs delays all waiting mails together by little more than its timeout', async () => {
  await using daemon = await scriptedSpamd(() => {});
  const filter = createSpamd(daemon, systemClock(), { ...SPAMD_BOUNDS, ms: 1_000 });
  const startedAt = performance.now();
  const said = await Promise.all(Array.from({ length: 40 }, () => score(filter)));
  expect(said.every((one) => typeof one === 'string' && one.endsWith('gave no score in 1 s'))).toBe(true);
  // Ten rounds of four would take 10 s.
  expect(performance.now() - startedAt).toBeLessThan(8_000);
});

test('a mail over the bound is not read', async () => {
  await using daemon = await scriptedSpamd(answer(spamdAnswer('False ; 0 / 5')));
  const filter = createSpamd(daemon, systemClock());
  const said = await filter.score(SPAMD_BOUNDS.bytes + 1, () => Promise.reject(new Error('it was read')), NEVER);
  expect(said).toBe('spamd is asked about no mail of more than 500 KiB');
  expect(await score(filter, Buffer.alloc(SPAMD_BOUNDS.bytes, 'x'))).toMatchObject({ score: 0 });
});

test('closing, and a caller that leaves, end what is under way', async () => {
  let act = () => {};
  await using daemon = await scriptedSpamd(() => act());
  const filter = createSpamd(daemon, systemClock());
  act = () => filter.close();
  expect(await score(filter)).toMatch(/the server is stopping$/);
  let leave = () => {};
  act = () => leave();
  const cancelSignal = {
    isCancelled: false,
    onCancel: (left: () => void) => {
      leave = left;
      return () => {};
    },
  };
  expect(await filter.score(MAIL.length, async () => MAIL, cancelSignal)).toMatch(/nobody waits for the score$/);
});

test('a long answer in small packets is read in linear time', async () => {
  const report = `Content preview: ${'x'.repeat(200_000)}\n`;
  const text = spamdAnswer('True ; 7 / 5.0', [' 7.0 BAD          Bad'], report);
  await using daemon = await scriptedSpamd((socket) => {
    let at = 0;
    const next = () => {
      if (at >= text.length) return void socket.end();
      socket.write(text.slice(at, at + 16), () => setImmediate(next));
      at += 16;
    };
    next();
  });
  const parse = vi.spyOn(Buffer, 'concat');
  expect(await score(createSpamd(daemon, systemClock()))).toMatchObject({ score: 7, rules: [{ name: 'BAD' }] });
  const copied = parse.mock.results.reduce((sum, { value }) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0);
  parse.mockRestore();
  expect(copied).toBeLessThan(4 * text.length);
});

test.each([
  ['a head without end', ''],
  ['an announced length that is too long', 'Content-length: 999999999\r\nSpam: True ; 7 / 5\r\n\r\n'],
])('%s is cut off', async (_, start) => {
  await using daemon = await scriptedSpamd((socket) => {
    socket.on('error', () => {});
    socket.write(`SPAMD/1.1 0 EX_OK\r\n${start}${'A: b\r\n'.repeat(100_000)}`);
  });
  expect(await score(createSpamd(daemon, systemClock()))).toMatch(/answered more than a score$/);
});
