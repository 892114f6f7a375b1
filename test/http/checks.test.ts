import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { describe, expect, onTestFinished } from 'vitest';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { json, mail, put, type Summary } from './support.ts';

interface Finding {
  readonly rule: string;
  readonly detail: string | null;
  readonly severity: string;
  readonly message: string;
  readonly place: { readonly part: string; readonly line: number; readonly start: number; readonly end: number } | null;
}

interface Checks {
  readonly passed: boolean;
  readonly findings: readonly Finding[];
  readonly allowed: number;
  readonly clients: readonly string[];
  readonly clientData: { readonly source: string; readonly version: string; readonly date: string };
  readonly unsubscribe: { readonly isOneClick: boolean; readonly findings: readonly Finding[] };
  readonly notChecked: readonly string[];
  readonly checkError: string | null;
}

const HTML =
  '<html lang="en"><title>T</title><p style="border-radius:2px">Hi {{name}}</p><a href="http://localhost:1/">x</a></html>';

async function checksOf(server: TestServer, mailboxId: string, raw: string, query = ''): Promise<Checks> {
  const { id } = await json<Summary>(put(server, mailboxId, raw));
  return json<Checks>(server.api(`/_mailcap/messages/${id}/checks${query}`));
}

const rulesOf = ({ findings }: Checks) =>
  findings.filter(({ severity }) => severity !== 'note').map(({ rule }) => rule);

/** A mail with a header without faults and HTML. */
function htmlMail(html = HTML, more: Readonly<Record<string, string>> = {}): string {
  const header = {
    Subject: 'Hello',
    Date: 'Sun, 22 Nov 2026 10:00:00 +0000',
    'Message-ID': '<1@shop.example>',
    'Content-Type': 'text/html; charset=utf-8',
  };
  return mail({ ...header, ...more }, html);
}

