import { createTransport } from 'nodemailer';
import { describe, expect } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { failure, type Stage, testsOf } from './modes.ts';

const SOON = { timeout: 200 };

async function bySmtp({ mailcap }: Stage, to: string, fields: { subject?: string; cc?: string; bcc?: string } = {}) {
  const transport = createTransport({ ...mailcap.smtp, ignoreTLS: true });
  await transport.sendMail({ from: 'App <app@shop.test>', to, text: 'Hello.', ...fields });
}

const local = testsOf('local');
const cloud = testsOf('cloud');

describe('a timeout, where there is a local API', () => {
  local(
    'tells what came and which filter refused each, and what an earlier wait returned',
    async ({ stage, mailbox }) => {
      await stage.put(mailbox, { Subject: 'First' });
      await mailbox.waitForMessage();
      await stage.put(mailbox, { Subject: 'Welcome' });
      await stage.put(mailbox, { Subject: 'Your code', From: 'else@y.test' });
      const error = await failure(mailbox.waitForMessage({ subject: /code/i, from: 'shop' }, SOON));
      expect(error).toMatchObject({ name: 'WaitTimeoutError', code: 'no_message' });
      expect(error.message).toContain(
        `No message to ${mailbox.address} within 200 ms matched { subject: /code/i, from: "shop" } (waitForMessage).`,
      );
      expect(error.message).toMatch(/"First" from .*: an earlier wait returned it/);
      expect(error.message).toMatch(/"Welcome" from .*: refused, subject has no \/code\/i: it is "Welcome"/);
      expect(error.message).toMatch(/"Your code" from .*: refused, from has no "shop": it is "else@y.test"/);
      expect(error.message).toContain(`${stage.proxy.url}/#/mail/${mailbox.id}`);
    },
  );

  local(
    'tells what went to other mailboxes, what SMTP refused, and when it was last spoken to',
    async ({ stage, mailbox }) => {
      const other = await stage.client.mailbox({ name: 'other' });
      await bySmtp(stage, other.address, { subject: 'Sent astray' });
      await stage.client.local.setFaults([
        { stage: 'rcpt', match: { to: mailbox.address }, action: { reply: '550 5.1.1 gone' } },
      ]);
      await failure(bySmtp(stage, mailbox.address));
      await stage.client.local.setFaults([]);
      const { message } = await failure(mailbox.waitForMessage({}, SOON));
      expect(message).toContain('The handle has received nothing.');
      expect(message).toMatch(/Mail to other addresses:\n.*"Sent astray" from .*mailbox other-/);
      expect(message).toMatch(/SMTP refused:\n(.*\n)*.*at rcpt: 550 5\.1\.1 gone, to user@/);
      expect(message).toMatch(/The last SMTP connection came at .* from 127\.0\.0\.1: 0 mails were accepted/);
    },
  );
});

describe('a mail elsewhere', () => {
  local('is said to match only if every filter of the wait holds', async ({ stage, mailbox }) => {
    const other = await stage.client.mailbox({ name: 'other' });
    await stage.put(other, { Subject: 'Verify', From: 'bigbob@shop.test' }, 'Hello.');
    const about = async (filter: object) => {
      const { message } = await failure(mailbox.waitForMessage(filter, SOON));
      return /"Verify" from .*\(mailbox other-\w+(.*)\)/.exec(message)?.[1];
    };
    expect(await about({ subject: 'verify', body: 'hello' })).toBe(', it matches');
    expect(await about({ subject: 'verify', body: 'unicorn' })).toBe('');
    expect(await about({ subject: /^Ver/ })).toBe(', it matches');
    expect(await about({ subject: /unicorn/ })).toBe(', refused, subject has no /unicorn/: it is "Verify"');
    expect(await about({ from: 'bob@shop.test' })).toMatch(/^, refused, from is not "bob@shop.test": it is /);
    expect(await about({ where: () => false })).toBe(', refused, where returned false');
  });
});

describe('a server with a local API', () => {
  local('is told what a wait is for, and why each mail was refused', async ({ stage, mailbox }) => {
    const welcome = await stage.put(mailbox, { Subject: 'Welcome' }, 'Hello.');
    await mailbox.waitForMessage({ subject: 'Welcome' });
    const waiting = failure(mailbox.waitForCode({ subject: /^Code/, body: 'unicorn' }, { timeout: 60_000 }));
    await stage.armed();
    const refused = await stage.put(mailbox, { Subject: 'Code ÿ' }, 'Hello.');
    const note = async () => {
      const answer = await fetch(`${stage.mailcap.url}/_mailcap/waits`);
      const [wait] = (await answer.json()) as { note: { refused: object[] } | null }[];
      return wait?.note;
    };
    await expect.poll(async () => (await note())?.refused.length).toBe(2);
    expect(await note()).toEqual({
      call: 'waitForCode',
      since: expect.any(String),
      filters: { subject: '/^Code/', body: '"unicorn"' },
      asked: { body: 'unicorn' },
      undecided: ['subject'],
      refused: [
        { id: welcome.id, reason: 'an earlier wait returned it' },
        { id: refused.id, reason: 'refused, body has no "unicorn": it is "Hello."' },
      ],
    });
    await stage.put(mailbox, { Subject: 'Code' }, 'unicorn');
    expect(await waiting).toMatchObject({ code: 'no_code' });
  });

  cloud('that has none is told nothing', async ({ stage, mailbox }) => {
    await failure(mailbox.waitForMessage({ subject: /x/ }, SOON));
    const awaits = stage.proxy.seen.filter(({ path }) => path.includes('/await?'));
    expect(awaits.length).toBeGreaterThan(0);
    expect(awaits.filter(({ headers }) => 'mailcap-wait' in headers)).toEqual([]);
  });
});

