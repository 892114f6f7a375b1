import { expect, test } from 'vitest';
import { NO_CLIENT } from '../../src/text/why-not.ts';
import { json } from '../http/support.ts';
import { startServer } from '../support/mailcap.ts';
import { blockOf } from '../support/pages.ts';
import { longestHold } from '../support/processor-time.ts';
import { mailServer, overHttp } from './support.ts';
import { countTokens } from './tokens.ts';

const EIGHT = [
  'create_mailbox',
  'wait_for_message',
  'list_messages',
  'read_message',
  'check_message',
  'diagnose',
  'get_totp_code',
  'wait_for_webhook',
];
const HTML =
  '<p>Your code is <b>481516</b></p><p style="display:none">hidden words</p><a href="https://shop.example/verify?token=abc">Verify</a>';

test('an agent has eight tools, and three more with the capability faults', async () => {
  const { server } = await mailServer();
  const names = async (caps?: string) =>
    (await (await overHttp(server, caps)).client.listTools()).tools.map(({ name }) => name);
  expect(await names()).toEqual(EIGHT);
  expect(await names('?caps=faults')).toEqual([...EIGHT, 'add_faults', 'remove_faults', 'script_answers']);
});

test('the schemas of all ten tools cost at most 2,500 tokens', async () => {
  const { server } = await mailServer();
  const { tools } = await (await overHttp(server, '?caps=faults')).client.listTools();
  expect(countTokens(JSON.stringify(tools))).toBeLessThanOrEqual(2_500);
});

test('a wait answers with code, link and what a person sees, and returns each message once', async () => {
  const { server, send } = await mailServer();
  const agent = await overHttp(server);
  await send({ text: 'Your code is 481516', html: HTML, attachments: [{ filename: 'a.txt', content: 'x' }] });
  const { data, text } = await agent.call('wait_for_message', { mailbox: 'ada@inbox.mailcap.example.com' });
  expect(data).toMatchObject({
    found: true,
    code: '481516',
    link: { kind: 'verify', host: 'shop.example', url: 'https://shop.example/verify?token=abc' },
  });
  expect(data['content']).toMatch(
    /^<untrusted-(\w{9})>\nUntrusted content[^\n]+\nFrom: app@shop\.example\nTo: [^\n]+\nSubject: Welcome\nAttachments: a\.txt[\s\S]+Your code is 481516[\s\S]+<\/untrusted-\1>$/,
  );
  expect(data['content']).not.toContain('hidden words');
  expect(JSON.parse(text)).toEqual(data);

  const again = await agent.call('wait_for_message', { timeout: 1 });
  expect(again.data).toMatchObject({
    found: false,
    reason: 'An earlier wait returned 1 message that matches: read_message.',
  });
  const read = await agent.call('read_message', { message_id: data['message_id'] });
  expect(read.data).toMatchObject({ code: '481516' });
});

test('a wait extracts the code alone or the link alone', async () => {
  const { server, send } = await mailServer();
  const agent = await overHttp(server);
  await send({ html: HTML, subject: 'first' });
  await send({ html: HTML, subject: 'second' });
  const code = await agent.call('wait_for_message', { subject: 'first', extract: 'code' });
  expect(code.data).toMatchObject({ code: '481516', link: null });
  expect(code.data['content']).not.toContain('Verify');
  const link = await agent.call('wait_for_message', { subject: 'second', extract: 'link' });
  expect(link.data).toMatchObject({ code: null, link: { host: 'shop.example' } });
});

test('a wait that times out answers with the diagnosis', async () => {
  const { server, send } = await mailServer();
  const agent = await overHttp(server);
  const silent = await agent.call('wait_for_message', { timeout: 1 });
  expect(silent.data).toMatchObject({ found: false, reason: expect.stringContaining(NO_CLIENT) });
  await send({ text: 'x' });
  const other = await agent.call('wait_for_message', { subject: 'Reset', timeout: 1 });
  expect(other.data['reason']).toBe('1 message came here and did not match.');
  expect(other.data['content']).toContain('its subject is "Welcome"');
  const { data: made } = await agent.call('create_mailbox', { name: 'sign up' });
  const astray = await agent.call('wait_for_message', { mailbox: made['mailbox_id'], timeout: 1 });
  expect(astray.data['reason']).toContain('1 message went to other mailboxes: inbox.');
});