test('GET lists the problems that readers of a mail would have, with their place and the version of the data', async ({
  mailcap,
  mailbox,
}) => {
  const checks = await checksOf(mailcap, mailbox.id, htmlMail());
  expect(checks).toMatchObject({ passed: false, allowed: 0, checkError: null, notChecked: [] });
  expect(rulesOf(checks)).toEqual(['placeholder', 'text-missing']);
  const [first] = checks.findings;
  expect(first).toMatchObject({ severity: 'error', detail: '{{name}}', place: { part: 'html', line: 1 } });
  expect(HTML.slice(first?.place?.start, first?.place?.end)).toBe('{{name}}');
  expect(checks.clientData).toMatchObject({
    source: 'caniemail.com',
    date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
  expect(checks.clients).toContain('gmail.ios');
});

test('allow turns findings off, deny makes notes warnings, and both may name details', async ({ mailcap, mailbox }) => {
  const { id } = await json<Summary>(put(mailcap, mailbox.id, htmlMail()));
  const ask = (query: string) => json<Checks>(mailcap.api(`/_mailcap/messages/${id}/checks?${query}`));
  expect(await ask('allow=placeholder,text-missing')).toMatchObject({ passed: true, allowed: 2 });
  const byDetail = await ask(`allow=${encodeURIComponent('placeholder:{{*')},text-missing,client-support:css-*`);
  expect([byDetail.passed, byDetail.findings.map(({ rule }) => rule)]).toEqual([true, ['link-localhost']]);
  const denied = await ask('allow=placeholder,text-missing&deny=link-localhost,client-support:css-border-radius');
  expect([denied.passed, rulesOf(denied)]).toEqual([false, ['link-localhost', 'client-support']]);
  expect((await ask('clients=outlook.windows')).clients).toEqual(['outlook.windows']);
});

test.for([
  ['clients=nobody', { error: 'invalid_clients' }],
  ['allow=image-altt', { error: 'invalid_rules', rule: 'image-altt' }],
  ['deny=contrast:', { error: 'invalid_rules', rule: 'contrast:' }],
  ['reach=yes', { error: 'invalid_reach' }],
] as const)('%s is a 400', async ([query, body], { mailcap, mailbox }) => {
  const { id } = await json<Summary>(put(mailcap, mailbox.id, htmlMail()));
  const answer = await mailcap.api(`/_mailcap/messages/${id}/checks?${query}`);
  expect([answer.status, await answer.json()]).toEqual([400, body]);
});

test.for(['allow', 'deny', 'clients'])('more than 100 names in %s are a 400', async (name, { mailcap, mailbox }) => {
  const { id } = await json<Summary>(put(mailcap, mailbox.id, htmlMail()));
  const names = `${name === 'clients' ? 'gmail' : 'link-http'},`.repeat(101);
  const answer = await mailcap.api(`/_mailcap/messages/${id}/checks?${name}=${names}`);
  expect([answer.status, await answer.json()]).toEqual([400, { error: 'too_many_names', limit: 100 }]);
});

test('a hundred names are accepted, and empty ones are ignored', async ({ mailcap, mailbox }) => {
  const { id } = await json<Summary>(put(mailcap, mailbox.id, htmlMail()));
  const answer = await mailcap.api(`/_mailcap/messages/${id}/checks?allow=${'placeholder,,'.repeat(99)}text-missing`);
  expect([answer.status, await answer.json()]).toMatchObject([200, { passed: true, allowed: 2 }]);
});

test('a message that is not there is a 404', async ({ mailcap }) => {
  expect((await mailcap.api('/_mailcap/messages/01KAHW3F9QZZZZZZZZZZZZZZZZ/checks')).status).toBe(404);
});

describe('reach', () => {
  test('requests the links by HEAD and only on demand, except links that do something', async ({
    mailcap,
    mailbox,
  }) => {
    const asked: string[] = [];
    const site = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response
        .writeHead(request.url === '/gone' ? 404 : request.url === '/secret' ? 403 : 302, { Location: '/' })
        .end();
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => site.close(() => resolve())));
    const address = site.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const links = ['gone', 'there', 'secret', 'there#part', 'verify?token=abc'].map(
      (path) => `<a href="${url}/${path}">Go</a>`,
    );
    const html = `${links.join(' ')} <a href="http://127.0.0.1:1/">down</a>`;
    expect(rulesOf(await checksOf(mailcap, mailbox.id, htmlMail(html)))).toEqual(['text-missing']);
    expect(asked).toEqual([]);
    const checks = await checksOf(mailcap, mailbox.id, htmlMail(html), '?reach=1');
    expect(asked.sort()).toEqual(['HEAD /gone', 'HEAD /secret', 'HEAD /there']);
    const found = checks.findings.filter(({ rule }) => rule === 'link-unreachable').map(({ message }) => message);
    expect(found).toEqual([`${url}/gone answers 404.`, expect.stringContaining('127.0.0.1:1/ does not answer')]);
    expect(checks.notChecked).toEqual(['Links that do something were not followed: 1.']);
  });
});

