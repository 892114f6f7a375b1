import { expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { Wire } from '../smtp/wire.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { json, outcome } from './support.ts';

interface SmtpSession {
  readonly closedAt: string | null;
  readonly transcript: readonly string[];
}

const sessions = (server: TestServer, query = '') => json<SmtpSession[]>(server.api(`/_mailcap/smtp/sessions${query}`));

test('GET smtp/sessions has both sides of the last sessions, newest first, with refused ones', async () => {
  await using server = await startServer({ catchAll: 'off' });
  const refused = await Wire.hello(server.smtp.port);
  await refused.sayAll('MAIL FROM:<a@x.test>', 'RCPT TO:<b@nowhere.test>', 'QUIT');
  refused.close();
  const { id, address, workspaceId } = await server.addMailbox();
  const taken = await Wire.hello(server.smtp.port);
  await taken.mail(address(), 'Subject: x\r\n\r\nbody');
  const [second, first] = await sessions(server);
  expect(first?.transcript).toEqual(
    expect.arrayContaining([
      'C: RCPT TO:<b@nowhere.test>',
      expect.stringMatching(/^S: 550 5\.1\.1 /),
      expect.stringMatching(/^S: 221 /),
    ]),
  );
  expect(first).toMatchObject({ lastRefusal: expect.stringMatching(/^550 /), accepted: 0, mailboxId: null });
  expect(second).toMatchObject({ accepted: 1, reached: 'end', mailboxId: id, workspaceId, closedAt: null });
  expect(second?.transcript.at(-1)).toMatch(/^S: 250 2\.0\.0 Ok/);
  expect(await sessions(server, '?limit=1')).toEqual([second]);
  taken.close();
  expect(await outcome(server.api('/_mailcap/smtp/sessions?limit=x'))).toMatchObject({ status: 400 });
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey, workspaceId: server.workspaceId });
  expect(await client.local.listSmtpSessions({ limit: 1 })).toMatchObject([{ mailboxId: id }]);
  await server.api('/_mailcap/reset', { method: 'POST' });
  expect(await sessions(server)).toEqual([]);
});

test('sessions contain no secret, however a client signs in', async () => {
  await using server = await startServer();
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const secret = 'hunter2-secret';
  const wire = await Wire.hello(server.smtp.port);
  for (const command of [`AUTH PLAIN ${base64(`\0user\0${secret}`)}`, `  auth   plain ${base64(`\0u\0${secret}`)}`]) {
    await wire.say(command);
  }
  wire.close();
  const login = await Wire.hello(server.smtp.port);
  await login.say('AUTH LOGIN');
  await login.say(base64('user'));
  await login.say(base64(secret));
  login.close();
  const plain = await Wire.hello(server.smtp.port);
  await plain.say('AUTH PLAIN');
  await plain.say(base64(`\0user\0${secret}`));
  plain.close();
  const told = JSON.stringify(await sessions(server));
  expect(told).toContain('C: AUTH PLAIN ***');
  expect(told).toContain('C: ***');
  for (const form of [secret, base64(secret), base64(`\0user\0${secret}`), base64(`\0u\0${secret}`)])
    expect(told).not.toContain(form);
});

test('a session of a thousand commands keeps its beginning, its end, and the number of lines between', async () => {
  await using server = await startServer();
  const wire = await Wire.hello(server.smtp.port);
  for (let i = 0; i < 500; i++) await wire.say(`NOOP ${i} ${'x'.repeat(2_000)}`);
  await wire.say('NOOP last');
  const [session] = await sessions(server);
  const lines = session?.transcript ?? [];
  expect(lines).toHaveLength(81);
  expect(lines[0]).toMatch(/^S: 220 /);
  expect(lines[30]).toMatch(/^\(9\d\d more lines\)$/);
  expect(lines.at(-2)).toBe('C: NOOP last');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(250);
  wire.close();
});
