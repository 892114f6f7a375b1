import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, test as plain } from 'vitest';
import { UNCALLED } from '../../.build/client-signatures.ts';
import type * as local from '../../src/client/connection/local-resources.ts';
import type { BODIES } from '../../src/client/connection/operations.ts';
import { createClient } from '../../src/client/index.ts';
import type { FaultAction, FaultRule, FaultStage, HttpReply } from '../../src/domain/fault.ts';
import type { ScriptedResponse } from '../../src/domain/webhook.ts';
import { mail, putMail } from '../http/support.ts';
import { test as base } from '../support/mailcap.ts';

const test = base.extend('client', ({ mailcap }) =>
  createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId }),
);

type Field<Id extends keyof typeof BODIES> = (typeof BODIES)[Id][number];

/** The names of all members of a union. */
type NamesOf<Union> = Union extends Union ? keyof Union : never;

// These are checked by the compiler. Queries and answers need no such test: their types are generated.
plain('the fields of a body are those that its operation takes', () => {
  expectTypeOf<keyof local.WorkspaceFields>().toEqualTypeOf<Field<'createWorkspace'>>();
  expectTypeOf<keyof local.KeyFields>().toEqualTypeOf<Field<'createKey'>>();
  expectTypeOf<keyof local.MailboxFields>().toEqualTypeOf<Field<'updateMailbox'>>();
  expectTypeOf<keyof local.SuppressionFields>().toEqualTypeOf<Field<'addSuppression'>>();
  expectTypeOf<keyof local.ViewFields>().toEqualTypeOf<Field<'openView'>>();
  expectTypeOf<NamesOf<local.AuthenticatorFields>>().toEqualTypeOf<Field<'createAuthenticator'>>();
  expectTypeOf<NamesOf<local.TotpFields>>().toEqualTypeOf<Field<'computeTotp'>>();
});

// The server reads these two by rules of its own instead of a schema, so they are compared with what the rules give.
plain('faults and scripted answers have the fields that the server reads', () => {
  type Given = local.FaultRule['action'];
  expectTypeOf<local.FaultRule['stage']>().toEqualTypeOf<FaultStage>();
  expectTypeOf<keyof Given>().toEqualTypeOf<keyof FaultAction>();
  expectTypeOf<keyof Exclude<NonNullable<Given['reply']>, string>>().toEqualTypeOf<keyof HttpReply>();
  expectTypeOf<keyof local.FaultRule>().toEqualTypeOf<Exclude<keyof FaultRule, 'globs' | 'mailboxId'> | 'match'>();
  expectTypeOf<keyof local.ScriptedResponse>().toEqualTypeOf<NamesOf<ScriptedResponse>>();
});

