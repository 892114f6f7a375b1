import nodemailer from 'nodemailer';
import { describe, expect, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { failure, testsOf } from './modes.ts';

const test = testsOf('local');
const cloud = testsOf('cloud');

async function mail({ smtp: { host, port } }: TestServer, to: string, subject: string): Promise<void> {
  const transport = nodemailer.createTransport({ host, port, ignoreTLS: true });
  await transport.sendMail({ from: 'app@x.test', to, subject, text: 'Hello.' });
  transport.close();
}

describe('claimed addresses', () => {
  test('mail to a claimed address comes to the handle that claims it', async ({ stage }) => {
    const addresses = ['alice@email.com', '*@acme.test'];
    const mailbox = await stage.client.mailbox({ addresses });
    expect(mailbox.addresses).toEqual(addresses);
    await mail(stage.mailcap, 'Alice+tag@EMAIL.com', 'with a tag, in any case');
    await mail(stage.mailcap, 'anybody@acme.test', 'the domain');
    await mail(stage.mailcap, mailbox.address, 'its own');
    const subjects = (await mailbox.waitForMessages(3)).map(({ subject }) => subject);
    expect(subjects).toEqual(['with a tag, in any case', 'the domain', 'its own']);
    await mailbox.delete();
    // The claims ended with the mailbox, so the next mailbox gets the addresses.
    const next = await stage.client.mailbox({ addresses });
    await mail(stage.mailcap, 'alice@email.com', 'for the next');
    expect(await next.waitForMessage({ to: 'alice@email.com' })).toMatchObject({ subject: 'for the next' });
    await next.delete();
  });

  test('of two handles that claim one address at the same time, one learns who holds it and leaves nothing behind', async ({
    stage,
  }) => {
    const first = await stage.client.mailbox({ name: 'Alice resets her password', addresses: ['bob@email.com'] });
    const before = (await stage.client.listMailboxes()).length;
    const error = await failure(stage.client.mailbox({ name: 'Bob signs up', addresses: ['BOB@email.com'] }));
    expect(error).toMatchObject({ name: 'RefusedError', code: 'address_taken', status: 409 });
    expect(error.message).toMatch(
      /^"Alice resets her password" already claims bob@email\.com and has not ended yet \(mailbox /i,
    );
    expect(error.message).toContain('do not run the tests in parallel');
    expect(error.stack?.split('\n    at ')[1]).toContain('claims.test.ts');
    expect(await stage.client.listMailboxes()).toHaveLength(before);
    await first.delete();
  });

  test('with wait, handles get the address one after the other, in the order of their requests', async ({ stage }) => {
    const claim = (name: string, address = 'frank@email.com') =>
      stage.client.mailbox({ name, addresses: [address], wait: true, timeout: 60_000 });
    const first = await claim('first');
    const order: string[] = [];
    const later = [];
    for (const name of ['second', 'third', 'fourth']) {
      later.push(
        claim(name, 'FRANK@email.com').then(async (mailbox) => {
          order.push(name);
          await mail(stage.mailcap, 'frank@email.com', `for the ${name}`);
          expect(await mailbox.waitForMessage()).toMatchObject({ subject: `for the ${name}` });
          await mailbox.delete();
        }),
      );
      await vi.waitFor(
        () =>
          expect(stage.proxy.seen.filter(({ path }) => path.includes('/addresses?timeout=60'))).toHaveLength(
            later.length + 1,
          ),
        { timeout: 10_000 },
      );
    }
    // Another address needs no turn.
    await (await claim('other', 'grace@email.com')).delete();
    expect(order).toEqual([]);
    await first.delete();
    await Promise.all(later);
    expect(order).toEqual(['second', 'third', 'fourth']);
  });

  test('a wait that times out says who holds the address, leaves no mailbox, and lets the next one take its turn', async ({
    stage,
  }) => {
    const addresses = ['heidi@email.com'];
    const first = await stage.client.mailbox({ name: 'Heidi signs in', addresses });
    const before = (await stage.client.listMailboxes()).length;
    const error = await failure(stage.client.mailbox({ name: 'Heidi pays', addresses, wait: true, timeout: 1_000 }));
    expect(error).toMatchObject({ name: 'RefusedError', code: 'address_taken' });
    expect(error.message).toMatch(/^"Heidi signs in" claims heidi@email\.com and has not ended after a wait of \d+ ms/);
    expect(error.message).toContain('Give the test a longer timeout');
    const leaving = new AbortController();
    const left = stage.client.mailbox({ addresses, wait: true, timeout: 60_000, signal: leaving.signal });
    leaving.abort();
    await expect(left).rejects.toThrow();
    expect(await stage.client.listMailboxes()).toHaveLength(before);
    const next = stage.client.mailbox({ addresses, wait: true, timeout: 60_000 });
    await first.delete();
    await (await next).delete();
    // @ts-expect-error it is true or false
    expect(await failure(stage.client.mailbox({ addresses, wait: 5 }))).toMatchObject({ code: 'invalid_option' });
  });

  test('with --catch-all off, mail to a claimed address is accepted, and other mail is refused', async () => {
    const mailcap = await startServer({ catchAll: 'off' });
    const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId });
    const mailbox = await client.mailbox({ addresses: ['carol@email.com'] });
    await mail(mailcap, 'carol@email.com', 'Taken');
    expect(await mailbox.waitForMessage()).toMatchObject({ subject: 'Taken' });
    await expect(mail(mailcap, 'dave@email.com', 'Refused')).rejects.toThrow('5.1.1');
    await mailcap.close();
  });

  test('mail of a client that signs in as a mailbox belongs to it, whoever claims the recipient', async ({ stage }) => {
    const claiming = await stage.client.mailbox({ addresses: ['erin@email.com'] });
    const signedIn = await stage.client.mailbox();
    const { smtp } = await stage.client.local.getMailbox(signedIn.id);
    const transport = nodemailer.createTransport({
      host: smtp.host,
      port: smtp.port,
      ignoreTLS: true,
      auth: { user: smtp.user, pass: 'any' },
    });
    await transport.sendMail({ from: 'app@x.test', to: 'erin@email.com', subject: 'Signed in', text: 'Hello.' });
    transport.close();
    expect(await signedIn.waitForMessage()).toMatchObject({ subject: 'Signed in' });
    await claiming.expectNoMessage({}, { for: 50 });
    await claiming.delete();
  });

  test('an entry that is no address and a shared mailbox are refused with a sentence', async ({ stage, mailbox }) => {
    expect(await failure(stage.client.mailbox({ addresses: ['alice@email.com', 'alice'] }))).toMatchObject({
      code: 'invalid_addresses',
      message: expect.stringMatching(/^addresses contains "alice", which is not an address\.\n.*\*@acme\.test/),
    });
    const tooMany = Array.from({ length: 1_001 }, (_, at) => `user${at}@email.com`);
    expect(await failure(stage.client.mailbox({ addresses: tooMany }))).toMatchObject({
      code: 'invalid_addresses',
      message: expect.stringContaining('at most 1,000 addresses and numbers; there are 1001.'),
    });
    expect(await failure(stage.client.mailbox({ mailbox: mailbox.id, addresses: ['a@x.test'] }))).toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining('client.local.claimAddresses'),
    });
    // @ts-expect-error it is a list
    expect(await failure(stage.client.mailbox({ addresses: 'a@x.test' }))).toMatchObject({ code: 'invalid_option' });
  });

  cloud('in the cloud it says that it can not, and what to do', async ({ stage }) => {
    const error = await failure(stage.client.mailbox({ addresses: ['alice@email.com'] }));
    expect(error).toMatchObject({ name: 'LocalOnlyError', code: 'local_only' });
    expect(error.message).toContain('mailbox.address');
  });
});