describe('DKIM and DMARC over the zone', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const zone = {
    'mail._domainkey.shop.example': [`v=DKIM1; k=rsa; p=${key}`],
    'shop.example': ['v=spf1 -all'],
    '_dmarc.shop.example': ['v=DMARC1; p=reject'],
    '_dmarc.other.example': ['v=DMARC1; p=quarantine'],
  };
  const dkim = { domainName: 'shop.example', keySelector: 'mail', privateKey: pem };

  async function sentTo(server: TestServer, options: SendMailOptions): Promise<Checks> {
    const transport = createTransport({ ...server.smtp, ignoreTLS: true });
    await transport.sendMail({ to: `ada@${server.mailDomain}`, subject: 'Hi', text: 'Hello.', ...options });
    const [newest] = await json<Summary[]>(server.api(`/v1/mailboxes/${server.mailboxId}/messages?limit=1`));
    return json<Checks>(server.api(`/_mailcap/messages/${newest?.id}/checks`));
  }

  test('a mail that is signed with the published key passes, and one that is not fails the policy', async () => {
    const server = await startServer({ spf: { zone } });
    onTestFinished(() => server.close());
    const signed = await sentTo(server, { from: 'a@shop.example', dkim });
    expect([rulesOf(signed), signed.notChecked]).toEqual([[], []]);
    const unsigned = await sentTo(server, { from: 'a@shop.example' });
    expect(unsigned.findings.map(({ message }) => message)).toEqual([
      'The mail fails the DMARC policy of shop.example (p=reject): neither DKIM nor SPF passes for that domain.',
    ]);
    expect(rulesOf(await sentTo(server, { from: 'a@other.example', dkim }))).toEqual(['dmarc-fail']);
    const unknown = await sentTo(server, { from: 'a@nowhere.example', dkim: { ...dkim, keySelector: 'old' } });
    expect(unknown.findings.map(({ message }) => message)).toEqual([
      'The DKIM signature of shop.example (old) does not verify: the zone has no key for it.',
    ]);
  });

  test('without a zone the hash of the body is verified, and the answer lists what was not verified', async ({
    mailcap,
  }) => {
    const signed = await sentTo(mailcap, { from: 'a@shop.example', dkim });
    expect([rulesOf(signed), signed.notChecked]).toEqual([
      [],
      ['The keys of DKIM signatures are not verified, because no zone is configured.'],
    ]);
  });

  test.each([
    ['h=sha256:sha1;', null],
    ['h=sha1;', 'its key is only for h=sha1, and it is made with sha256'],
    ['s=email;', null],
    ['s=tlsrpt:*;', null],
    ['s=tlsrpt;', 'its key is not for mail, but for s=tlsrpt'],
    ['t=y:s;', null],
  ])('a key record with %s limits what the key is for', async (limit, reason) => {
    const limited = { 'mail._domainkey.shop.example': [`v=DKIM1; k=rsa; ${limit} p=${key}`] };
    const server = await startServer({ spf: { zone: limited } });
    onTestFinished(() => server.close());
    const { findings } = await sentTo(server, { from: 'a@shop.example', dkim });
    expect(findings.map(({ message }) => message)).toEqual(
      reason === null ? [] : [`The DKIM signature of shop.example (mail) does not verify: ${reason}.`],
    );
  });

  const whole = 'v=1; a=rsa-sha256; d=shop.example; s=mail; h=from:to; bh=YWJj; b=YWJj';
  test.each([
    ['rubbish', 'A DKIM signature does not verify: it lacks the tags v=, a=, b=, bh=, d=, h=, s=.'],
    [whole.replace('d=shop.example;', ''), 'A DKIM signature does not verify: it lacks the tag d=.'],
    [whole.replace('s=mail;', ''), 'The DKIM signature of shop.example does not verify: it lacks the tag s=.'],
    [whole.replace('v=1', 'v=2'), ': its version is 2, and not 1.'],
    [whole.replace('rsa-sha256', 'rsa-md5'), ': its algorithm rsa-md5 is unknown.'],
    [`${whole}; c=nofws/simple`, ': its canonicalization nofws/simple is unknown.'],
    [whole.replace('from:to', 'to:subject'), ': it does not sign From.'],
    [`${whole}; d=other.example`, ': the tag d= is in it twice.'],
    [whole, ': the body was changed after it was signed.'],
  ])('the malformed signature %s is told by what is wrong with it', async (value, said) => {
    const server = await startServer();
    onTestFinished(() => server.close());
    const { findings } = await sentTo(server, { from: 'a@shop.example', headers: { 'DKIM-Signature': value } });
    expect(findings.map(({ rule, message }) => [rule, message])).toEqual([
      ['dkim-invalid', expect.stringContaining(said)],
    ]);
  });

  test('a body that was changed after it was signed is an error', async ({ mailcap, mailbox }) => {
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
    const { message } = await transport.sendMail({
      from: 'a@shop.example',
      to: 'b@c.example',
      subject: 'Hi',
      text: 'Hello.',
      dkim,
    });
    const changed = message.toString().replace('Hello.', 'Hello!');
    const checks = await checksOf(mailcap, mailbox.id, changed);
    expect(checks.findings.map(({ rule, message: why }) => [rule, why])).toEqual([
      [
        'dkim-invalid',
        'The DKIM signature of shop.example (mail) does not verify: the body was changed after it was signed.',
      ],
    ]);
  });
});

