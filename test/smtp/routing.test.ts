import { describe, expect } from 'vitest';
import type { Mailbox } from '../../src/domain/mailbox.ts';
import type { Capture } from './capture.ts';
import { test } from './fixtures.ts';
import { Wire } from './wire.ts';

const CONTENT = 'Subject: x\r\n\r\nbody';

async function recipientsIn(capture: Capture, mailbox: Mailbox): Promise<(readonly string[])[]> {
  return (await capture.messages(mailbox)).map((message) => message.rcptTo);
}

describe('recipients', () => {
  test.for([
    'anyone@shop.mailcap.example.com',
    'ANYONE@SHOP.MAILCAP.EXAMPLE.COM',
    'any+tag+more@shop.mailcap.example.com',
    '"a b"@shop.mailcap.example.com',
    '"a@b"@shop.mailcap.example.com',
    '"a>b\\"c"@shop.mailcap.example.com',
    'any@shop.mailcap.example.com.',
    'пошта@shop.mailcap.example.com',
    "o'hara!#$%&*/=?^_`{|}~-@shop.mailcap.example.com",
    'two..dots.@shop.mailcap.example.com',
  ])('%s goes to the mailbox of the subdomain, kept as written', async (recipient, { start }) => {
    const capture = await start();
    const shop = await capture.addMailbox('shop');
    const wire = await Wire.hello(capture.port);
    expect(await wire.mail(recipient, CONTENT)).toMatch(/^250 /);
    expect(await recipientsIn(capture, shop)).toEqual([[recipient]]);
    const [message] = await capture.messages(shop);
    if (message !== undefined) expect((await capture.facts(message)).envelope.rcptTo).toEqual([recipient]);
    wire.close();
  });

  test.for(['bücher', 'BÜCHER', 'xn--bcher-kva', 'XN--BCHER-KVA'])(
    'at the international subdomain %s are compared by A-label',
    async (label, { start }) => {
      const capture = await start();
      const books = await capture.addMailbox('xn--bcher-kva');
      const wire = await Wire.hello(capture.port);
      await wire.mail(`a@${label}.mailcap.example.com`, CONTENT);
      expect(await recipientsIn(capture, books)).toEqual([[`a@${label}.mailcap.example.com`]]);
      wire.close();
    },
  );

  test('with a source route are the addresses at its end', async ({ start }) => {
    const capture = await start();
    const shop = await capture.addMailbox('shop');
    const wire = await Wire.hello(capture.port);
    await wire.mail('@relay.test,@other.test:user@shop.mailcap.example.com', CONTENT);
    expect(await recipientsIn(capture, shop)).toEqual([['user@shop.mailcap.example.com']]);
    wire.close();
  });

  test('in several mailboxes get one copy for each mailbox, however many they are there', async ({ start }) => {
    const capture = await start();
    const [shop, news] = [await capture.addMailbox('shop'), await capture.addMailbox('news')];
    const wire = await Wire.hello(capture.port);
    const to = [
      'b@shop.mailcap.example.com',
      'a@news.mailcap.example.com',
      'a@shop.mailcap.example.com',
      'c@elsewhere.test',
    ];
    await wire.mail(to, CONTENT);
    expect(await recipientsIn(capture, shop)).toEqual([['b@shop.mailcap.example.com', 'a@shop.mailcap.example.com']]);
    expect(await recipientsIn(capture, news)).toEqual([['a@news.mailcap.example.com']]);
    expect(await recipientsIn(capture, capture.inbox)).toEqual([['c@elsewhere.test']]);
    const [message] = await capture.messages(news);
    if (message !== undefined) expect((await capture.facts(message)).envelope.rcptTo).toEqual(to);
    wire.close();
  });

  test('get all copies or none: if a mailbox is deleted meanwhile, nobody has a copy and the sender gets an error', async ({
    start,
  }) => {
    const capture = await start({ config: { catchAll: 'off' } });
    const [shop, news] = [await capture.addMailbox('shop'), await capture.addMailbox('news')];
    const wire = await Wire.hello(capture.port);
    await wire.sayAll(
      'MAIL FROM:<>',
      'RCPT TO:<a@shop.mailcap.example.com>',
      'RCPT TO:<a@news.mailcap.example.com>',
      'DATA',
    );
    await capture.ctx.store.transaction((tx) => tx.mailboxes.remove(news.id));
    wire.write(CONTENT);
    expect(await wire.say('\r\n.')).toMatch(/^550 5\.1\.1 /);
    expect(await capture.messages(shop)).toEqual([]);
    wire.close();
  });

  test('without a mailbox go to the inbox with catch-all on', async ({ start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    for (const recipient of [
      'x@example.com',
      'x@nobody.mailcap.example.com',
      'x@a.b.mailcap.example.com',
      'x@mailcap.example.com',
      'postmaster',
    ]) {
      expect(await wire.mail(recipient, CONTENT), recipient).toMatch(/^250 /);
    }
    expect(await capture.messages(capture.inbox)).toHaveLength(5);
    wire.close();
  });

  test('without a mailbox get 550 5.1.1 with catch-all off, and the other recipients still get the mail', async ({
    start,
  }) => {
    const capture = await start({ config: { catchAll: 'off' } });
    const wire = await Wire.hello(capture.port);
    await wire.say('MAIL FROM:<a@x.test>');
    expect(await wire.say('RCPT TO:<x@nobody.mailcap.example.com>')).toMatch(/^550 5\.1\.1 /);
    expect(await wire.say('RCPT TO:<x@example.com>')).toMatch(/^550 5\.1\.1 /);
    expect(await wire.say('RCPT TO:<x@inbox.mailcap.example.com>')).toMatch(/^250 2\.1\.5 /);
    await wire.say('DATA');
    expect(await wire.say('Subject: x\r\n\r\n.')).toMatch(/^250 /);
    expect(await recipientsIn(capture, capture.inbox)).toEqual([['x@inbox.mailcap.example.com']]);
    wire.close();
  });
});

describe('senders', () => {
  test.for([
    '',
    `bounce+${'v'.repeat(1_024 - 18)}@x.test`,
    '"quoted sender"@x.test',
    'отправитель@пример.test',
    'user@[127.0.0.1]',
    'user@[IPv6:::1]',
    'user@my_host',
    'user.@x.test',
  ])('<%s> is taken and kept as written', async (sender, { start }) => {
    const capture = await start();
    const wire = await Wire.hello(capture.port);
    expect(await wire.mail('a@inbox.mailcap.example.com', CONTENT, sender)).toMatch(/^250 /);
    const [message] = await capture.messages(capture.inbox);
    expect(message?.mailFrom).toBe(sender);
    wire.close();
  });
});

test('the envelope has the Bcc recipients of a mail without a Bcc header', async ({ start }) => {
  const capture = await start();
  const wire = await Wire.hello(capture.port);
  await wire.mail(
    ['to@inbox.mailcap.example.com', 'bcc@inbox.mailcap.example.com'],
    'To: to@inbox.mailcap.example.com\r\n\r\nx',
  );
  const [message] = await capture.messages(capture.inbox);
  expect(message?.rcptTo).toEqual(['to@inbox.mailcap.example.com', 'bcc@inbox.mailcap.example.com']);
  if (message !== undefined) expect(await capture.raw(message)).toBe('To: to@inbox.mailcap.example.com\r\n\r\nx\r\n');
  wire.close();
});

test('RSET and a second EHLO forget the envelope', async ({ start }) => {
  const capture = await start();
  const wire = await Wire.hello(capture.port);
  for (const forget of ['RSET', 'EHLO again.test']) {
    await wire.sayAll('MAIL FROM:<old@x.test>', 'RCPT TO:<old@inbox.mailcap.example.com>', forget);
    expect(await wire.say('DATA')).toMatch(/^503 5\.5\.1 /);
  }
  await wire.mail('new@inbox.mailcap.example.com', CONTENT, 'new@x.test');
  const [message] = await capture.messages(capture.inbox);
  expect(message).toMatchObject({ mailFrom: 'new@x.test', rcptTo: ['new@inbox.mailcap.example.com'] });
  wire.close();
});
