import { expect, test } from 'vitest';
import { mailView } from '../../plugins/shared/message-page.ts';
import { picturesOf } from '../../plugins/shared/pictures.ts';
import { MAX_BYTES, reportOf } from '../../plugins/shared/report.ts';
import { createClient, type Mailbox, type Webhook } from '../../src/client/index.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';

// The report of a failed test holds mail of strangers. If it takes all memory, the worker dies and the failure is lost.

const MEGABYTE = 1_000_000;
/** The room of the facts that are always there. */
const OVERVIEW_BYTES = 10_000;

const used = <Handle>(handle: Handle) => ({ handle, openedAt: '2026-11-20T12:00:00.000Z', happenings: [] });
const textOf = (body: Uint8Array) => new TextDecoder().decode(body);

async function put(server: TestServer, mailbox: Mailbox, raw: string): Promise<void> {
  const headers = { 'content-type': 'message/rfc822' };
  const answer = await server.api(`/_mailcap/mailboxes/${mailbox.id}/messages`, { method: 'POST', headers, body: raw });
  expect(answer.status).toBe(201);
}

async function reported(
  { mailboxes = [], webhooks = [] }: { mailboxes?: Mailbox[]; webhooks?: Webhook[] },
  mostBytes = MAX_BYTES,
) {
  // The report waits for the server for five seconds, in which a busy machine may not parse the mail.
  for (const mailbox of mailboxes) await mailbox.messages();
  const attempt = { mailboxes: mailboxes.map(used), webhooks: webhooks.map(used) };
  // The report reads the handles of an attempt alone.
  const exhibits = await reportOf(attempt as unknown as Parameters<typeof reportOf>[0], mostBytes);
  expect(exhibits.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThan(mostBytes + OVERVIEW_BYTES);
  return exhibits.map(({ name, extension, body }) => ({ name, extension, text: textOf(body) }));
}

const PICTURE = Buffer.alloc(MEGABYTE, 'picture').toString('base64');
const MAIL = [
  'Subject: pictures',
  'Content-Type: multipart/related; boundary=b',
  '',
  '--b',
  'Content-Type: text/html',
  '',
  '<img src="cid:x">\r\n'.repeat(6_000),
  '--b',
  'Content-Type: image/png',
  'Content-ID: <x>',
  'Content-Transfer-Encoding: base64',
  '',
  PICTURE,
  '--b--',
  '',
].join('\r\n');

test('for a mail with 6,000 references to one picture, the pages of the report and of the screenshot say what they leave out', async () => {
  await using server = await startServer();
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey, workspaceId: server.workspaceId });
  const mailbox = await client.mailbox({});
  await put(server, mailbox, MAIL);
  const exhibits = await reported({ mailboxes: [mailbox] });
  expect(exhibits.map(({ extension }) => extension)).toEqual(['json', 'html', 'eml']);
  const note = 'This page would be too large. mailcap left out its pictures in 5,991 places.';
  expect(exhibits[1]?.text).toContain(`<p role="note">${note}`);
  expect(exhibits[1]?.text.split(PICTURE)).toHaveLength(10);
  const message = await mailbox.waitForMessage();
  const view = mailView(message, await picturesOf(message));
  expect(view).toContain(`>${note}`);
  expect(view.split(PICTURE)).toHaveLength(10);
});

test('a report that would be too large has the newest mail, and its overview names the rest', async () => {
  await using server = await startServer();
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey, workspaceId: server.workspaceId });
  const mailbox = await client.mailbox({});
  const file = 'a file'.padEnd(998, ' of the mail').concat('\r\n').repeat(240);
  const parts = `--b\r\nContent-Type: text/html\r\n\r\n<p>Hello.\r\n--b\r\nContent-Type: a/b\r\n\r\n${file}--b--\r\n`;
  const mixed = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts}`;
  for (const subject of ['one', 'two', 'three']) await put(server, mailbox, `Subject: ${subject}\r\n${mixed}`);
  const exhibits = await reported({ mailboxes: [mailbox] }, 600_000);
  const overview = JSON.parse(exhibits[0]?.text ?? '') as { leftOut: string[] };
  expect(overview.leftOut).toEqual([
    expect.stringMatching(
      /^The source of mailbox mail 1: one is left out: it has 240,\d{3} bytes, and the report may have 600,000\.$/,
    ),
  ]);
  expect(exhibits.slice(1).map(({ name }) => name)).toEqual([
    'mailbox mail 1: one',
    'mailbox mail 2: two',
    'mailbox mail 2: two (source)',
    'mailbox mail 3: three',
    'mailbox mail 3: three (source)',
  ]);
});

test('a report that would be too large has the newest captured bodies, and the sizes of the others', async () => {
  await using server = await startServer();
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey, workspaceId: server.workspaceId });
  const webhook = await client.webhook({});
  const body = '\u0001'.repeat(9_000);
  for (let sent = 0; sent < 20; sent++) await fetch(webhook.url, { method: 'POST', body });
  await webhook.waitForRequests(20);
  const [overview] = await reported({ webhooks: [webhook] }, 600_000);
  const { requests } = JSON.parse(overview?.text ?? '') as { requests: { body?: string; leftOut?: string }[] };
  expect(requests).toHaveLength(20);
  const first = requests.findIndex((request) => request.body !== undefined);
  expect(first).toBeGreaterThan(0);
  for (const [at, request] of requests.entries()) {
    if (at >= first) expect(request.body).toBe(body);
    else expect(request.leftOut).toMatch(/^The body is left out: it has 9,000 bytes/);
  }
});
