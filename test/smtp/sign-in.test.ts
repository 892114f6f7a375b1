import { describe, expect } from 'vitest';
import type { Capture } from './capture.ts';
import { test } from './fixtures.ts';
import { Wire } from './wire.ts';

const CONTENT = 'Subject: x\r\n\r\nbody';
const ELSEWHERE = 'someone@example.com';

function plain(user: string, password: string): string {
  return `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

async function signedIn(capture: Capture, user: string, password = 'any'): Promise<Wire> {
  const wire = await Wire.hello(capture.port);
  expect(await wire.say(plain(user, password))).toMatch(/^235 2\.7\.0 /);
  return wire;
}

describe('signing in with a mailbox', () => {
  test.for(['subdomain', 'id', 'subdomain in capitals', 'id in small letters'])(
    "'s %s puts all mail of the connection into it, whatever the recipients",
    async (how, { start }) => {
      const capture = await start();
      const shop = await capture.addMailbox('shop');
      const name = {
        subdomain: shop.subdomain,
        id: shop.id,
        'subdomain in capitals': 'SHOP',
        'id in small letters': shop.id.toLowerCase(),
      }[how];
      const wire = await signedIn(capture, name ?? '');
      await wire.mail([ELSEWHERE, 'x@inbox.mailcap.example.com'], CONTENT);
      await wire.mail('y@nobody.mailcap.example.com', CONTENT);
      const messages = await capture.messages(shop);
      expect(messages.map((message) => message.rcptTo)).toEqual([
        [ELSEWHERE, 'x@inbox.mailcap.example.com'],
        ['y@nobody.mailcap.example.com'],
      ]);
      expect(await capture.messages(capture.inbox)).toEqual([]);
      if (messages[0] !== undefined) expect((await capture.facts(messages[0])).user).toBe(name);
      wire.close();
    },
  );

  test('works by LOGIN as by PLAIN, with and without an initial response', async ({ start }) => {
    const capture = await start();
    const shop = await capture.addMailbox('shop');
    const dialogues = [
      ['AUTH LOGIN', base64('shop'), base64('any')],
      [`AUTH LOGIN ${base64('shop')}`, base64('any')],
      ['AUTH PLAIN', base64('\0shop\0any')],
      [plain('shop', 'any')],
    ];
    for (const lines of dialogues) {
      const wire = await Wire.hello(capture.port);
      expect((await wire.sayAll(...lines)).at(-1)).toMatch(/^235 2\.7\.0 /);
      await wire.mail(ELSEWHERE, CONTENT);
      wire.close();
    }
    expect(await capture.messages(shop)).toHaveLength(dialogues.length);
  });

  test('with the credentials of a real provider is accepted and does not change the routing', async ({ start }) => {
    const capture = await start();
    const shop = await capture.addMailbox('shop');
    for (const name of ['apikey', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'app@example.com']) {
      const wire = await Wire.hello(capture.port);
      expect(await wire.say(plain(name, 'SG.secret'))).toMatch(/^235 2\.7\.0 /);
      expect(await wire.mail(ELSEWHERE, CONTENT)).toMatch(/^250 /);
      expect(await wire.mail('a@shop.mailcap.example.com', CONTENT)).toMatch(/^250 /);
      wire.close();
    }
    expect(await capture.messages(capture.inbox)).toHaveLength(3);
    expect(await capture.messages(shop)).toHaveLength(3);
  });

  test('that does not exist is 535 5.7.8 with --smtp-auth strict, and another may be tried', async ({ start }) => {
    const capture = await start({ config: { smtpAuth: 'strict' } });
    const wire = await Wire.hello(capture.port);
    const key = await capture.addKey();
    expect(await wire.say(plain('nobody', key))).toMatch(/^535 5\.7\.8 /);
    expect(await wire.mail(ELSEWHERE, CONTENT)).toMatch(/^530 5\.7\.0 /);
    expect(await wire.say(plain('inbox', key))).toMatch(/^235 /);
    expect(await wire.mail(ELSEWHERE, CONTENT)).toMatch(/^250 /);
    expect(await capture.messages(capture.inbox)).toHaveLength(1);
    wire.close();
  });

  test('may be tried ten times on a connection', async ({ start }) => {
    const capture = await start({ config: { smtpAuth: 'strict' } });
    const wire = await Wire.hello(capture.port);
    for (let n = 0; n < 9; n++) expect(await wire.say(plain('nobody', 'x'))).toMatch(/^535 /);
    expect(await wire.say(plain('nobody', 'x'))).toMatch(/^421 4\.7\.0 /);
    await wire.ended();
  });

  test('that is deleted meanwhile gets 550 5.1.1 at RCPT and after DATA', async ({ start }) => {
    const capture = await start();
    const shop = await capture.addMailbox('shop');
    const wire = await signedIn(capture, 'shop');
    await wire.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${ELSEWHERE}>`, 'DATA');
    await capture.ctx.store.transaction((tx) => tx.mailboxes.remove(shop.id));
    expect(await wire.say('Subject: x\r\n\r\n.')).toMatch(/^550 5\.1\.1 /);
    await wire.say('MAIL FROM:<a@x.test>');
    expect(await wire.say(`RCPT TO:<${ELSEWHERE}>`)).toMatch(/^550 5\.1\.1 /);
    expect(await capture.messages(capture.inbox)).toEqual([]);
    wire.close();
  });

  test('also takes mail without a mailbox with catch-all off', async ({ start }) => {
    const capture = await start({ config: { catchAll: 'off' } });
    const shop = await capture.addMailbox('shop');
    const wire = await signedIn(capture, 'shop');
    expect(await wire.mail(ELSEWHERE, CONTENT)).toMatch(/^250 /);
    expect(await capture.messages(shop)).toHaveLength(1);
    wire.close();
  });
});

