import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test as plain } from 'vitest';
import { cloudRoutes, localRoutes } from '../../src/http/app.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { fill, oneOfEverything } from '../support/everything.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { byDay } from '../support/night.ts';
import { json, outcome, put, type Summary } from './support.ts';

// Any web page can send requests to a port on localhost, and any mail can contain such a page.

const XSS = '<script>alert(document.domain)</script>';
const PATH = '../../../../../../tmp/mailcap-was-here';
const HOSTILE = [
  `From: "${XSS}" <a@x.test>`,
  `Subject: ${XSS}`,
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html',
  '',
  XSS,
  '--b',
  `Content-Type: text/html; name="${PATH}.html"`,
  `Content-Disposition: attachment; filename="${PATH}.html"`,
  `Content-ID: <${PATH}>`,
  '',
  XSS,
  '--b',
  'Content-Type: image/svg+xml',
  'Content-Disposition: inline; filename="(.*)+$"',
  'Content-ID: <(.*)+$>',
  '',
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
  '--b--',
  '',
].join('\r\n');

interface Detail {
  readonly attachments: readonly { id: string; contentId: string }[];
}

let servers = 0;

/** Returns the path of every GET route with existing ids. Routes about mail get a hostile mail. */
async function getPaths(server: TestServer): Promise<string[]> {
  const message = await json<Summary>(put(server, server.mailboxId, HOSTILE));
  const detail = await json<Detail>(server.api(`/v1/mailboxes/${server.mailboxId}/messages/${message.id}`));
  const everything = await oneOfEverything(server, { id: server.workspaceId, key: server.apiKey }, `all-${++servers}`);
  const ids = { ...everything, mailboxes: server.mailboxId, messages: message.id };
  const attachments = detail.attachments.map(({ id }) => id);
  expect(attachments).toHaveLength(2);
  return [...cloudRoutes, ...localRoutes]
    .filter(({ method }) => method === 'GET')
    .flatMap(({ path }) =>
      path.includes(':attachmentId') ? attachments.map((id) => path.replace(':attachmentId', id)) : [path],
    )
    .map((path) => fill(path, ids))
    .map((path) => (path.endsWith('/await') ? `${path}?timeout=1&since=2000-01-01T00:00:00Z` : path));
}

test('no route returns the content of a mail as a page of the server', async ({ mailcap }) => {
  let downloads = 0;
  for (const path of await getPaths(mailcap)) {
    const response = await mailcap.api(path);
    const text = await response.text();
    const { headers } = response;
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    const [type] = (headers.get('content-type') ?? '').split(';');
    if (type === 'application/json') continue;
    if (headers.get('content-disposition') !== null || path.endsWith('/raw')) {
      downloads++;
      expect(headers.get('content-security-policy'), path).toBe('sandbox');
      if (!path.endsWith('/raw')) expect(headers.get('content-disposition'), path).toMatch(/^attachment;/);
      continue;
    }
    // The HTML view runs no scripts and has no origin. The inbox has its first answers as JSON, in which no tag can begin
    // or end. The other pages, and the Prometheus text, contain nothing of a mail.
    const answers = /<script type="application\/json" id="first">([^<]*)<\/script>/;
    expect(answers.test(text), path).toBe(path === '/');
    expect(text.replace(answers, ''), path).not.toContain('alert(');
    const policy = path.endsWith('/view')
      ? /^sandbox (?!.*allow-(?:scripts|same)).*; default-src 'none'/
      : /^default-src 'none'/;
    if (type === 'text/html') expect(headers.get('content-security-policy'), path).toMatch(policy);
  }
  // Both attachments and the mail itself are downloads.
  expect(downloads).toBeGreaterThanOrEqual(3);
});

test('GET and HEAD change nothing, except that reading a code is recorded', async ({ mailcap }) => {
  // Reading a TOTP code creates a feed event, so these routes are left out.
  const paths = (await getPaths(mailcap)).filter((path) => !path.startsWith('/v1/totp/'));
  const { store } = mailcap.ctx;
  const state = async () => [await store.read.counts(), await store.read.events.lastId()];
  const before = await state();
  for (const path of paths) {
    for (const method of ['GET', 'HEAD']) expect((await mailcap.api(path, { method })).status, path).toBeLessThan(500);
  }
  expect(await state()).toEqual(before);
});