/** Returns the operations of a table of docs/api.md. */
function operationsIn(table: string): string[] {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'api.md'), 'utf8');
  const [, text = ''] = page.split(`<!-- table: ${table} -->`);
  const [items = ''] = text.split('<!-- end of table -->');
  return [...items.matchAll(/^- `(\w+)`, `[A-Z]+ \//gm)].map(([, name = '']) => name);
}

describe('every operation that docs/api.md lists is a call of its name', () => {
  test('of the cloud API', ({ client }) => {
    const listed = operationsIn('cloud-operations');
    expect(listed.length).toBeGreaterThan(10);
    expect(listed.filter((name) => !isCall(client, name))).toEqual([]);
  });

  test('of the local API, but for those that tell why not', ({ client }) => {
    const listed = operationsIn('local-operations');
    expect(listed.length).toBeGreaterThan(50);
    expect(Object.keys(client.local)).toEqual(listed.filter((name) => !Object.hasOwn(UNCALLED, name)));
    expect(listed).toEqual(expect.arrayContaining(Object.keys(UNCALLED)));
  });
});

function isCall(of: object, name: string): boolean {
  return typeof Reflect.get(of, name) === 'function';
}

describe('the cloud API', () => {
  test('mailboxes are created and listed', async ({ client }) => {
    const made = await client.createMailbox({ name: 'Sign up' });
    expect(made).toMatchObject({ name: 'Sign up', subdomain: 'sign-up', retentionDays: 30 });
    expect(await client.listMailboxes()).toContainEqual(made);
  });

  test('messages are listed page by page, awaited and fetched', async ({ client, mailcap, mailbox }) => {
    const first = await putMail(mailcap, mailbox.id, { Subject: 'first' });
    const second = await putMail(mailcap, mailbox.id, { Subject: 'second' });
    expect(await client.listMessages(mailbox.id)).toEqual([second, first]);
    expect(await client.listMessages(mailbox.id, { limit: 1, before: second.id })).toEqual([first]);
    expect(await client.awaitMessage(mailbox.id, { subject: 'FIRST', timeout: 1 })).toEqual(first);
    expect(await client.getMessage(mailbox.id, first.id)).toMatchObject({ subject: 'first', attachments: [] });
  });

  test('an await without a result is null; since may be a Date', async ({ client, mailcap, mailbox }) => {
    const { receivedAt } = await putMail(mailcap, mailbox.id);
    const since = new Date(Date.parse(receivedAt) + 1);
    expect(await client.awaitMessage(mailbox.id, { since, timeout: 1 })).toBeNull();
    expect(await client.awaitMessage(mailbox.id, { since: receivedAt, timeout: 1 })).not.toBeNull();
  });

  test('without a workspaceId the workspace is that of the mailboxes that the key can read', async ({ mailcap }) => {
    const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey });
    expect(await client.createMailbox({ name: 'told by none' })).toMatchObject({ workspaceId: mailcap.workspaceId });
  });

  test('the code of an authenticator', async ({ client, mailcap }) => {
    const { id } = await client.local.createAuthenticator(mailcap.workspaceId, {
      name: 'a',
      secret: 'GEZDGNBVGY3TQOJQ',
    });
    expect(await client.getTotpCode(id)).toMatchObject({ code: expect.stringMatching(/^\d{6}$/) });
    expect(await client.local.listAuthenticators(mailcap.workspaceId)).toMatchObject([{ id, name: 'a' }]);
    await client.local.deleteAuthenticator(id);
    await expect(client.getTotpCode(id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the local API', () => {
  test('a workspace of its own, with keys and groups, is there until it is deleted', async ({ client, mailcap }) => {
    const workspace = await client.local.createWorkspace({ name: 'Worker 1', limits: 'off', plan: 'free' });
    expect(await client.local.updateWorkspace(workspace.id, { plan: 'business' })).toMatchObject({ plan: 'business' });
    const { id, key } = await client.local.createKey(workspace.id, { name: 'its key' });
    const group = await client.local.createGroup(workspace.id, { name: 'A group' });
    const own = createClient({ baseUrl: mailcap.url, apiKey: key, workspaceId: workspace.id });
    expect(await own.createMailbox({ name: 'in a group', groupId: group.id })).toMatchObject({ groupId: group.id });
    expect(await client.local.listGroups(workspace.id)).toEqual([group]);
    await client.local.deleteGroup(group.id);
    await client.local.revokeKey(id);
    expect(await client.local.listKeys(workspace.id)).toMatchObject([{ id, revokedAt: expect.any(String) }]);
    await client.local.deleteWorkspace(workspace.id);
    expect((await client.local.listWorkspaces()).map((one) => one.id)).not.toContain(workspace.id);
  });

  test('a message is stored and read as bytes, and searched', async ({ client, mailbox }) => {
    const raw = new TextEncoder().encode(mail({ Subject: 'Grüße' }, 'Your code is 481516.'));
    const { id } = await client.local.putMessage(mailbox.id, raw);
    expect(await client.local.getRawMessage(id)).toEqual(raw);
    expect(await client.local.searchMessages(mailbox.id, { query: '481516' })).toMatchObject({
      items: [{ id }],
      total: 1,
    });
    expect(await client.local.getMessageFacts(id)).toMatchObject({ source: 'api', codes: [{ code: '481516' }] });
    await client.local.deleteMessage(id);
    await client.local.putMessage(mailbox.id, mail({}));
    await client.local.clearMailbox(mailbox.id);
    expect(await client.listMessages(mailbox.id)).toEqual([]);
  });

  test('the settings of a mailbox are changed, and it is deleted', async ({ client, mailbox }) => {
    const changes = { allowlist: ['*.x.test'], outboundEnabled: false };
    expect(await client.local.updateMailbox(mailbox.id, changes)).toMatchObject(changes);
    await client.local.deleteMailbox(mailbox.id);
    await expect(client.listMessages(mailbox.id)).rejects.toMatchObject({ code: 'not_found', status: 404 });
  });

  test('an attachment has its exact bytes', async ({ client, mailbox }) => {
    const head = { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'attachment; filename="a.bin"' };
    const { id } = await client.local.putMessage(mailbox.id, mail(head, 'the bytes'));
    const [attachment] = (await client.getMessage(mailbox.id, id)).attachments;
    const bytes = await client.local.getAttachment(id, attachment?.id ?? '');
    expect(new TextDecoder().decode(bytes)).toContain('the bytes');
  });

  test('health, info, metrics and the clock are read', async ({ client, mailcap }) => {
    expect(await client.local.getHealth()).toMatchObject({ status: 'ok' });
    expect(await client.local.getInfo()).toMatchObject({ mailDomain: mailcap.mailDomain });
    expect(await client.local.getMetrics()).toContain('# TYPE');
    expect(await client.local.setClock({ offsetSeconds: 60 })).toMatchObject({ offsetSeconds: 60 });
    expect(await client.local.setClock(null)).toMatchObject({ offsetSeconds: 0 });
    expect(await client.local.getClock()).toMatchObject({ offsetSeconds: 0 });
  });
});

describe('outbound', () => {
  test('an email is sent from a mailbox, and its state is read', async ({ client, mailcap, mailbox }) => {
    const other = await client.mailbox();
    const request = { from: mailbox.address(), to: other.address, subject: 'Sent', textBody: 'Hello.' };
    const { outboundSendId, messageId, status } = await client.sendEmail(mailbox.id, request);
    expect(status).toBe('queued');
    expect(await other.waitForMessage({ subject: 'sent' })).toMatchObject({
      from: { name: null, address: mailbox.address() },
    });
    expect((await client.getMessage(mailbox.id, messageId)).subject).toBe('Sent');
    expect(await client.local.getSend(outboundSendId)).toMatchObject({
      messageId,
      recipients: [{ address: other.address }],
    });
    expect(await client.local.listSends({ mailboxId: mailbox.id })).toMatchObject([{ id: outboundSendId }]);
    expect(await other.send({ to: mailbox.address(), textBody: 'Back.' })).toMatchObject({ status: 'queued' });
    expect(await client.local.listIdentities(mailcap.workspaceId)).toEqual([]);
  });

  test('the suppression list refuses an address until its entry is deleted', async ({ client, mailcap, mailbox }) => {
    const recipient = 'gone@inbox.mailcap.example.com';
    const { id } = await client.local.addSuppression(mailcap.workspaceId, { recipient, reason: 'bounce' });
    expect(await client.listSuppression()).toMatchObject([{ id, recipient, reason: 'bounce' }]);
    const sending = client.sendEmail(mailbox.id, { from: mailbox.address(), to: recipient, textBody: 'Hello.' });
    await expect(sending).rejects.toMatchObject({ code: 'suppressed_recipients', extra: { recipients: [recipient] } });
    await client.deleteSuppression(id);
    expect(await client.listSuppression()).toEqual([]);
    const identity = await client.local.createIdentity(mailcap.workspaceId, { domain: 'shop.test' });
    await client.local.deleteIdentity(identity.id);
  });
});