test('the score of the HTML is that of its costliest feature, and names what each client lacks', async ({
  mailcap,
  mailbox,
}) => {
  const html = '<html lang="en"><p>a</p><p>b</p><div style="display:grid">x</div></html>';
  const { id } = await json<Summary>(put(mailcap, mailbox.id, htmlMail(html)));
  interface Support {
    readonly score: number | null;
    readonly elements: number;
    readonly features: readonly {
      readonly feature: string;
      readonly count: number;
      readonly unsupported: number;
      readonly partial: number;
      readonly place: { readonly start: number; readonly end: number };
      readonly clients: readonly { readonly id: string; readonly support: string }[];
    }[];
  }
  const support = await json<Support>(mailcap.api(`/_mailcap/messages/${id}/html-support?clients=gmail,outlook`));
  const [grid] = support.features;
  expect(support.features.map(({ feature }) => feature)).toEqual(['css-display-grid']);
  expect(grid?.clients.every(({ id: client }) => /^(?:gmail|outlook)\./.test(client))).toBe(true);
  expect(grid?.clients).toContainEqual(expect.objectContaining({ id: 'outlook.windows', support: 'no' }));
  // One of four elements has the feature.
  expect(support.elements).toBe(4);
  expect(support.score).toBeCloseTo(100 - ((grid?.unsupported ?? 0) + (grid?.partial ?? 0)) / 4);
  expect(html.slice(grid?.place.start, grid?.place.end)).toContain('display:grid');
  const { id: plain } = await json<Summary>(put(mailcap, mailbox.id, mail({ Subject: 'Text' }, 'Hello')));
  const none = await json<Support>(mailcap.api(`/_mailcap/messages/${plain}/html-support`));
  expect(none).toMatchObject({ score: null, features: [] });
});

test('only addresses of the mail are requested, and nothing is if one is not of it', async ({ mailcap, mailbox }) => {
  const asked: string[] = [];
  const site = createServer(({ url }, answer) => {
    asked.push(url ?? '');
    answer.end();
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void site.close());
  const at = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const html = `<a href="${at}/a">a</a><a href="${at}/unsubscribe?u=1">Unsubscribe</a><a href="ftp://x.test/y">f</a>`;
  const { id } = await json<Summary>(put(mailcap, mailbox.id, htmlMail(html)));
  const path = `/_mailcap/messages/${id}/links`;
  expect(await json(mailcap.api(path))).toMatchObject({
    links: [
      { url: `${at}/a`, use: 'link', text: 'a', kind: 'other', acts: false, isWeb: true },
      { url: `${at}/unsubscribe?u=1`, kind: 'unsubscribe', acts: true },
    ],
  });
  for (const urls of ['x', [1], [`${at}/b`], [`${at}/a`, 'ftp://x.test/y'], Array(101).fill(`${at}/a`)]) {
    const refused = await mailcap.api(`${path}/check`, { json: { urls } });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: 'invalid_body' });
  }
  expect(asked).toEqual([]);
  const status = { status: 200, redirects: [], error: null };
  expect(await json(mailcap.api(`${path}/check`, { method: 'POST' }))).toMatchObject({
    links: [{ url: `${at}/a`, ...status }],
  });
  const one = await json(mailcap.api(`${path}/check`, { json: { urls: [`${at}/unsubscribe?u=1`] } }));
  expect(one).toMatchObject({ links: [{ url: `${at}/unsubscribe?u=1`, ...status }] });
  expect(asked).toEqual(['/a', '/unsubscribe?u=1']);
});