test('no route lets a page of another origin read its answer', async ({ mailcap }) => {
  const origin = 'https://evil.example';
  for (const path of [...(await getPaths(mailcap)), '/nowhere', '/v1/nowhere']) {
    const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    for (const answer of [
      await mailcap.api(path, { headers: { origin } }),
      await mailcap.api(path, { method: 'OPTIONS', headers: { origin, ...asks } }),
    ]) {
      const told = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
      expect(told, path).toEqual([]);
      if (!path.startsWith('/v1')) expect([path, answer.status >= 400]).toEqual([path, true]);
    }
  }
});

/** The files that a server keeps in its data directory. */
const OWN =
  /^(\.gitignore|credentials\.json|tls\.pem|store|store.lock[\w.]*|store.state(\.copy)?\.json(\.new)?|store.segments|store.segments.(reserve|\d+\.(log|idx)))$/;

plain('what a mail calls its parts becomes neither a file nor a pattern', async () => {
  const dataDir = await temporaryDirectory();
  await using server = await startServer({ ephemeral: false, dataDir });
  const strange = () => readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => !OWN.test(name));
  const around = () => readdirSync(dirname(dataDir)).filter((name) => name.includes('mailcap-was-here'));
  const message = await json<Summary>(put(server, server.mailboxId, HOSTILE));
  const path = `/v1/mailboxes/${server.mailboxId}/messages/${message.id}`;
  const { attachments } = await json<Detail>(server.api(path));
  expect(attachments.map(({ contentId }) => contentId)).toEqual([PATH, '(.*)+$']);
  for (const { id, contentId } of attachments) {
    const parent = `/_mailcap/messages/${message.id}/attachments`;
    expect((await server.api(`${parent}/${id}`)).status).toBe(200);
    expect((await server.api(`${parent}/${encodeURIComponent(contentId)}`)).status).toBe(404);
  }
  expect(strange()).toEqual([]);
  expect(around()).toEqual([]);
});

test('every route that takes a body refuses one over its limit, announced or not', async ({ mailcap }) => {
  const everything = await oneOfEverything(mailcap, { id: mailcap.workspaceId, key: mailcap.apiKey }, 'limits');
  // The caller makes the ids of a run and its tests.
  const ids = { ...everything, runs: '01M80WB2NZ579TBFQ5268DEQ50', tests: '01M80WB2NZ579TBFQ5268DEQ51' };
  const writing = [...cloudRoutes, ...localRoutes].filter(({ declared }) => declared.body !== undefined);
  expect(writing.length).toBeGreaterThan(5);
  // The limits in MiB: 10 for JSON, more where a body stands in it as base64, and 25 for a mail.
  const limits: Readonly<Record<string, number>> = {
    '/_mailcap/mailboxes/:id/messages': 25,
    '/_mailcap/webhook-deliveries': 15,
    '/_mailcap/webhook-playbacks': 48,
  };
  const all = [...writing, { method: 'POST', path: '/_mailcap/mailboxes/:id/messages' }];
  // By day those with a limit of their own, and every tenth of the rest.
  for (const { method, path } of byDay(all, ({ path }, at) => limits[path] !== undefined || at % 10 === 0)) {
    const isMail = path.endsWith('/messages');
    const whole = 'x'.repeat(((limits[path] ?? 10) + 1) * 1024 * 1024);
    const headers = { 'content-type': isMail ? 'message/rfc822' : 'application/json' };
    for (const body of [whole, new Blob([whole]).stream()]) {
      const init = { method, headers, body, duplex: 'half' };
      const answer = await outcome(mailcap.api(fill(path, ids), init as RequestInit)); // duplex is missing from its type
      expect([path, answer]).toEqual([path, { status: 413, body: { error: 'payload_too_large' } }]);
    }
  }
});