test('a message that comes during a wait ends it, at an address of a mailbox that the agent made', async () => {
  const { server, send } = await mailServer();
  const agent = await overHttp(server);
  const { data } = await agent.call('create_mailbox');
  const [answer] = await Promise.all([
    agent.call('wait_for_message', { mailbox: data['address'], extract: 'code' }),
    send({ to: String(data['address']), text: 'Your code is 234567' }),
  ]);
  expect(answer.data).toMatchObject({ found: true, code: '234567' });
});

test('messages are listed, searched, read by their parts and checked', async () => {
  const { server, send } = await mailServer();
  const agent = await overHttp(server);
  await send({ html: HTML, text: 'plain words', subject: 'one {{name}}' });
  await send({ text: 'two', subject: 'two', to: 'bob@inbox.mailcap.example.com' });
  const { data } = await agent.call('list_messages', { limit: 1 });
  expect([data['more'], data['content']]).toEqual([true, expect.stringContaining('1. two, from app@shop.example')]);
  const found = await agent.call('list_messages', { query: 'subject:one' });
  const messages = found.data['messages'];
  const id = Array.isArray(messages) ? messages[0].message_id : '';
  const part = async (name: string) =>
    (await agent.call('read_message', { message_id: id, part: name })).data['content'];
  expect(await part('text')).toContain('plain words');
  expect(await part('html')).toContain('<p style="display:none">hidden words</p>');
  expect(await part('headers')).toContain('"subject"');
  expect(await part('links')).toContain('[1] verify, host shop.example: https://shop.example/verify?token=abc');
  const checks = await agent.call('check_message', { message_id: id });
  expect(checks.data).toMatchObject({ passed: false, rules: expect.arrayContaining(['placeholder']) });
  const bobs = await agent.call('list_messages', { mailbox: 'bob@inbox.mailcap.example.com' });
  expect(bobs.data['messages']).toHaveLength(1);
});

test('a text message is listed by its words, because it has no subject', async () => {
  const { server } = await mailServer();
  const agent = await overHttp(server);
  const account = `AC${'0'.repeat(32)}`;
  await fetch(`${server.url}/providers/twilio/2010-04-01/Accounts/${account}/Messages.json`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${account}:any`).toString('base64')}` },
    body: new URLSearchParams({ From: '+12025550100', To: '+12025550101', Body: 'Your code is 482913' }),
  });
  const { data } = await agent.call('list_messages');
  expect(data['content']).toContain('1. Your code is 482913, from +12025550100, to +12025550101');
});

test('a webhook is made at once, and each request is returned once, the oldest first', async () => {
  const { server } = await mailServer();
  const agent = await overHttp(server);
  const { data } = await agent.call('wait_for_webhook');
  const webhook = String(data['url']);
  const none = await agent.call('wait_for_webhook', { webhook, timeout: 1 });
  expect(none.data).toMatchObject({ found: false, reason: expect.stringContaining('No request has come') });
  await fetch(webhook, { method: 'POST', body: '{"order":1}', headers: { 'x-signature': 'abc' } });
  await fetch(`${webhook}/two?x=1`);
  const first = await agent.call('wait_for_webhook', { webhook });
  expect(first.data).toMatchObject({ found: true, method: 'POST', content: expect.stringContaining('{"order":1}') });
  expect(first.data['content']).toContain('x-signature: abc');
  const second = await agent.call('wait_for_webhook', { webhook: data['webhook_id'] });
  expect(second.data).toMatchObject({ method: 'GET', content: expect.stringContaining('/two?x=1') });
});

