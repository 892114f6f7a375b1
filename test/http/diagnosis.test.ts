import { describe, expect, test as plain, vi } from 'vitest';
import { Wire } from '../smtp/wire.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { addWorkspace, json, outcome, putMail } from './support.ts';

interface Part<Item> {
  readonly items: readonly Item[];
  readonly leftOut: number;
  readonly exact: boolean;
}

interface Diagnosis {
  readonly messages: Part<{ readonly id: string; readonly refusedBy: readonly unknown[] }>;
  readonly elsewhere: Part<{ readonly id: string; readonly matches: boolean; readonly subdomain: string }>;
  readonly refusals: Part<{ readonly stage: string; readonly reply: string; readonly recipient: string | null }>;
  readonly lastConnection: Readonly<Record<string, unknown>> | null;
}

function diagnose(server: TestServer, mailboxId: string, query: Record<string, string> = {}): Promise<Diagnosis> {
  return json<Diagnosis>(server.api(`/_mailcap/mailboxes/${mailboxId}/diagnosis?${new URLSearchParams(query)}`));
}

const CONTENT = 'Subject: x\r\n\r\nbody';

describe('GET /_mailcap/mailboxes/{id}/diagnosis: messages', () => {
  test('each message has the filters that refused it, and the texts that each filter saw', async ({
    mailcap,
    mailbox,
  }) => {
    const match = await putMail(mailcap, mailbox.id, { Subject: 'Welcome, Ada', From: 'Shop <shop@x.test>' });
    const wrong = await putMail(mailcap, mailbox.id, { Subject: 'Invoice', From: 'bill@y.test', Cc: 'c@z.test' });
    const none = await putMail(mailcap, mailbox.id, { Subject: '', From: 'Shop <shop@x.test>' });
    const answer = await diagnose(mailcap, mailbox.id, { subject: 'WELCOME', from: 'shop@', to: 'user@' });
    expect(answer).toMatchObject({
      mailboxId: mailbox.id,
      address: `*@${mailbox.subdomain}.mailcap.example.com`,
      filters: {
        ...{ subject: 'WELCOME', from: 'shop@', to: 'user@' },
        ...{ body: null, header: null, code: null, link: null, query: null },
      },
      messages: { leftOut: 0, exact: true },
    });
    expect(answer.messages.items).toEqual([
      expect.objectContaining({
        id: none.id,
        refusedBy: [{ filter: 'subject', wanted: 'WELCOME', saw: [], sawLeftOut: 0 }],
      }),
      {
        ...{ id: wrong.id, kind: 'email' },
        receivedAt: wrong.receivedAt,
        from: 'bill@y.test',
        to: 'user@box.mailcap.example.com',
        subject: 'Invoice',
        refusedBy: [
          { filter: 'subject', wanted: 'WELCOME', saw: ['Invoice'], sawLeftOut: 0 },
          { filter: 'from', wanted: 'shop@', saw: ['bill@y.test'], sawLeftOut: 0 },
        ],
      },
      expect.objectContaining({ id: match.id, refusedBy: [] }),
    ]);
  });

  test('the filter `to` looks at To, Cc and the recipients, of which it shows ten', async ({ mailcap, mailbox }) => {
    const wire = await Wire.hello(mailcap.smtp.port);
    const rcptTo = Array.from({ length: 20 }, (_, n) => mailbox.address(`u${n}`));
    await wire.mail(rcptTo, `To: ${'t'.repeat(500)}@x.test\r\nCc: cc@x.test\r\n\r\nx`);
    wire.close();
    const { messages } = await diagnose(mailcap, mailbox.id, { to: 'nobody' });
    const saw = [expect.stringMatching(/^t{200}…$/), 'cc@x.test', ...rcptTo.slice(0, 8)];
    expect(messages.items[0]?.refusedBy).toEqual([{ filter: 'to', wanted: 'nobody', saw, sawLeftOut: 12 }]);
  });

  test('the window begins five minutes before, or at since', async ({ mailcap, mailbox }) => {
    const { clock } = mailcap.ctx;
    const old = await putMail(mailcap, mailbox.id);
    const ids = async (query?: Record<string, string>) =>
      (await diagnose(mailcap, mailbox.id, query)).messages.items.map(({ id }) => id);
    try {
      clock.setOffsetMs(299_000);
      expect(await ids()).toEqual([old.id]);
      clock.setOffsetMs(301_000);
      expect(await ids()).toEqual([]);
      expect(await ids({ since: old.receivedAt })).toEqual([old.id]);
    } finally {
      clock.setOffsetMs(0);
    }
  });

  test('fifty messages are shown, with the number of the others', async ({ mailcap, mailbox }) => {
    for (let n = 0; n < 53; n++) await putMail(mailcap, mailbox.id, { Subject: `${n}` });
    const { messages } = await diagnose(mailcap, mailbox.id, { subject: 'x' });
    expect(messages.items).toHaveLength(50);
    expect(messages.items[0]).toMatchObject({ subject: '52' });
    expect(messages).toMatchObject({ leftOut: 3, exact: true });
  });

  test('since unreadable is 400 invalid_since; an unknown mailbox is 404', async ({ mailcap, mailbox }) => {
    const path = (id: string) => `/_mailcap/mailboxes/${id}/diagnosis?since=yesterday`;
    expect(await outcome(mailcap.api(path(mailbox.id)))).toEqual({ status: 400, body: { error: 'invalid_since' } });
    expect((await mailcap.api(path('01JD5Z3V8W0123456789ABCDEF'))).status).toBe(404);
  });
});

