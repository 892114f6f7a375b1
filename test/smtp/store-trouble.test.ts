import { describe, expect } from 'vitest';
import { refuse } from '../../src/domain/errors.ts';
import { eventually, test } from './fixtures.ts';
import { gate, steeredStore } from './steered-store.ts';
import { Wire } from './wire.ts';

const TO = 'a@inbox.mailcap.example.com';
const SMALL = 'Subject: x\r\n\r\nbody';
const LARGE = Buffer.alloc(1024 * 1024, 'y'.repeat(62).concat('\r\n'));

test('no 250 is sent before the message is durable and visible', async ({ start }) => {
  const steered = steeredStore();
  const capture = await start({ store: steered.store });
  const wire = await Wire.hello(capture.port);
  const held = gate();
  steered.before = { transaction: held.passed };
  let replied = false;
  const reply = wire.mail(TO, SMALL).finally(() => {
    replied = true;
  });
  await held.waiting;
  await new Promise(setImmediate);
  expect(replied).toBe(false);
  held.open();
  expect(await reply).toMatch(/^250 /);
  expect(await capture.messages(capture.inbox)).toHaveLength(1);
  wire.close();
});

describe('a store without space', () => {
  test.for([
    ['put', SMALL],
    ['transaction', SMALL],
    ['write', LARGE],
    ['finish', LARGE],
    ['transaction', LARGE],
  ] as const)(
    'at %s is 452 4.3.1, nothing is stored, and the next mail is accepted',
    async ([at, content], { start }) => {
      const steered = steeredStore();
      const capture = await start({ store: steered.store });
      const wire = await Wire.hello(capture.port);
      steered.before = { [at]: () => Promise.reject(refuse('storage_unavailable')) };
      expect(await wire.mail(TO, content)).toMatch(/^452 4\.3\.1 /);
      expect(steered.writers.aborted + steered.writers.discarded).toBe(steered.writers.opened);
      expect(capture.logged).toEqual([]);
      steered.before = {};
      expect(await wire.mail(TO, content)).toMatch(/^250 /);
      expect(await capture.messages(capture.inbox)).toHaveLength(1);
      wire.close();
    },
  );
});

test('an unexpected failure is 451 4.3.0 and logged, and the client learns nothing of it', async ({ start }) => {
  const steered = steeredStore();
  const capture = await start({ store: steered.store });
  const wire = await Wire.hello(capture.port);
  steered.before = { transaction: () => Promise.reject(new Error('secret path /x')) };
  expect(await wire.mail(TO, SMALL)).toBe('451 4.3.0 Local error in processing');
  expect(capture.logged.map(({ level }) => level)).toEqual(['error']);
  steered.before = {};
  expect(await wire.mail(TO, SMALL)).toMatch(/^250 /);
  wire.close();
});

describe('a large message', () => {
  test('goes to the store in blocks and comes back whole', async ({ start }) => {
    const steered = steeredStore();
    const capture = await start({ store: steered.store });
    const wire = await Wire.hello(capture.port);
    expect(await wire.mail(TO, LARGE)).toMatch(/^250 /);
    const [message] = await capture.messages(capture.inbox);
    if (message === undefined) throw new Error('no message');
    expect(message.sizeBytes).toBe(LARGE.length + 2);
    expect((await capture.raw(message)) === `${LARGE.toString('latin1')}\r\n`).toBe(true);
    expect(steered.writers).toMatchObject({ opened: 1, aborted: 0 });
    expect(steered.writers.largestBlock).toBeLessThanOrEqual(2 * 64 * 1024);
    wire.close();
  });

  test('is not read faster than the store writes: 100 clients wait with a few blocks each', async ({ start }) => {
    const steered = steeredStore();
    const capture = await start({ store: steered.store });
    const held = gate();
    steered.before = { write: held.passed };
    const clients = await Promise.all(Array.from({ length: 100 }, () => Wire.hello(capture.port)));
    const big = Buffer.concat([LARGE, LARGE]);
    const before = process.memoryUsage().arrayBuffers;
    const replies = clients.map((wire) => wire.mail(TO, big));
    await eventually(() => expect(steered.writers.opened).toBe(100));
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    // 200 MiB are in transit. Both ends run in this process and share the bytes to send.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 512 * 1024);
    held.open();
    for (const reply of await Promise.all(replies)) expect(reply).toMatch(/^250 /);
    for (const wire of clients) wire.close();
  });
});

test('a client that vanishes in DATA leaves nothing behind', async ({ start }) => {
  const steered = steeredStore();
  const capture = await start({ store: steered.store });
  for (const content of [SMALL, LARGE]) {
    const wire = await Wire.hello(capture.port);
    await wire.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`, 'DATA');
    wire.write(content);
    if (content === LARGE) await eventually(() => expect(steered.writers.opened).toBe(1));
    wire.socket.resetAndDestroy();
    await eventually(() => expect(capture.server.connections).toBe(0));
  }
  await eventually(() => expect(steered.writers).toMatchObject({ opened: 1, aborted: 1 }));
  expect(await capture.messages(capture.inbox)).toEqual([]);
  expect(capture.logged.filter(({ level }) => level !== 'debug')).toEqual([]);
});

test('a client that vanishes while a block is being written leaves nothing behind either', async ({ start }) => {
  const steered = steeredStore();
  const capture = await start({ store: steered.store });
  const held = gate();
  steered.before = { write: held.passed };
  const wire = await Wire.hello(capture.port);
  await wire.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`, 'DATA');
  wire.write(LARGE);
  await held.waiting;
  wire.socket.resetAndDestroy();
  held.open();
  await eventually(() => expect(capture.server.connections).toBe(0));
  expect(steered.writers).toMatchObject({ opened: 1, aborted: 1 });
  expect(await capture.messages(capture.inbox)).toEqual([]);
});

test('the message of a client that vanishes after the end of data is stored', async ({ start }) => {
  const steered = steeredStore();
  const capture = await start({ store: steered.store });
  const held = gate();
  const wire = await Wire.hello(capture.port);
  await wire.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`, 'DATA');
  steered.before = { transaction: held.passed };
  wire.write(`${SMALL}\r\n.\r\n`);
  await held.waiting;
  wire.socket.resetAndDestroy();
  await eventually(() => expect(capture.server.connections).toBe(0));
  held.open();
  await eventually(async () => expect(await capture.messages(capture.inbox)).toHaveLength(1));
});

test.for([
  ['write', LARGE],
  ['transaction', SMALL],
] as const)('a store that is slow at %s does not make its client an idle one', async ([at, content], { start }) => {
  const steered = steeredStore();
  const capture = await start({ store: steered.store, bounds: { idleMs: 300 } });
  const wire = await Wire.hello(capture.port);
  const held = gate();
  await wire.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${TO}>`, 'DATA');
  steered.before = { [at]: held.passed };
  wire.write(Buffer.concat([Buffer.from(content), Buffer.from('\r\n.\r\n')]));
  await held.waiting;
  // Two connections that are idle, one after the other, show that the time has passed.
  for (let n = 0; n < 2; n++) expect(await (await Wire.open(capture.port)).ended()).toMatch(/^421 4\.4\.2 /);
  held.open();
  expect(await wire.reply()).toMatch(/^250 /);
  wire.close();
});