describe('with --smtp-auth strict', () => {
  const strict = { config: { smtpAuth: 'strict' } } as const;

  test('the password is an API key that can read the mailbox', async ({ start }) => {
    const capture = await start(strict);
    const wire = await signedIn(capture, 'inbox', await capture.addKey());
    expect(await wire.mail(ELSEWHERE, CONTENT)).toMatch(/^250 /);
    wire.close();
  });

  test('any other password is 535 5.7.8: unknown, revoked, of another workspace, of another scope', async ({
    start,
  }) => {
    const capture = await start(strict);
    const shop = await capture.addMailbox('shop');
    const passwords = [
      'any',
      '',
      'svc_live_unknown',
      await capture.addKey({ revoked: true }),
      await capture.addKey({ elsewhere: true }),
      await capture.addKey({ mailboxes: [shop.id] }),
    ];
    const wire = await Wire.hello(capture.port);
    for (const password of passwords)
      expect(await wire.say(plain('inbox', password)), password).toMatch(/^535 5\.7\.8 /);
    wire.close();
  });

  test('mail of a client that does not sign in is refused 530 5.7.0 at every step, however often it asks', async ({
    start,
  }) => {
    const capture = await start(strict);
    const wire = await Wire.hello(capture.port);
    for (let n = 0; n < 5; n++) {
      const replies = await wire.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${ELSEWHERE}>`, 'DATA');
      for (const reply of replies) expect(reply).toMatch(/^530 5\.7\.0 /);
    }
    expect(await capture.messages(capture.inbox)).toEqual([]);
    expect(await capture.ctx.journal.refusals()).toContainEqual(
      expect.objectContaining({ stage: 'mail', reason: 'sign_in_required' }),
    );
    wire.close();
  });

  test('a session whose key is revoked is refused 530 5.7.0, before and after DATA, and may sign in again', async ({
    start,
  }) => {
    const capture = await start(strict);
    const key = await capture.addKey();
    const [one, other] = [await signedIn(capture, 'inbox', key), await signedIn(capture, 'inbox', key)];
    expect(await one.mail(ELSEWHERE, CONTENT)).toMatch(/^250 /);
    await other.sayAll('MAIL FROM:<a@x.test>', `RCPT TO:<${ELSEWHERE}>`, 'DATA');
    await capture.revoke(key);
    expect(await other.say('Subject: late\r\n\r\n.')).toMatch(/^530 5\.7\.0 /);
    expect(await one.say('MAIL FROM:<a@x.test>')).toMatch(/^530 5\.7\.0 /);
    expect(await capture.messages(capture.inbox)).toHaveLength(1);
    expect(await one.say(plain('inbox', key))).toMatch(/^535 /);
    expect(await one.say(plain('inbox', await capture.addKey()))).toMatch(/^235 /);
    expect(await one.mail(ELSEWHERE, CONTENT)).toMatch(/^250 /);
    one.close();
    other.close();
  });
});
