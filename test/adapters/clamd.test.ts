import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createClamd, SCAN_BOUNDS } from '../../src/adapters/clamd.ts';
import { systemClock } from '../../src/adapters/system.ts';
import { answer, type Script, scriptedClamd } from '../support/scripted-clamd.ts';

const SOON = { ...SCAN_BOUNDS, ms: 100 };

function byteByByte(text: string): Script {
  return (socket) => {
    const rest = [...Buffer.from(text)];
    const next = () => {
      const byte = rest.shift();
      if (byte !== undefined) socket.write(Buffer.of(byte), () => setImmediate(next));
    };
    next();
  };
}

test.each([0, 1, 65_536, 65_537, 300_000])('the daemon gets %i bytes unchanged', async (length) => {
  await using daemon = await scriptedClamd(answer('stream: OK'));
  const content = Buffer.from(Array.from({ length }, (_, i) => i % 251));
  expect(await createClamd(daemon, systemClock()).scan(content)).toBe(1);
  expect(daemon.contents.map((got) => got.equals(content))).toEqual([true]);
});

test.each<[reply: string, verdict: number]>([
  ['stream: OK', 1],
  ['stream: Win.Test.EICAR_HDB-1 FOUND', 2],
  ['stream: My.Signature.UNOFFICIAL(0123456789abcdef:20) FOUND', 2],
  ['INSTREAM size limit exceeded. ERROR', 4],
  ['stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND', 4],
])('%s is %i', async (reply, verdict) => {
  await using daemon = await scriptedClamd(answer(reply));
  expect(await createClamd(daemon, systemClock()).scan(Buffer.from('x'))).toBe(verdict);
});

test('an answer that comes byte by byte is waited for', async () => {
  await using daemon = await scriptedClamd(byteByByte('stream: Slow.Virus FOUND\0'));
  expect(await createClamd(daemon, systemClock()).scan(Buffer.from('x'))).toBe(2);
});

test('a daemon that answers and hangs up before it has read everything is understood', async () => {
  await using daemon = await scriptedClamd(
    () => {},
    (socket) => socket.once('data', () => socket.write('INSTREAM size limit exceeded. ERROR\0')),
  );
  expect(await createClamd(daemon, systemClock()).scan(Buffer.alloc(20_000_000))).toBe(4);
});

test('an attachment over the limit is not sent', async () => {
  await using daemon = await scriptedClamd(answer('stream: OK'));
  const clamd = createClamd(daemon, systemClock(), { ...SCAN_BOUNDS, bytes: 10 });
  expect(await clamd.scan(Buffer.alloc(11))).toBe(4);
  expect(await clamd.scan(Buffer.alloc(10))).toBe(1);
  expect(daemon.connections).toBe(1);
});

const nothing = () => {};

test.each<[claim: string, script: Script, greet: ((socket: Socket) => void) | undefined, why: RegExp]>([
  ['hangs at once', nothing, (socket) => socket.pause(), /no verdict in 0.1 s/],
  ['hangs once it has everything', nothing, undefined, /no verdict in 0.1 s/],
  ['never comes to an end', byteByByte('stream: O'), undefined, /no verdict in 0.1 s/],
  ['hangs up at once', nothing, (socket) => socket.destroy(), /hung up|ECONNRESET|EPIPE/],
  ['hangs up once it has everything', (socket) => socket.end(), undefined, /hung up/],
  ['hangs up within its answer', (socket) => socket.end('stream: OK'), undefined, /hung up/],
  ['resets the connection', (socket) => socket.resetAndDestroy(), undefined, /ECONNRESET|hung up/],
  ['has an error', answer('stream: Can’t allocate memory ERROR'), undefined, /answered ".*ERROR"/],
  ['is no clamd', answer('220 mail.test ESMTP'), undefined, /answered "220 mail.test ESMTP"/],
  ['says nothing', answer(''), undefined, /answered ""/],
  ['talks without end', (socket) => socket.write('x'.repeat(100_000)), undefined, /no verdict/],
])('a daemon that %s gives none', async (_claim, script, greet, why) => {
  await using daemon = await scriptedClamd(script, greet);
  const bounds = why.source.startsWith('no verdict in') ? SOON : SCAN_BOUNDS;
  await expect(createClamd(daemon, systemClock(), bounds).scan(Buffer.alloc(500_000))).rejects.toThrow(why);
});

test('a daemon that is not there fails the scan too', async () => {
  const daemon = await scriptedClamd(nothing);
  await daemon.close();
  await expect(createClamd(daemon, systemClock()).scan(Buffer.from('x'))).rejects.toThrow(/ECONNREFUSED/);
});

test('closing ends the scans that run', async () => {
  let clamd = createClamd({ host: '127.0.0.1', port: 1 }, systemClock());
  await using daemon = await scriptedClamd(() => clamd.close());
  clamd = createClamd(daemon, systemClock());
  await expect(clamd.scan(Buffer.from('x'))).rejects.toThrow(/the server is stopping/);
});
