import { expect } from 'vitest';
import { startServer, test } from '../support/mailcap.ts';
import { SERVER } from '../support/two-servers.ts';
import { json, outcome, putMail } from './support.ts';

test('health is 200 with status and version once both listeners are up', async ({ mailcap }) => {
  expect(await outcome(fetch(`${mailcap.url}/_mailcap/health`))).toEqual({
    status: 200,
    body: { status: 'ok', version: mailcap.ready.version, ...SERVER },
  });
});

test('info has addresses, version, plan and counts, and no secret', async ({ mailcap, mailbox }) => {
  const { id: lastEventId } = await putMail(mailcap, mailbox.id);
  const response = await mailcap.api('/_mailcap/info');
  const text = await response.text();
  const { url, apiUrl, smtpUrl, smtpHost, smtpPort, webhookBaseUrl, feedUrl, mailDomain, version } = mailcap.ready;
  const { workspaceId, mailboxId, smtpsUrl, smtpCa, pop3Url, pop3sUrl, imapUrl, imapsUrl } = mailcap.ready;
  expect(JSON.parse(text)).toEqual({
    ...{ url, apiUrl, smtpUrl, smtpHost, smtpPort, webhookBaseUrl, feedUrl, mailDomain, version },
    ...{ workspaceId, mailboxId, smtpsUrl, smtpCa, pop3Url, pop3sUrl, imapUrl, imapsUrl },
    plan: 'business',
    limits: 'off',
    storage: 'ok',
    store: 'memory:',
    server: null,
    lastEventId,
    ...SERVER,
    ...{ dataDir: mailcap.ctx.config.dataDir, pid: process.pid },
    counts: { workspaces: 1, mailboxes: 2, messages: 1, storedBytes: expect.any(Number), capturedBytes: 0, waiters: 0 },
    relay: null,
    captureQuota: 256 * 1024 * 1024,
    captureTotal: 512 * 1024 * 1024,
  });
  expect(text).not.toContain('svc_live_');
});

test('the page has a strict policy, no secret, and nothing from other hosts', async ({ mailcap }) => {
  const response = await mailcap.api('/');
  const page = await response.text();
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page).not.toContain('svc_live_');
  // The first answers of the local API stand in it as JSON, and their addresses are the server's own.
  const answers = /<script type="application\/json" id="first">([^<]*)<\/script>/;
  const [, first = ''] = answers.exec(page) ?? [];
  expect(JSON.parse(first).answers['/_mailcap/info']).toMatchObject({ mailboxId: mailcap.mailboxId });
  expect(page.replace(answers, '')).not.toMatch(/https?:|<script(?![^>]* src="\/)/);
});

test('reset restores the seeded state', async () => {
  await using server = await startServer();
  const mailbox = await server.addMailbox();
  await putMail(server, mailbox.id);
  await putMail(server, server.mailboxId);
  await server.api('/_mailcap/workspaces', { json: { name: 'gone' } });
  await server.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 60 } });
  expect((await server.api('/_mailcap/reset', { method: 'POST' })).status).toBe(204);
  expect(await json(server.api('/v1/mailboxes'))).toMatchObject([{ id: server.mailboxId, subdomain: 'inbox' }]);
  expect(await json(server.api(`/v1/mailboxes/${server.mailboxId}/messages`))).toEqual([]);
  expect(await json<unknown[]>(server.api('/_mailcap/workspaces'))).toHaveLength(1);
  expect(await json(server.api('/_mailcap/clock'))).toMatchObject({ offsetSeconds: 0 });
});

test('the clock is read, set by offset or time, and reset to real time; retention follows it at once both ways', async () => {
  await using server = await startServer();
  const { id } = await putMail(server, server.mailboxId);
  const set = (body: unknown) => server.api('/_mailcap/clock', { method: 'PUT', json: body });
  const real = Date.now();
  expect(await outcome(set({ offsetSeconds: 90 }))).toMatchObject({ status: 200, body: { offsetSeconds: 90 } });
  const { now } = await json<{ now: string }>(server.api('/_mailcap/clock'));
  expect(Math.abs(Date.parse(now) - real - 90_000)).toBeLessThan(10_000);
  const year = await json<{ now: string }>(set({ now: '2040-01-01T00:00:00Z' }));
  expect(year.now).toMatch(/^2040-01-01T00:00:0/);
  expect((await server.api(`/v1/mailboxes/${server.mailboxId}/messages/${id}`)).status).toBe(404);
  expect(await outcome(set(null))).toMatchObject({ status: 200, body: { offsetSeconds: 0 } });
  expect((await server.api(`/v1/mailboxes/${server.mailboxId}/messages/${id}`)).status).toBe(200);
  expect(await server.ctx.store.read.settings.clockOffsetMs()).toBe(0);
});

test.for([{}, { offsetSeconds: 'x' }, { now: 'tomorrow' }, { offsetSeconds: 1, now: '2040-01-01T00:00:00Z' }])(
  'a clock set to %j is 400 invalid_clock',
  async (body, { mailcap }) => {
    expect(await outcome(mailcap.api('/_mailcap/clock', { method: 'PUT', json: body }))).toEqual({
      status: 400,
      body: { error: 'invalid_clock' },
    });
  },
);
