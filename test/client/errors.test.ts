import { describe, expect } from 'vitest';
import { type Client, createClient, LocalOnlyError, MailcapError, OptionError } from '../../src/client/index.ts';
import { test as base } from '../support/mailcap.ts';
import { asCloud, startProxy } from '../support/proxy.ts';

const test = base.extend('client', ({ mailcap }) =>
  createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId }),
);

async function failure(promise: Promise<unknown>): Promise<MailcapError> {
  const error: unknown = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof MailcapError)) throw error;
  return error;
}

describe('a refusal', () => {
  test('has the code, the status, the request id and the further fields of the answer, and says what to do', async ({
    mailcap,
    mailbox,
    client,
  }) => {
    const error = await failure(client.createMailbox({ name: 'again', subdomain: mailbox.subdomain }));
    expect(error).toMatchObject({ name: 'RefusedError', code: 'subdomain_taken', status: 409, hint: null });
    expect(error.requestId).toMatch(/\S/);
    const tooLong = await failure(client.createMailbox({ name: 'long', retentionDays: 9_999 }));
    expect(tooLong).toMatchObject({ code: 'invalid_retention', extra: { max: 90 } });
    const unnamed = await failure(client.createMailbox({ name: 'x'.repeat(101) }));
    expect(unnamed).toMatchObject({ code: 'invalid_name', hint: expect.stringContaining('1 to 100 characters') });
    const from = { from: 'a@elsewhere.test', to: 'b@elsewhere.test', textBody: 'x' };
    expect(await failure(client.sendEmail(mailbox.id, from))).toMatchObject({
      code: 'invalid_from_domain',
      hint: expect.stringContaining('createIdentity'),
    });
    expect(await failure(client.sendEmail(mailbox.id, { ...from, from: mailbox.address() }))).toMatchObject({
      code: 'recipients_not_allowed',
      hint: expect.stringContaining('allowlist'),
    });
    expect(await failure(client.listMessages('gone'))).toMatchObject({
      code: 'not_found',
      hint: expect.stringMatching(/nothing at \/v1\/mailboxes\/gone\/messages.*A fixture deletes its mailboxes/),
    });
    const stranger = createClient({ baseUrl: mailcap.url, apiKey: `svc_live_${'x'.repeat(43)}` });
    const refused = await failure(stranger.listMailboxes());
    expect(refused).toMatchObject({
      code: 'unauthorized',
      status: 401,
      hint: expect.stringContaining('MAILCAP_API_KEY'),
    });
    expect(refused.message).toContain('listMailboxes was refused: 401 unauthorized');
  });

  test('points at the line of the caller, and no line of the client stands above it', async ({ client }) => {
    const error = await failure(client.getMessage('no mailbox', 'no message'));
    const [, first] = (error.stack ?? '').split('\n    at ');
    expect(first).toContain('errors.test.ts');
    expect(error.stack).not.toContain('src/client');
  });

  test('the error of an answer that is no JSON, such as that of a proxy, says so', async ({ mailcap }) => {
    await using proxy = await startProxy(mailcap.url, () => ({ status: 200, body: '<html>' }));
    const client = createClient({ baseUrl: proxy.url, apiKey: mailcap.apiKey });
    expect(await failure(client.listMailboxes())).toMatchObject({ code: 'unexpected_answer', status: 200 });
    proxy.fate = () => ({ status: 502, body: '<html>Bad gateway' });
    expect(await failure(client.listMailboxes())).toMatchObject({ code: 'unexpected_answer', status: 502 });
  });
});

describe('arguments', () => {
  test('an unknown option is an error that names it and lists the known ones', async ({ client }) => {
    // @ts-expect-error there is no such option
    expect(() => createClient({ baseURL: 'http://x.test' })).toThrow(
      /createClient has no "baseURL".*\n.*baseUrl, apiKey/,
    );
    expect(() => createClient({ baseUrl: 'localhost:8025' })).toThrow(OptionError);
    expect(() => createClient({ timeout: -1 })).toThrow(OptionError);
    // @ts-expect-error there is no such query
    expect(await failure(client.listMessages('x', { after: 'y' }))).toBeInstanceOf(OptionError);
    // @ts-expect-error there is no such field
    expect(await failure(client.createMailbox({ title: 'x' }))).toBeInstanceOf(OptionError);
    // @ts-expect-error there is no such option
    expect(await failure(client.listMailboxes({ retries: 3 }))).toBeInstanceOf(OptionError);
  });

  test('an option among the filters of a wait is told to follow them', async ({ client }) => {
    const mailbox = await client.mailbox();
    const webhook = await client.webhook();
    // @ts-expect-error the timeout is no filter
    const wait = await failure(mailbox.waitForMessage({ subject: 'Welcome', timeout: 5_000 }));
    expect(wait).toBeInstanceOf(OptionError);
    expect(wait).toMatchObject({ message: expect.stringContaining('({ subject: … }, { timeout: … })') });
    // @ts-expect-error the choice is no filter
    const request = await failure(webhook.waitForRequest({ pick: 'newest' }));
    expect(request).toMatchObject({ message: expect.stringContaining('({ path: … }, { pick: … })') });
  });

  test('are never changed', async ({ client, mailcap }) => {
    const options = Object.freeze({ baseUrl: `${mailcap.url}/`, apiKey: mailcap.apiKey });
    const request = Object.freeze({ name: 'frozen' });
    const { id } = await createClient(options).createMailbox(request, Object.freeze({ timeout: 5_000 }));
    expect(await client.listMessages(id, Object.freeze({ limit: 1 }))).toEqual([]);
  });
});

describe('a server without a local API', () => {
  test('each call of the local API throws a LocalOnlyError that names it', async ({ mailcap }) => {
    await using cloud = await startProxy(mailcap.url, asCloud);
    const client: Client = createClient({ baseUrl: cloud.url, apiKey: mailcap.apiKey });
    expect(await client.hasLocalApi()).toBe(false);
    for (const [name, call] of Object.entries(client.local)) {
      const error = await failure(Reflect.apply(call, client.local, []));
      expect(error).toBeInstanceOf(LocalOnlyError);
      expect(error).toMatchObject({ code: 'local_only', message: expect.stringContaining(`local.${name} `) });
    }
    expect(await client.listMailboxes()).not.toEqual([]);
    // The client asked only once.
    expect(cloud.seen.filter(({ path }) => path.startsWith('/_mailcap'))).toHaveLength(1);
  });

  test('with a local API, a 404 means that the requested thing does not exist', async ({ client }) => {
    expect(await client.hasLocalApi()).toBe(true);
    expect(await failure(client.local.getMessageFacts('none'))).toMatchObject({ code: 'not_found', status: 404 });
  });
});