const TEXT = 'Your code is 481920. Or click: https://shop.test/verify?token=abcdef0123456789';
const HEAD = { Subject: 'Sign up', 'X-Campaign': 'the spring one' };

describe('GET /_mailcap/mailboxes/{id}/diagnosis: every condition of the local await', () => {
  const CONDITIONS = {
    ...{ subject: 'sign', from: 'SHOP@x', to: 'user@', body: 'your  CODE is', header: 'X-Campaign: Spring' },
    ...{ code: '1', link: 'verify', query: '!has:attachment larger:10' },
  };

  test.for([
    [{ ...HEAD, Subject: 'Other' }, TEXT, { filter: 'subject', wanted: 'sign', saw: ['Other'] }],
    [HEAD, TEXT.replace('Your', 'A'), { filter: 'body', wanted: 'your  CODE is', saw: [TEXT.replace('Your', 'A')] }],
    [{ Subject: 'Sign up' }, TEXT, { filter: 'header', wanted: 'X-Campaign: Spring', saw: [] }],
    [{ ...HEAD, 'X-Campaign': 'fall' }, TEXT, { filter: 'header', wanted: 'X-Campaign: Spring', saw: ['fall'] }],
    [HEAD, TEXT.replace('481920', 'here'), { filter: 'code', wanted: '1', saw: [] }],
    [
      HEAD,
      TEXT.replace('verify', 'unsubscribe'),
      { filter: 'link', wanted: 'verify', saw: ['unsubscribe https://shop.test/unsubscribe?token=abcdef0123456789'] },
    ],
  ] as const)('%o is refused by one, as in a wait', async ([head, text, refused], { mailcap, mailbox }) => {
    await putMail(mailcap, mailbox.id, { ...head, From: 'shop@x.test' }, text);
    const { id } = await putMail(mailcap, mailbox.id, { ...HEAD, From: 'shop@x.test' }, TEXT);
    const { messages } = await diagnose(mailcap, mailbox.id, CONDITIONS);
    expect(messages.items[0]).toMatchObject({ id, refusedBy: [] });
    expect(messages.items[1]?.refusedBy).toEqual([{ ...refused, sawLeftOut: 0 }]);
  });

  test('a plain mail matches no condition, and each search word is reported by itself', async ({
    mailcap,
    mailbox,
  }) => {
    await putMail(mailcap, mailbox.id, { Subject: 'Welcome' }, 'Hello.');
    const query = { body: 'unicorn', link: 'verify', code: '1', header: 'X-None', query: 'has:attachment !body:hello' };
    const { messages, filters } = await json<Diagnosis & { filters: object }>(
      mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/diagnosis?${new URLSearchParams(query)}`),
    );
    expect(filters).toMatchObject({ ...query, subject: null });
    expect(messages.items[0]?.refusedBy).toMatchObject([
      { filter: 'body', wanted: 'unicorn', saw: ['Hello.'] },
      { filter: 'header', wanted: 'X-None' },
      { filter: 'code', wanted: '1' },
      { filter: 'link', wanted: 'verify', saw: [] },
      { filter: 'query', wanted: 'has:attachment', saw: [] },
      { filter: 'query', wanted: '!body:"hello"', saw: ['Hello.'] },
    ]);
  });

  test('a mail elsewhere matches only if all of them hold', async ({ mailcap, mailbox }) => {
    const other = await mailcap.addMailbox();
    const plain = await putMail(mailcap, other.id, { Subject: 'Welcome' }, 'Hello.');
    const { id } = await putMail(mailcap, other.id, { Subject: 'Welcome' }, TEXT);
    const asked = async (query: Record<string, string>) =>
      (await diagnose(mailcap, mailbox.id, query)).elsewhere.items
        .filter((one) => [plain.id, id].includes(one.id))
        .map((one) => [one.id, one.matches]);
    expect(await asked({ link: 'verify' })).toEqual([
      [id, true],
      [plain.id, false],
    ]);
    expect(await asked({ body: 'unicorn', link: 'verify' })).toEqual([
      [id, false],
      [plain.id, false],
    ]);
  });

  test.for([
    ['header=a%20b', 'invalid_header'],
    ['code=yes', 'invalid_code'],
    ['link=nice', 'invalid_link'],
    ['query=%22open', 'invalid_query'],
  ] as const)('%s is 400 %s', async ([query, error], { mailcap, mailbox }) => {
    const path = `/_mailcap/mailboxes/${mailbox.id}/diagnosis?${query}`;
    expect(await outcome(mailcap.api(path))).toMatchObject({ status: 400, body: { error } });
  });
});

describe('GET /_mailcap/mailboxes/{id}/diagnosis: what went elsewhere', () => {
  plain('tells those that match first, bounded, and none of other workspaces', async () => {
    await using server = await startServer();
    const [asked, other] = [await server.addMailbox(), await server.addMailbox({ subdomain: 'sing-up' })];
    const foreign = await addWorkspace(server, { name: 'foreign' });
    const box = await json<{ id: string }>(
      server.api(`/v1/workspaces/${foreign.id}/mailboxes`, { json: { name: 'foreign' }, headers: foreign.headers }),
    );
    await putMail(server, box.id, { Subject: 'Welcome, stranger' });
    const welcome = await putMail(server, other.id, { Subject: 'Welcome' });
    for (let n = 0; n < 25; n++) await putMail(server, server.mailboxId, { Subject: `${n}` });
    await putMail(server, asked.id, { Subject: 'here' });
    const { elsewhere, messages } = await diagnose(server, asked.id, { subject: 'welcome' });
    expect(messages.items).toHaveLength(1);
    expect(elsewhere.items).toHaveLength(20);
    expect(elsewhere).toMatchObject({ leftOut: 6, exact: true });
    const [first, second] = elsewhere.items;
    expect(first).toEqual({
      ...{ id: welcome.id, kind: 'email' },
      receivedAt: welcome.receivedAt,
      ...{ from: welcome.from, to: welcome.to, subject: 'Welcome' },
      ...{ mailboxId: other.id, subdomain: 'sing-up', matches: true },
    });
    expect(second).toMatchObject({ subject: '24', matches: false, subdomain: 'inbox' });
  });
});

plain('a text message, which has no subject, tells its kind', async () => {
  await using server = await startServer();
  const account = `AC${'0'.repeat(32)}`;
  await fetch(`${server.url}/providers/twilio/2010-04-01/Accounts/${account}/Messages.json`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${account}:any`).toString('base64')}` },
    body: new URLSearchParams({ From: '+12025550100', To: '+12025550101', Body: 'Your code is 482913' }),
  });
  const { messages } = await diagnose(server, server.mailboxId, { body: 'Welcome' });
  expect(messages.items).toMatchObject([
    { kind: 'sms', subject: null, from: '+12025550100', refusedBy: [{ filter: 'body' }] },
  ]);
});

describe('GET /_mailcap/mailboxes/{id}/diagnosis: SMTP', () => {
  plain('tells a sign-in that was refused, and the mail that came without one', async () => {
    await using server = await startServer({ smtpAuth: 'strict' });
    const box = await server.addMailbox();
    const wire = await Wire.hello(server.smtp.port);
    await wire.say(`AUTH PLAIN ${Buffer.from('\0nobody\0secret').toString('base64')}`);
    await wire.say('MAIL FROM:<a@x.test>');
    wire.close();
    const { refusals } = await diagnose(server, box.id);
    expect(refusals).toMatchObject({
      items: [
        { stage: 'mail', reason: 'sign_in_required', reply: '530 5.7.0 Authentication required' },
        { stage: 'auth', reason: 'credentials_invalid', reply: '535 5.7.8 Authentication credentials invalid' },
      ],
    });
  });

  plain('tells what was refused at every stage, newest first, with its reply and recipient', async () => {
    await using server = await startServer({ catchAll: 'off', smtpSize: 1_024 });
    const box = await server.addMailbox();
    const wire = await Wire.hello(server.smtp.port);
    await wire.say('MAIL FROM:<a@x.test> SIZE=5000');
    await wire.say('MAIL FROM:<a@x.test>');
    await wire.say('RCPT TO:<typo@bxo.mailcap.example.com>');
    await wire.say('RCPT TO:no brackets');
    await wire.say(`RCPT TO:<${box.address()}>`);
    await wire.say('DATA');
    await wire.say(`${'x'.repeat(2_000)}\r\n.`);
    wire.close();
    await server.api('/_mailcap/faults', {
      method: 'PUT',
      json: [{ stage: 'connect', action: { reply: '554 5.7.1 no' } }],
    });
    const turnedAway = await Wire.open(server.smtp.port, false);
    await turnedAway.reply();
    const { refusals } = await diagnose(server, box.id);
    const common = { clientAddress: '127.0.0.1', mailFrom: null, recipient: null, recipientCount: 0, mailboxId: null };
    const at = expect.any(String);
    const bySender = { ...common, mailFrom: 'a@x.test', recipientCount: 1 };
    expect(refusals).toEqual({
      items: [
        { ...common, at, stage: 'connect', reply: '554 5.7.1 no', reason: 'fault' },
        {
          ...{ ...bySender, at, stage: 'end', reply: '552 5.3.4 Message too big', reason: 'too_large' },
          ...{ recipient: box.address(), mailboxId: box.id },
        },
        {
          ...{ ...bySender, at, stage: 'rcpt', reason: 'bad_syntax', recipient: 'no brackets' },
          reply: expect.stringMatching(/^501 5\.1\.3 /),
        },
        {
          ...{ ...bySender, at, stage: 'rcpt', reason: 'no_such_mailbox', recipient: 'typo@bxo.mailcap.example.com' },
          reply: '550 5.1.1 No such mailbox here',
        },
        { ...common, at, stage: 'mail', reply: expect.stringMatching(/^552 5\.3\.4 /), reason: 'too_large' },
      ],
      leftOut: 0,
      exact: true,
    });
    expect(JSON.stringify(refusals)).not.toContain('secret');
  });

  plain('tells the last connection: when, from where, and how far it got', async () => {
    await using server = await startServer();
    const box = await server.addMailbox();
    expect((await diagnose(server, box.id)).lastConnection).toBeNull();
    const wire = await Wire.hello(server.smtp.port);
    expect((await diagnose(server, box.id)).lastConnection).toEqual({
      ...{
        openedAt: expect.any(String),
        closedAt: null,
        clientAddress: '127.0.0.1',
        clientPort: wire.socket.localPort,
      },
      ...{ helo: 'client.test', user: null, tls: 'unused', reached: 'helo', accepted: 0 },
      ...{ lastRefusal: null, mailboxId: null },
    });
    await wire.startTls();
    await wire.say('EHLO client.test');
    await wire.say(`AUTH PLAIN ${Buffer.from(`\0${box.subdomain}\0any`).toString('base64')}`);
    await wire.mail('anybody@example.com', CONTENT);
    await wire.say('MAIL FROM:<a@x.test>');
    await wire.say('RCPT TO:no brackets');
    wire.close();
    await vi.waitFor(
      async () => {
        expect((await diagnose(server, box.id)).lastConnection).toMatchObject({
          ...{ closedAt: expect.any(String), tls: 'up', user: box.subdomain, mailboxId: box.id },
          ...{ reached: 'mail', accepted: 1, lastRefusal: expect.stringMatching(/^501 /) },
        });
      },
      { timeout: 15_000 },
    );
  });

  plain('tells of a client that refuses the certificate that it asked for TLS and went no further', async () => {
    await using server = await startServer();
    const wire = await Wire.hello(server.smtp.port);
    await wire.say('STARTTLS');
    wire.close();
    await vi.waitFor(
      async () => {
        const { lastConnection } = await diagnose(server, server.mailboxId);
        expect(lastConnection).toMatchObject({ tls: 'asked', reached: 'helo', closedAt: expect.any(String) });
      },
      { timeout: 15_000 },
    );
  });

  plain('tells of a client that leaves because STARTTLS is not offered, or refused', async () => {
    const left = async (starttls: 'auto' | 'on' | 'off', ...commands: string[]) => {
      await using server = await startServer({ starttls });
      const wire = await Wire.hello(server.smtp.port);
      for (const command of commands) await wire.say(command);
      wire.close();
      const last = async () => (await diagnose(server, server.mailboxId)).lastConnection;
      await vi.waitFor(async () => expect((await last())?.['closedAt']).toEqual(expect.any(String)), {
        timeout: 15_000,
      });
      return (await last())?.['tls'];
    };
    expect(await left('auto', 'QUIT')).toBe('missed');
    expect(await left('auto')).toBe('missed');
    expect(await left('off', 'STARTTLS', 'QUIT')).toBe('refused');
    expect(await left('on', 'QUIT')).toBe('unused');
    expect(await left('auto', 'MAIL FROM:<a@x.test>', 'RSET', 'QUIT')).toBe('unused');
  });

  plain('leaves out what concerns mailboxes of other workspaces', async () => {
    await using server = await startServer();
    const foreign = await addWorkspace(server, { name: 'foreign' });
    await json(
      server.api(`/v1/workspaces/${foreign.id}/mailboxes`, { json: { name: 'foreign' }, headers: foreign.headers }),
    );
    const rule = { stage: 'end', action: { reply: '554 5.6.0 spam' } };
    await server.api('/_mailcap/faults', { method: 'PUT', json: [rule] });
    const own = await Wire.hello(server.smtp.port);
    await own.mail('a@inbox.mailcap.example.com', CONTENT);
    own.close();
    const theirs = await Wire.hello(server.smtp.port);
    await theirs.mail('secret@foreign.mailcap.example.com', CONTENT);
    theirs.close();
    const { refusals, lastConnection } = await diagnose(server, server.mailboxId);
    expect(refusals.items).toMatchObject([{ recipient: 'a@inbox.mailcap.example.com', mailboxId: server.mailboxId }]);
    expect(lastConnection).toMatchObject({ mailboxId: server.mailboxId });
  });

  plain('is bounded: fifty refusals are shown, two hundred known; longer texts are cut', async () => {
    await using server = await startServer({ catchAll: 'off' });
    const wire = await Wire.hello(server.smtp.port);
    await wire.say('MAIL FROM:<a@x.test>');
    const refuse = async (count: number) => {
      for (let n = 0; n < count; n++) await wire.say(`RCPT TO:<${'x'.repeat(1_000)}${n}@nobody.test>`);
      return (await diagnose(server, server.mailboxId)).refusals;
    };
    expect(await refuse(60)).toMatchObject({ leftOut: 10, exact: true });
    const refusals = await refuse(190);
    expect(refusals).toMatchObject({ leftOut: 150, exact: false });
    expect(refusals.items).toHaveLength(50);
    expect(refusals.items[0]?.recipient).toMatch(/^x{320}…$/);
    wire.close();
  });

  plain('is forgotten at a reset', async () => {
    await using server = await startServer({ catchAll: 'off' });
    const wire = await Wire.hello(server.smtp.port);
    await wire.mail('a@nobody.test', CONTENT);
    wire.close();
    expect((await diagnose(server, server.mailboxId)).refusals.items).not.toEqual([]);
    await server.reset();
    const { refusals, lastConnection } = await diagnose(server, server.mailboxId);
    expect([refusals.items, lastConnection]).toEqual([[], null]);
  });
});
