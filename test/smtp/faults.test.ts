import { createTransport } from 'nodemailer';
import { describe, expect } from 'vitest';
import { replaceFaults } from '../../src/actions/faults.ts';
import { type Capture, startCapture } from './capture.ts';
import { test as base, eventually } from './fixtures.ts';
import { Wire } from './wire.ts';

const TO = 'a@inbox.mailcap.example.com';
const CONTENT = 'Subject: x\r\n\r\nbody';
const LATER = '451 4.7.1 try later';
/** A delay longer than any test may take. A test that ends did not wait for it. */
const FOREVER_MS = 600_000;

const PLAIN = `AUTH PLAIN ${Buffer.from('\0shop\0any').toString('base64')}`;
const DIALOGUE = ['EHLO client.test', PLAIN, 'MAIL FROM:<sender@x.test>', `RCPT TO:<${TO}>`, 'DATA'] as const;
const STAGES = ['helo', 'auth', 'mail', 'rcpt', 'data', 'end'] as const;

/** A test with the fixture `shared`, a capture with the mailbox shop. Each test sets rules of its own, which replace all. */
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needed fixtures from the pattern
const test = base.extend('shared', { scope: 'file' }, async ({}, { onCleanup }) => {
  const capture = await startCapture();
  onCleanup(() => capture.end());
  await capture.addMailbox('shop');
  return capture;
});

function set(capture: Capture, ...rules: object[]): Promise<void> {
  return replaceFaults(capture.ctx, rules);
}

/** Runs a session up to the command of a stage. The command is sent, and its reply is not read. */
async function upTo(capture: Capture, stage: (typeof STAGES)[number]): Promise<Wire> {
  const wire = await Wire.open(capture.port);
  const at = STAGES.indexOf(stage);
  for (const line of DIALOGUE.slice(0, at)) await wire.say(line);
  wire.write(`${DIALOGUE[at] ?? `${CONTENT}\r\n.`}\r\n`);
  return wire;
}

function transportTo({ port }: Capture, options: object = {}) {
  return createTransport({ host: '127.0.0.1', port, ignoreTLS: true, ...options });
}