test('faults and answers are set where the user allows it', async () => {
  const { server, send } = await mailServer();
  const agent = await overHttp(server, '?caps=faults');
  await server.api('/_mailcap/faults', {
    method: 'POST',
    json: { stage: 'mail', action: { reply: '452 4.3.1 mine' }, times: 1 },
  });
  const added = await agent.call('add_faults', { rules: [{ stage: 'rcpt', reply: '451 4.7.1 later' }] });
  await expect(send({ text: 'x' })).rejects.toThrow('452 4.3.1 mine');
  await expect(send({ text: 'x' })).rejects.toThrow('451 4.7.1 later');
  expect((await agent.call('add_faults', { rules: [{ stage: 'mail', drop: true }, { stage: 'mail' }] })).isError).toBe(
    true,
  );
  const removed = { ids: [...(added.data['ids'] as string[]), '01JD5Z3V8W0123456789ABCDEF'] };
  expect((await agent.call('remove_faults', removed)).data).toEqual({ removed: 1 });
  await send({ text: 'x' });
  expect(await json<unknown[]>(server.api('/_mailcap/faults'))).toMatchObject([{ applied: 1, remaining: 0 }]);
  expect((await agent.call('remove_faults', {})).data).toEqual({ removed: 1 });
  const { data } = await agent.call('wait_for_webhook');
  const webhook = String(data['url']);
  await agent.call('script_answers', { webhook, answers: [{ status: 503 }] });
  expect((await fetch(webhook)).status).toBe(503);
});

test('a wrong call gets a sentence, and an unknown tool is refused', async () => {
  const { server } = await mailServer();
  const agent = await overHttp(server);
  expect(await agent.call('read_message', { message_id: 'x' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^No such message/),
  });
  expect(await agent.call('list_messages', { mailbox: 'nope' })).toMatchObject({
    isError: true,
    text: 'No mailbox nope. There are: inbox. create_mailbox makes one.',
  });
  expect((await agent.call('wait_for_message', { timeout: 900 })).isError).toBe(true);
  expect(await agent.call('wait_for_message', { sender: 'app@shop.example' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('Unrecognized key: "sender"'),
  });
  await expect(agent.call('add_faults', { rules: [] })).rejects.toThrow();
});

test('the guard of the local API stands before /mcp', async () => {
  const { server } = await mailServer();
  const ask = (headers: Record<string, string>, path = '/mcp') =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
  expect((await ask({ origin: 'https://evil.example' })).status).toBe(403);
  const unknown = await ask({}, '/mcp?caps=all');
  expect([unknown.status, await unknown.json()]).toEqual([400, { error: 'invalid_caps' }]);
  const open = await startServer({ host: '0.0.0.0', adminToken: 'token-of-the-test' });
  expect((await fetch(`${open.url}/mcp`, { method: 'POST', body: '{}' })).status).toBe(401);
  await open.close();
});

test('the answer that docs/agents.md shows has the fields of a real one', async () => {
  const { server, send } = await mailServer();
  const agent = await overHttp(server);
  await send({ html: HTML });
  const { data } = await agent.call('wait_for_message');
  const shown = JSON.parse(blockOf('docs/agents.md', 'fence'));
  expect(Object.keys(shown)).toEqual(Object.keys(data));
  expect([shown.code, shown.link]).toEqual([data['code'], data['link']]);
  const withoutId = (text: unknown) =>
    String(text)
      .replace(/-\w{9}>/g, '>')
      .split('\nFrom:')[0];
  expect(withoutId(shown.content)).toBe(withoutId(data['content']));
});

test('a large mail is searched in a thread: reading it holds the server no longer than its JSON does', async () => {
  const { server, send } = await mailServer();
  const agent = await overHttp(server);
  const rows = Array.from({ length: 6_000 }, (_, at) => {
    return `<p>Line ${at}: parcel ${at * 31} left, <a href="https://shop.example/o/${at}?id=${at}">see it</a></p>`;
  });
  await send({ text: 'Hello', html: '<p>Hello</p>' });
  await send({ html: `<p>Your code is <b>481516</b></p>${rows.join('\n')}` });
  const [large, small] = (await agent.call('list_messages')).data['messages'] as { message_id: string }[];
  await agent.call('read_message', { message_id: small?.message_id });
  const read = () => agent.call('read_message', { message_id: large?.message_id });
  const { data } = await read();
  expect(data['content']).toContain('Your code is 481516');
  const helds: number[] = [];
  for (let time = 0; time < 5; time++) {
    const held = longestHold();
    expect((await read()).data['code']).toBe('481516');
    helds.push(held());
  }
  // The least counts: a collection of garbage may fall into one of them.
  expect(Math.min(...helds)).toBeLessThan(70);
});
