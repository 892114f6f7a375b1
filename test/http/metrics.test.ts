import { expect, test as plain, vi } from 'vitest';
import { Wire } from '../smtp/wire.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';
import { putMail, send } from './support.ts';

/** Returns the samples by name and labels, as a monitor reads them. */
async function scrape(server: TestServer): Promise<Map<string, number>> {
  const response = await server.api('/_mailcap/metrics');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

unless(plain, ofOneServer('its counters'))('requests are counted by the route as declared and the status', async () => {
  await using mailcap = await startServer();
  const nobody = '01JD5Z3V8W0123456789ABCDEF';
  for (const id of [nobody, 'x', '__proto__']) await mailcap.api(`/v1/mailboxes/${id}/messages`);
  await mailcap.api('/v1/mailboxes', { headers: { authorization: 'none' } });
  for (const path of ['/a', '/b', '/v1/c', '/_mailcap/d']) await mailcap.api(path);
  await send(mailcap, { method: 'PROPFIND', path: '/v1/mailboxes' });
  await send(mailcap, { method: 'MKCOL', path: '/v1/mailboxes' });
  const requests = [...(await scrape(mailcap))].filter(([name]) => name.startsWith('mailcap_http_requests_total'));
  expect(requests).toEqual([
    ['mailcap_http_requests_total{method="GET",route="/v1/mailboxes/:mailboxId/messages",status="404"}', 3],
    ['mailcap_http_requests_total{method="GET",route="/v1/mailboxes",status="401"}', 1],
    ['mailcap_http_requests_total{method="GET",route="unknown",status="404"}', 4],
    ['mailcap_http_requests_total{method="other",route="/v1/mailboxes",status="401"}', 2],
  ]);
});

plain('mail is counted as it is taken, and as it is refused, by reason', async () => {
  await using server = await startServer({ catchAll: 'off', smtpSize: 1_024 });
  const box = await server.addMailbox();
  const wire = await Wire.hello(server.smtp.port);
  expect(await wire.mail(box.address(), 'Subject: x\r\n\r\nbody')).toMatch(/^250 /);
  expect(await wire.mail(box.address(), 'x'.repeat(2_000))).toMatch(/^552 /);
  await wire.say('MAIL FROM:<a@x.test>');
  for (const nobody of ['a', 'b'])
    expect(await wire.say(`RCPT TO:<${nobody}@nowhere.mailcap.example.com>`)).toMatch(/^550 /);
  wire.close();
  const samples = await scrape(server);
  expect([...samples].filter(([name]) => name.startsWith('mailcap_smtp'))).toEqual([
    ['mailcap_smtp_messages_accepted_total', 1],
    ['mailcap_smtp_refused_total{at="data",reason="too_large"}', 1],
    ['mailcap_smtp_refused_total{at="rcpt",reason="no_such_mailbox"}', 2],
  ]);
});

plain('sign-ins that are refused are counted', async () => {
  await using server = await startServer({ smtpAuth: 'strict' });
  const wire = await Wire.hello(server.smtp.port);
  const signIn = `AUTH PLAIN ${Buffer.from('\0nobody\0no').toString('base64')}`;
  for (let n = 0; n < 2; n++) expect(await wire.say(signIn)).toMatch(/^535 /);
  wire.close();
  const refused = [...(await scrape(server))].filter(([name]) => name.startsWith('mailcap_smtp_refused'));
  expect(refused).toEqual([['mailcap_smtp_refused_total{at="auth",reason="credentials_invalid"}', 2]]);
});

unless(plain, ofOneServer('its counters'))('refusals at connect and MAIL are counted as well', async () => {
  await using server = await startServer({ smtpSize: 1_024 });
  const wire = await Wire.hello(server.smtp.port);
  expect(await wire.say('MAIL FROM:<a@x.test> SIZE=2000')).toMatch(/^552 /);
  expect(await wire.say('MAIL FROM:a b')).toMatch(/^501 /);
  expect(await wire.say('DATA')).toMatch(/^503 /);
  // An unknown command is no refusal of a mail, so it is not counted.
  expect(await wire.say('NONSENSE')).toMatch(/^500 /);
  wire.close();
  await server.api('/_mailcap/faults', { method: 'PUT', json: [{ stage: 'connect', action: { reply: '554 no' } }] });
  await (await Wire.open(server.smtp.port, false)).ended();
  const samples = await scrape(server);
  expect([...samples].filter(([name]) => name.startsWith('mailcap_smtp_refused'))).toEqual([
    ['mailcap_smtp_refused_total{at="mail",reason="too_large"}', 1],
    ['mailcap_smtp_refused_total{at="mail",reason="bad_syntax"}', 1],
    ['mailcap_smtp_refused_total{at="data",reason="bad_sequence"}', 1],
    ['mailcap_smtp_refused_total{at="connect",reason="fault"}', 1],
  ]);
});

plain('what is stored and who waits are told as they are at the scrape', async () => {
  await using server = await startServer();
  const stored = [await putMail(server, server.mailboxId), await putMail(server, server.mailboxId)];
  const waiting = server.api(`/v1/mailboxes/${server.mailboxId}/messages/await?subject=later`);
  await vi.waitFor(async () => expect((await scrape(server)).get('mailcap_waiters')).toBe(1), { timeout: 15_000 });
  const before = await scrape(server);
  expect(before.get('mailcap_messages')).toBe(2);
  expect(before.get('mailcap_mailboxes')).toBe(1);
  expect(before.get('mailcap_workspaces')).toBe(1);
  expect(before.get('mailcap_stored_bytes')).toBeGreaterThanOrEqual(stored[0]?.sizeBytes ?? 0);
  await putMail(server, server.mailboxId, { Subject: 'later' });
  await waiting;
  const after = await scrape(server);
  expect(after.get('mailcap_messages')).toBe(3);
  expect(after.get('mailcap_waiters')).toBe(0);
});

test('the process has the metric names that Prometheus defines', async ({ mailcap }) => {
  const samples = await scrape(mailcap);
  const { version } = mailcap.ctx.runtime;
  const build = [...samples.keys()].find((name) => name.startsWith('mailcap_build_info')) ?? '';
  expect(build.replace(/,server="[^"]*"/, '')).toBe(`mailcap_build_info{version="${version}"}`);
  expect(samples.get(build)).toBe(1);
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1024 * 1024);
  expect(samples.get('process_cpu_user_seconds_total')).toBeGreaterThan(0);
  expect(samples.get('nodejs_heap_size_used_bytes')).toBeGreaterThan(1024 * 1024);
  for (const [name, value] of samples) expect([name, Number.isFinite(value)]).toEqual([name, true]);
});

unless(plain, ofOneServer('its counters'))('each server counts for itself', async () => {
  await using one = await startServer();
  await using other = await startServer();
  await one.api('/v1/mailboxes');
  const asked = 'mailcap_http_requests_total{method="GET",route="/v1/mailboxes",status="200"}';
  expect((await scrape(one)).get(asked)).toBe(1);
  expect((await scrape(other)).get(asked)).toBeUndefined();
});