describe('a reply', () => {
  test.for(STAGES)(
    'at %s is sent as often as times says, and then the session goes on as usual',
    async (stage, { shared: capture }) => {
      await set(capture, { stage, action: { reply: LATER }, times: 2 });
      for (let n = 0; n < 2; n++) {
        const wire = await upTo(capture, stage);
        expect(await wire.reply()).toBe(LATER);
        wire.close();
      }
      const wire = await upTo(capture, stage);
      expect(await wire.reply()).toMatch(/^[23]/);
      wire.close();
      expect((await capture.ctx.faults.list()).map(({ applied }) => applied)).toEqual([2]);
    },
  );

  test('at connect replaces the greeting, and the connection ends', async ({ start }) => {
    const capture = await start();
    await set(capture, {
      stage: 'connect',
      match: { clientAddress: '127.*' },
      action: { reply: '554 5.7.1 go away' },
      times: 1,
    });
    const wire = await Wire.open(capture.port, false);
    expect(await wire.reply()).toBe('554 5.7.1 go away');
    await wire.ended();
    (await Wire.hello(capture.port)).close();
  });

  test('at end refuses the whole mail: nothing of it is stored', async ({ start }) => {
    const capture = await start();
    await set(capture, { stage: 'end', action: { reply: '554 5.6.0 spam' }, times: 1 });
    const wire = await Wire.hello(capture.port);
    expect(await wire.mail(TO, CONTENT)).toBe('554 5.6.0 spam');
    expect(await capture.messages(capture.inbox)).toEqual([]);
    expect(await wire.mail(TO, CONTENT)).toMatch(/^250 /);
    wire.close();
  });

  test('of 421 closes the connection', async ({ start }) => {
    const capture = await start();
    await set(capture, { stage: 'mail', action: { reply: '421 4.3.2 restarting' } });
    const wire = await upTo(capture, 'mail');
    expect(await wire.reply()).toBe('421 4.3.2 restarting');
    await wire.ended();
  });

  test('is what nodemailer reports, with its code, for the command', async ({ start }) => {
    const capture = await start();
    const mail = { from: 'a@x.test', to: TO, text: 'x' };
    await set(
      capture,
      { stage: 'mail', action: { reply: '452 4.3.1 full' }, times: 1 },
      { stage: 'rcpt', action: { reply: LATER }, times: 1 },
      { stage: 'data', action: { reply: '554 5.0.0 no' }, times: 1 },
    );
    const errors: unknown[] = [];
    for (let n = 0; n < 3; n++)
      await transportTo(capture)
        .sendMail(mail)
        .catch((error: unknown) => errors.push(error));
    expect(errors).toMatchObject([
      { responseCode: 452, command: 'MAIL FROM' },
      { responseCode: 451, command: 'RCPT TO' },
      { responseCode: 554, command: 'DATA' },
    ]);
    await transportTo(capture).sendMail(mail);
    expect(await capture.messages(capture.inbox)).toHaveLength(1);
  });

  test('to one recipient of three does not stop the mail to the others', async ({ start }) => {
    const capture = await start();
    await set(capture, { stage: 'rcpt', match: { to: '*@SLOW.*' }, action: { reply: LATER } });
    const { accepted, rejected } = await transportTo(capture).sendMail({
      from: 'a@x.test',
      to: ['one@inbox.mailcap.example.com', 'two@slow.mailcap.example.com', 'three@inbox.mailcap.example.com'],
      text: 'x',
    });
    expect([accepted, rejected]).toEqual([
      ['one@inbox.mailcap.example.com', 'three@inbox.mailcap.example.com'],
      ['two@slow.mailcap.example.com'],
    ]);
    expect((await capture.messages(capture.inbox)).map(({ rcptTo }) => rcptTo)).toEqual([accepted]);
  });

  test('comes before a refusal of the server', async ({ start }) => {
    const capture = await start({ config: { catchAll: 'off' } });
    await set(capture, { stage: 'rcpt', action: { reply: LATER }, times: 1 });
    const wire = await Wire.hello(capture.port);
    await wire.say('MAIL FROM:<a@x.test>');
    expect(await wire.say('RCPT TO:<a@nobody.test>')).toBe(LATER);
    expect(await wire.say('RCPT TO:<a@nobody.test>')).toMatch(/^550 5\.1\.1 /);
    wire.close();
  });

  test('without an enhanced code gets the default one', async ({ start }) => {
    const capture = await start();
    await set(capture, { stage: 'mail', action: { reply: '550 no' } });
    const wire = await upTo(capture, 'mail');
    expect(await wire.reply()).toBe('550 5.1.1 no');
    wire.close();
  });
});

