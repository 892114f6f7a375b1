import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { failuresOf, makePlaywrightProject, playwright } from './playwright-project.ts';
import type { Project } from './project.ts';
import { results, vitest } from './vitest-project.ts';

// A hostile test does all that its fixtures and its key can do, beside a test of another worker on the same server. The local
// API is not the matter here: whoever reaches it may do anything (docs/security.md).

let server: TestServer;
let project: Project;

beforeAll(async () => {
  server = await startServer();
  project = await makePlaywrightProject();
}, 180_000);
afterAll(async () => {
  await project.remove();
  await server.close();
});

/** The facts that the hostile test knows of its neighbour. */
interface Known {
  readonly mailboxId: string;
  readonly messageId: string;
  readonly workspaceId: string;
  readonly webhookId: string;
  readonly address: string;
  readonly claimed: string;
}

/** Returns the steps of a hostile test, which has a `mailcap` client and functions named as the fixtures. */
const hostile = (known: Known) => `
  const its = ${JSON.stringify(known)};
  const { url, apiKey } = await mailcap.server();
  const ask = (method, path, body) => fetch(url + '/v1' + path, {
    method, headers: { authorization: 'Bearer ' + apiKey, 'content-type': 'application/json' }, ...(body && { body: JSON.stringify(body) }),
  });
  // It finds nothing, and changes nothing by an id.
  expect((await mailcap.listMailboxes()).map(({ id }) => id)).not.toContain(its.mailboxId);
  const message = '/mailboxes/' + its.mailboxId + '/messages/' + its.messageId;
  for (const [method, path, body] of [
    ['GET', '/mailboxes/' + its.mailboxId + '/messages'], ['GET', message], ['DELETE', message], ['PATCH', message, { read: true }],
    ['GET', '/mailboxes/' + its.mailboxId + '/messages/await?timeout=1'],
    ['DELETE', '/mailboxes/' + its.mailboxId], ['DELETE', '/mailboxes/' + its.mailboxId + '/messages'],
    ['POST', '/mailboxes/' + its.mailboxId + '/send', { to: ['a@b.test'], subject: 'As you', textBody: 'Hi.' }],
    ['POST', '/workspaces/' + its.workspaceId + '/mailboxes', { name: 'Mine now' }],
    ['GET', '/workspaces/' + its.workspaceId + '/suppression'],
    ['DELETE', '/webhooks/' + its.webhookId], ['GET', '/webhooks/' + its.webhookId + '/requests'],
  ]) expect([method, path, (await ask(method, path, body)).ok]).toEqual([method, path, false]);
  // It takes no address of its neighbour.
  expect(await createMailbox({ addresses: [its.claimed] }).catch(({ code }) => code)).toBe('address_taken');
  expect(await mailcap.mailbox({ mailbox: its.mailboxId }).then(() => 'opened', () => 'refused')).toBe('refused');
  // Its clock, its faults and its deletions are its own.
  const own = await createMailbox('own');
  await setClock({ offsetSeconds: 400 * 86_400 });
  await addFault({ stage: 'rcpt', match: { mailboxId: own.id }, action: { reply: '550 5.1.1 gone' } });
  await addFault({ stage: 'http', match: { mailboxId: own.id }, action: { status: 500 } }).catch(() => {});
  await own.clear().catch(() => {});
  await createMailbox('gone').then((gone) => gone.delete());
`;

const imports = (runner: string) => `import { expect, test } from 'mailcap/${runner}';`;
const body = (known: Known) =>
  `test('hostile', async ({ mailcap, createMailbox, setClock, addFault }) => {${hostile(known)}});`;

const PLAIN = `import { test, expect } from 'vitest';
import { createClient } from 'mailcap/client';`;
const plainly = (known: Known) => `test('hostile', async () => {
  const mailcap = createClient();
  const createMailbox = (given) => mailcap.mailbox(typeof given === 'string' ? { name: given } : given);
  const setClock = (setting) => mailcap.setClock(setting);
  const addFault = (rule) => mailcap.addFault(rule);
${hostile(known)}});`;

async function run(runner: string, known: Known): Promise<string[]> {
  const env = { MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey, MAILCAP_WORKSPACE_ID: server.workspaceId };
  if (runner === 'the plain client') {
    await project.write('plain.test.js', `${PLAIN}\n${plainly(known)}`);
    return results(await vitest(project, 'plain.test.js', env));
  }
  if (runner === 'vitest') {
    await project.write('hostile.test.js', `${imports(runner)}\n${body(known)}`);
    return results(await vitest(project, 'hostile.test.js', env));
  }
  await project.write('hostile.spec.js', `${imports(runner)}\n${body(known)}`);
  const report = await playwright(project, ['hostile.spec.js'], env);
  return report.stats.expected === 1 ? ['passed hostile'] : failuresOf(report);
}

describe.each(['playwright', 'vitest', 'the plain client'])('a hostile test with %s', (runner) => {
  test('leaves the mailboxes, the claims and the time of a test beside it as they are', async () => {
    const { local } = createClient({ baseUrl: server.url, apiKey: server.apiKey });
    const { id: workspaceId } = await local.createWorkspace({ name: 'worker', limits: 'off' });
    const { key } = await local.createKey(workspaceId, { name: 'worker' });
    const client = createClient({ baseUrl: server.url, apiKey: key, workspaceId });
    const claimed = `ada@${runner.replace(/\W/g, '-')}.test`;
    const mailbox = await client.mailbox({ addresses: [claimed] });
    const webhook = await client.webhook();
    const app = createTransport({ ...server.smtp, ignoreTLS: true });
    const send = (to: string, text: string) => app.sendMail({ from: 'app@shop.test', to, subject: 'Code', text });
    await send(mailbox.address, 'Your code is 234815.');
    const { id: messageId } = await mailbox.peek();
    await fetch(webhook.url, { method: 'POST', body: 'paid' });
    const state = async () => ({
      mailbox: await local.getMailbox(mailbox.id),
      messages: await local.searchMessages(mailbox.id),
      offset: (await local.getWorkspaceClock(workspaceId)).offsetSeconds,
    });
    const before = await state();
    expect(before.messages.items).toMatchObject([{ id: messageId, read: false }]);

    const facts = { mailboxId: mailbox.id, messageId, workspaceId, webhookId: webhook.id };
    expect(await run(runner, { ...facts, address: mailbox.address, claimed })).toEqual([
      expect.stringContaining('passed hostile'),
    ]);
    expect(await state()).toEqual(before);
    expect(await mailbox.waitForCode()).toBe('234815');
    await send(claimed, 'Your code is 481920.');
    expect(await mailbox.waitForCode()).toBe('481920');
    expect((await webhook.waitForRequest()).text()).toBe('paid');
    await mailbox.delete();
    await webhook.delete();
  }, 120_000);
});