describe('an app that sent nothing to this mailbox', () => {
  local(
    'whose mail went to another workspace: the report shows the mail, and does not say that nobody connected',
    async ({ stage, mailbox }) => {
      const { id } = await stage.client.local.createWorkspace({ name: 'another' });
      const { key } = await stage.client.local.createKey(id, { name: 'its' });
      const options = { baseUrl: stage.mailcap.url, apiKey: key, workspaceId: id };
      const theirs = await createClient(options).mailbox();
      await bySmtp(stage, theirs.address, { subject: 'Lost' });
      const { message, ...rest } = await failure(mailbox.waitForMessage({ subject: 'lost' }, SOON));
      expect(message).toMatch(/Mail in other workspaces of this server.*:\n.*"Lost" from App/);
      expect(message).not.toContain('No SMTP client has connected');
      expect(rest).toMatchObject({ isSilent: false });
      const other = await failure(mailbox.waitForMessage({ subject: 'else' }, SOON));
      expect(other.message).not.toContain('"Lost"');
    },
  );

  local('that sends to another server is asked whether it knows this one', async ({ stage }) => {
    const mailbox = await stage.client.mailbox();
    const error = await failure(mailbox.waitForMessage({}, SOON));
    expect(error).toMatchObject({ isSilent: true });
    expect(error.message).toContain(`Does the app send to smtp://127.0.0.1:${stage.mailcap.smtp.port}?`);
    expect(error.message).toContain('MAILCAP_SMTP_URL');
  });
});

describe('the filter that refused a message', () => {
  for (const its of [local, cloud]) {
    its('is every filter that did, whichever was asked first', async ({ stage, mailbox }) => {
      await stage.put(mailbox, { Subject: 'Welcome' }, 'Hello.');
      const filter = { subject: 'a', from: 'b@', to: 'nobody@', body: 'd', where: () => false };
      const { message } = await failure(mailbox.waitForMessage(filter, SOON));
      expect(message).toMatch(
        /refused, subject has no "a".*; from has no "b@".*; to has no "nobody@".*; body has no "d".*; where returned false/,
      );
      const throws = (): boolean => {
        throw new Error('it has no code');
      };
      const error = await failure(mailbox.waitForMessage({ subject: 'a', where: throws }, SOON));
      expect(error.message).toContain('where threw it has no code');
    });

    its('and a request', async ({ stage }) => {
      const webhook = await stage.client.webhook();
      await fetch(webhook.url, { method: 'POST', body: 'x' });
      const filter = { method: 'PUT', path: '/a', query: 'b', body: 'c', where: () => false };
      const { message } = await failure(webhook.waitForRequest(filter, SOON));
      expect(message).toMatch(
        /refused, method is POST.*; path has .*; query has .*; body has no "c".*; where returned false/,
      );
    });

    its('a message that one asked for the newest passed over is told from one returned', async ({ stage, mailbox }) => {
      for (const Subject of ['one', 'two']) await stage.put(mailbox, { Subject });
      expect(await mailbox.waitForMessage({}, { pick: 'newest' })).toMatchObject({ subject: 'two' });
      const { message } = await failure(mailbox.waitForMessage({}, SOON));
      expect(message).toMatch(/"one" from .*: an earlier wait with pick: 'newest' discarded it/);
      expect(message).toMatch(/"two" from .*: an earlier wait returned it/);
    });

    its('an error about no filter says nothing of one', async ({ stage, mailbox }) => {
      for (const Subject of ['one', 'two']) await stage.put(mailbox, { Subject });
      expect((await failure(mailbox.waitForMessage())).message).toContain('but the wait is for one:\n');
      expect((await failure(mailbox.expectNoMessage({}, { for: 1 }))).message).toMatch(/\.com, but there is:/);
    });
  }

  local('a refusal of a null sender shows it', async ({ stage, mailbox }) => {
    await stage.client.local.setFaults([
      { stage: 'rcpt', match: { to: mailbox.address }, action: { reply: '550 5.1.1 gone' } },
    ]);
    const transport = createTransport({ ...stage.mailcap.smtp, ignoreTLS: true });
    await failure(transport.sendMail({ envelope: { from: '', to: mailbox.address }, text: 'x' }));
    await stage.client.local.setFaults([]);
    expect((await failure(mailbox.waitForMessage({}, SOON))).message).toMatch(/550 5\.1\.1 gone, to user@.*, from <>/);
  });
});