describe('match', () => {
  test.for<[(typeof STAGES)[number], object, boolean]>([
    ['helo', { helo: 'client.*' }, true],
    ['helo', { helo: 'other.*' }, false],
    ['auth', { user: 'SHOP', helo: 'client.test' }, true],
    ['auth', { user: 'other' }, false],
    ['mail', { from: '*@x.test', user: 'shop' }, true],
    ['mail', { from: '<>' }, false],
    ['rcpt', { from: 'sender@*', to: 'a@inbox.*' }, true],
    ['rcpt', { from: 'sender@*', to: 'b@inbox.*' }, false],
    ['data', { to: 'a@*', helo: '*' }, true],
    ['end', { to: 'a@*', user: 'shop' }, true],
    ['end', { to: 'b@*' }, false],
  ])('at %s of %j applies: %s', async ([stage, match, applies], { shared: capture }) => {
    await set(capture, { stage, match, action: { reply: LATER } });
    const wire = await upTo(capture, stage);
    expect((await wire.reply()) === LATER).toBe(applies);
    wire.close();
  });

  test('of a mailbox applies to its mail alone, also over many connections at once', async ({ start }) => {
    const capture = await start();
    const [flaky, steady] = [await capture.addMailbox('flaky'), await capture.addMailbox('steady')];
    await set(capture, { stage: 'rcpt', mailboxId: flaky.id, action: { reply: LATER }, times: 10 });
    const send = async (subdomain: string): Promise<string> => {
      const wire = await Wire.hello(capture.port);
      await wire.say('MAIL FROM:<a@x.test>');
      const reply = await wire.say(`RCPT TO:<u@${subdomain}.mailcap.example.com>`);
      wire.close();
      return reply;
    };
    const names = Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? flaky : steady).subdomain);
    const replies = await Promise.all(names.map(send));
    const refused = names.filter((_, n) => replies[n] === LATER);
    expect(refused).toEqual(Array.from({ length: 10 }, () => 'flaky'));
    expect(replies.filter((reply) => reply.startsWith('250'))).toHaveLength(50);
  });

  test.for(['auth', 'mail', 'rcpt', 'data', 'end'] as const)(
    'of a mailbox at %s applies to a client that signed in to it',
    async (stage, { start }) => {
      const capture = await start();
      const shop = await capture.addMailbox('shop');
      await set(
        capture,
        { stage, mailboxId: capture.inbox.id, action: { reply: '554 5.0.0 not this' } },
        { stage, match: { mailboxId: shop.id }, action: { reply: LATER } },
      );
      const wire = await upTo(capture, stage);
      expect(await wire.reply()).toBe(LATER);
      wire.close();
    },
  );

  test('of a mailbox at data and end applies if any recipient belongs to it', async ({ start }) => {
    const capture = await start();
    const shop = await capture.addMailbox('shop');
    await set(capture, { stage: 'end', mailboxId: shop.id, action: { reply: LATER } });
    const wire = await Wire.hello(capture.port);
    expect(await wire.mail(['u@shop.mailcap.example.com', TO], CONTENT)).toBe(LATER);
    expect(await wire.mail(TO, CONTENT)).toMatch(/^250 /);
    wire.close();
  });
});

describe('a drop', () => {
  test.for(STAGES)(
    'at %s closes the connection without a word, and stores nothing',
    async (stage, { shared: capture }) => {
      const { messages } = await capture.ctx.store.read.counts();
      await set(capture, { stage, action: { drop: true }, times: 1 });
      const wire = await upTo(capture, stage);
      expect(await wire.ended()).toBe('');
      await eventually(() => expect(capture.server.connections).toBe(0));
      expect((await capture.ctx.store.read.counts()).messages).toBe(messages);
      const again = await upTo(capture, stage);
      expect(await again.reply()).toMatch(/^[23]/);
      again.close();
    },
  );

  test('at connect comes before the greeting', async ({ start }) => {
    const capture = await start();
    await set(capture, { stage: 'connect', action: { drop: true, delayMs: 1 } });
    const wire = await Wire.open(capture.port, false);
    expect(await wire.ended()).toBe('');
  });

  test('of a connection over TLS closes it as well', async ({ start }) => {
    const capture = await start();
    await set(capture, { stage: 'rcpt', action: { drop: true } });
    const mail = { from: 'a@x.test', to: TO, text: 'x' };
    const transport = transportTo(capture, { ignoreTLS: false, requireTLS: true, tls: { rejectUnauthorized: false } });
    await expect(transport.sendMail(mail)).rejects.toThrow(/closed/i);
  });
});