describe('a timeout in a workspace of its own', () => {
  local('tells what went to nobody: the inbox has it, in another workspace', async ({ stage }) => {
    const { local: api } = stage.client;
    const { id: workspaceId } = await api.createWorkspace({ name: 'worker' });
    const { key: apiKey } = await api.createKey(workspaceId, { name: 'worker' });
    const client = createClient({ baseUrl: stage.proxy.url, apiKey, workspaceId });
    const mailbox = await client.mailbox();
    await bySmtp(stage, 'ada@exmaple.com', { subject: 'Mistyped' });
    const { message } = await failure(mailbox.waitForMessage({}, SOON));
    expect(message).toMatch(
      /Mail to other addresses:\n.*"Mistyped" from .*ada@exmaple\.com \(in the inbox, which receives/,
    );
    expect(message).toContain(
      "To receive the mail to ada@exmaple.com, let the mailbox claim the address: { addresses: ['ada@exmaple.com'] }.",
    );
  });
});

local(
  'a timeout in the workspace of the inbox says how to claim an address that nobody has',
  async ({ stage, mailbox }) => {
    await bySmtp(stage, 'ada@exmaple.com', { subject: 'Mistyped' });
    const { message } = await failure(mailbox.waitForMessage({}, SOON));
    expect(message.match(/"Mistyped"/g)).toHaveLength(1);
    expect(message).toContain("let the mailbox claim the address: { addresses: ['ada@exmaple.com'] }.");
  },
);

local('no timeout advises to claim an address that the handle has', async ({ stage, mailbox }) => {
  const both = { from: 'app@x.test', to: [mailbox.address, 'bob@exmaple.com'], subject: 'Both', text: 'Hi' };
  await createTransport({ ...stage.mailcap.smtp, ignoreTLS: true }).sendMail(both);
  const { message } = await failure(mailbox.waitForMessage({ subject: 'Other' }, SOON));
  expect(message).toContain("let the mailbox claim the address: { addresses: ['bob@exmaple.com'] }.");
});

local(
  'a timeout names no connection from before the handle as the last beside mail that came since',
  async ({ stage }) => {
    const { local: api } = stage.client;
    const clientOf = async (name: string) => {
      const { id: workspaceId } = await api.createWorkspace({ name });
      const { key: apiKey } = await api.createKey(workspaceId, { name });
      return createClient({ baseUrl: stage.proxy.url, apiKey, workspaceId });
    };
    const [mine, theirs] = await Promise.all([clientOf('mine'), clientOf('theirs')]);
    await createTransport({ ...stage.mailcap.smtp, ignoreTLS: true }).verify();
    const [mailbox, other] = await Promise.all([mine.mailbox(), theirs.mailbox()]);
    await bySmtp(stage, other.address, { subject: 'Lost' });
    const { message } = await failure(mailbox.waitForMessage({ subject: 'lost' }, SOON));
    expect(message).toMatch(/Mail in other workspaces of this server.*:\n.*"Lost" from App/);
    expect(message).not.toContain('The last SMTP connection');
  },
);

describe('a timeout in the cloud', () => {
  cloud('tells the same from the list of the shared mailbox alone', async ({ stage, mailbox }) => {
    const other = await stage.client.mailbox();
    await stage.put(other, { Subject: 'Sent astray' });
    await stage.put(mailbox, { Subject: 'Welcome' });
    const { message } = await failure(mailbox.waitForCode({ subject: 'code' }, SOON));
    expect(message).toContain('within 200 ms matched { subject: "code" } (waitForCode)');
    expect(message).toMatch(/has received:\n.*"Welcome" from .*: refused, subject has no "code"/);
    expect(message).toMatch(/Mail to other addresses:\n.*"Sent astray"/);
    expect(message).not.toContain('SMTP');
  });

  cloud('an address of a shared mailbox gets what is sent to it by To, Cc or Bcc', async ({ stage, mailbox }) => {
    await bySmtp(stage, mailbox.address, { subject: 'to' });
    await bySmtp(stage, 'someone@x.test', { subject: 'cc', cc: mailbox.addressFor('cc') });
    await bySmtp(stage, 'someone@x.test', { subject: 'bcc', bcc: mailbox.addressFor('bcc') });
    expect((await mailbox.waitForMessages(3)).map(({ subject }) => subject)).toEqual(['to', 'cc', 'bcc']);
    const other = await stage.client.mailbox();
    expect(other.id).toBe(mailbox.id);
    await other.expectNoMessage({}, { for: 50 });
  });
});