describe('a delay', () => {
  test.for(['connect', ...STAGES] as const)(
    'at %s delays the reply, and no other client',
    async (stage, { shared: capture }) => {
      await set(capture, { stage, action: { delayMs: 150 }, times: 1 });
      const started = performance.now();
      const held = stage === 'connect' ? await Wire.open(capture.port, false) : await upTo(capture, stage);
      await eventually(async () => expect((await capture.ctx.faults.list())[0]?.applied).toBe(1));
      const other = await Wire.hello(capture.port);
      expect(await other.mail(TO, CONTENT)).toMatch(/^250 /);
      expect(await held.reply()).toMatch(/^[23]/);
      expect(performance.now() - started).toBeGreaterThanOrEqual(145);
      held.close();
      other.close();
    },
  );

  test('may come before a reply', async ({ start }) => {
    const capture = await start();
    await set(capture, { stage: 'rcpt', action: { delayMs: 50, reply: LATER } });
    const started = performance.now();
    const wire = await upTo(capture, 'rcpt');
    expect(await wire.reply()).toBe(LATER);
    expect(performance.now() - started).toBeGreaterThanOrEqual(45);
    wire.close();
  });

  test('keeps the commands that come meanwhile in their order', async ({ start }) => {
    const capture = await start();
    await set(capture, { stage: 'rcpt', action: { delayMs: 20 }, times: 1 });
    const wire = await Wire.hello(capture.port);
    wire.write(`MAIL FROM:<a@x.test>\r\nRCPT TO:<${TO}>\r\nDATA\r\n`);
    expect([await wire.reply(), await wire.reply(), await wire.reply()]).toEqual([
      expect.stringMatching(/^250 2\.1\.0 /),
      expect.stringMatching(/^250 2\.1\.5 /),
      expect.stringMatching(/^354 /),
    ]);
    wire.close();
  });

  test('does not make its client idle', async ({ start }) => {
    const capture = await start({ bounds: { idleMs: 500 } });
    await set(capture, { stage: 'connect', action: { delayMs: 700 } }, { stage: 'rcpt', action: { delayMs: 700 } });
    const wire = await upTo(capture, 'rcpt');
    expect(await wire.reply()).toMatch(/^250 /);
    wire.close();
  });

  test('at the end ends with its client, and stores nothing', async ({ start }) => {
    const capture = await start();
    await set(capture, { stage: 'end', action: { delayMs: FOREVER_MS } });
    const transport = transportTo(capture, { socketTimeout: 100 });
    await expect(transport.sendMail({ from: 'a@x.test', to: TO, text: 'x' })).rejects.toThrow(/timeout/i);
    await eventually(() => expect(capture.server.connections).toBe(0));
    expect(await capture.messages(capture.inbox)).toEqual([]);
    expect(capture.logged).toEqual([]);
  });

  test.for(['connect', 'helo', 'auth', 'mail'] as const)('at %s does not hold up a close', async (stage, { start }) => {
    const capture = await start();
    await set(capture, { stage, action: { delayMs: FOREVER_MS } });
    const held = stage === 'connect' ? await Wire.open(capture.port, false) : await upTo(capture, stage);
    await eventually(async () => expect((await capture.ctx.faults.list())[0]?.applied).toBe(1));
    const closing = performance.now();
    await capture.close(60_000);
    expect(performance.now() - closing).toBeLessThan(30_000);
    expect(await held.reply()).toMatch(/^421 4\.3\.2 /);
  });

  test.for(['rcpt', 'data', 'end'] as const)(
    'at %s delays a close by its grace period at most',
    async (stage, { start }) => {
      const capture = await start();
      await set(capture, { stage, action: { delayMs: FOREVER_MS } });
      const held = await upTo(capture, stage);
      await eventually(async () => expect((await capture.ctx.faults.list())[0]?.applied).toBe(1));
      const closing = performance.now();
      await capture.close(100);
      expect(performance.now() - closing).toBeLessThan(30_000);
      await held.ended();
      expect(await capture.messages(capture.inbox)).toEqual([]);
    },
  );
});

test('of probability 0.5 about half of 200 are refused', async ({ start }) => {
  const capture = await start();
  await set(capture, { stage: 'rcpt', action: { reply: LATER }, probability: 0.5 });
  const wire = await Wire.hello(capture.port);
  await wire.say('MAIL FROM:<a@x.test>');
  const replies = await wire.sayAll(
    ...Array.from({ length: 200 }, (_, n) => `RCPT TO:<u${n}@inbox.mailcap.example.com>`),
  );
  const refused = replies.filter((reply) => reply === LATER).length;
  // The tolerance is ten standard deviations.
  expect(Math.abs(refused - 100)).toBeLessThan(70);
  wire.close();
});
