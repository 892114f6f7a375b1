import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { type TestServer, test } from '../support/mailcap.ts';
import { longestHold } from '../support/processor-time.ts';
import { detailOf, messagesOf } from './support.ts';

const SIGNED = 'AWS4-HMAC-SHA256 Credential=any/20261126/us-east-1/ses/aws4_request, SignedHeaders=host, Signature=00';
const FROM = { email: 'a@acme.test' };
const CONTENT = [{ type: 'text/plain', value: 'Hello' }];

/** How each door is asked to send a mail to many, with further fields. */
const DOORS: Readonly<
  Record<string, { path: string; headers?: Record<string, string>; mail(to: readonly string[]): object }>
> = {
  resend: { path: '/emails', mail: (to) => ({ from: FROM.email, to, subject: 'Hi', text: 'Hello' }) },
  sendgrid: {
    path: '/v3/mail/send',
    mail: (to) => ({ from: FROM, subject: 'Hi', content: CONTENT, personalizations: [{ to: people(to) }] }),
  },
  postmark: {
    path: '/email',
    headers: { 'x-postmark-server-token': 'any' },
    mail: (to) => ({ From: FROM.email, To: to.join(', '), Subject: 'Hi', TextBody: 'Hello' }),
  },
  ses: {
    path: '/v2/email/outbound-emails',
    headers: { authorization: SIGNED },
    mail: (to) => ({
      FromEmailAddress: FROM.email,
      Destination: { ToAddresses: to },
      Content: { Simple: { Subject: { Data: 'Hi' }, Body: { Text: { Data: 'Hello' } } } },
    }),
  },
  brevo: {
    path: '/v3/smtp/email',
    headers: { 'api-key': 'any' },
    mail: (to) => ({ sender: FROM, to: people(to), subject: 'Hi', textContent: 'Hello' }),
  },
  mailersend: { path: '/v1/email', mail: (to) => ({ from: FROM, to: people(to), subject: 'Hi', text: 'Hello' }) },
  mailtrap: { path: '/api/send', mail: (to) => ({ from: FROM, to: people(to), subject: 'Hi', text: 'Hello' }) },
  customerio: {
    path: '/v1/send/email',
    mail: (to) => ({
      ...{ from: FROM.email, to: to.join(', '), subject: 'Hi', body: 'Hello', identifiers: { email: FROM.email } },
    }),
  },
};
const NAMES = Object.keys(DOORS);

function people(addresses: readonly string[]) {
  return addresses.map((email) => ({ email }));
}

async function post(server: TestServer, name: string, body: string | Buffer, more: Record<string, string> = {}) {
  const { path, headers } = DOORS[name] ?? { path: '' };
  const init = { 'content-type': 'application/json', authorization: 'Bearer any', ...headers, ...more };
  const response = await fetch(`${server.url}/providers/${name}${path}`, { method: 'POST', headers: init, body });
  await response.text();
  return response.status;
}

describe('a hostile body is refused, and nothing is stored', () => {
  test.for(NAMES)('%s: 100,000 recipients', async (name, { mailcap, mailbox }) => {
    const many = Array.from({ length: 100_000 }, (_, at) => mailbox.address(`a${at}`));
    const status = await post(mailcap, name, JSON.stringify(DOORS[name]?.mail(many)));
    expect([400, 422]).toContain(status);
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test.for(NAMES)('%s: lists in lists, 200,000 deep', async (name, { mailcap, mailbox }) => {
    const mail = JSON.stringify(DOORS[name]?.mail([mailbox.address()])).slice(1, -1);
    for (const field of ['params', 'headers', 'custom_args', 'custom_variables', 'Metadata', 'personalization', 'x']) {
      const deep = `{${mail},"${field}":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
      expect([400, 422]).toContain(await post(mailcap, name, deep));
    }
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test.for(NAMES)('%s: a million objects', async (name, { mailcap, mailbox }) => {
    const mail = JSON.stringify(DOORS[name]?.mail([mailbox.address()])).slice(1, -1);
    expect([400, 422]).toContain(await post(mailcap, name, `{${mail},"x":[${'{},'.repeat(1_000_000)}{}]}`));
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test.for(NAMES)('%s: 400,000 fields, each with a name of its own', async (name, { mailcap, mailbox }) => {
    const mail = JSON.stringify(DOORS[name]?.mail([mailbox.address()])).slice(1, -1);
    const fields = Array.from({ length: 400_000 }, (_, at) => `"k${at}":1`).join(',');
    expect([400, 422]).toContain(await post(mailcap, name, `{${mail},"x":{${fields}}}`));
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test.for(NAMES)('%s: a body that gzip blows up', async (name, { mailcap }) => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, 0x20));
    // Postmark has 422 for it.
    expect([415, 422, 400]).toContain(await post(mailcap, name, bomb, { 'content-encoding': 'gzip' }));
  });

  test.for(NAMES)('%s: fields that name the prototype change nothing', async (name, { mailcap, mailbox }) => {
    const mail = JSON.stringify(DOORS[name]?.mail([mailbox.address()])).slice(1, -1);
    const proto = '"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}';
    const fields = ['params', 'custom_args', 'custom_variables', 'headers'].map((field) => `"${field}":{${proto}}`);
    await post(mailcap, name, `{${mail},${fields.join(',')},${proto}}`);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('what is merged is bounded', () => {
  const refused = async (server: TestServer, name: string, body: object) => {
    const started = performance.now();
    const status = await post(server, name, JSON.stringify(body));
    expect([400, 422]).toContain(status);
    expect(performance.now() - started).toBeLessThan(10_000);
  };

  test('substitutions that would make a text of gigabytes', async ({ mailcap, mailbox }) => {
    const mail = DOORS['sendgrid']?.mail([]) ?? {};
    const to = people([mailbox.address()]);
    const one = { to, substitutions: { a: 'a'.repeat(9_000) } };
    const content = [{ type: 'text/plain', value: 'a'.repeat(1_000_000) }];
    await refused(mailcap, 'sendgrid', { ...mail, content, personalizations: [one] });
    // Each is small, and all are much.
    const many = Array.from({ length: 1_000 }, (_, at) => ({
      to: people([mailbox.address(`a${at}`)]),
      substitutions: { b: 'c' },
    }));
    await refused(mailcap, 'sendgrid', { ...mail, content, personalizations: many });
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  /** Sends a template of SES with its data. Returns the status, the message of a refusal, and how long the server was held. */
  const rendered = async (server: TestServer, to: string, Text: string, data: object) => {
    const Template = { TemplateContent: { Subject: 'Hi', Text }, TemplateData: JSON.stringify(data) };
    const body = JSON.stringify({ ...DOORS['ses']?.mail([to]), Content: { Template } });
    const held = longestHold();
    const { path = '', headers } = DOORS['ses'] ?? {};
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
    const response = await fetch(`${server.url}/providers/ses${path}`, init);
    const { message } = (await response.json()) as { message?: string };
    return { status: response.status, message, held: held() };
  };

  test('a loop over 10,000 entries is merged', async ({ mailcap, mailbox }) => {
    const a = Array.from({ length: 10_000 }, (_, at) => at % 10);
    const loop = '{{#each a}}{{this}}{{#if @last}}!{{/if}}{{/each}}';
    expect(await rendered(mailcap, mailbox.address(), loop, { a })).toMatchObject({ status: 200 });
    const [message] = await messagesOf(mailcap, mailbox.id);
    const { textBody } = await detailOf(mailcap, mailbox.id, message?.id ?? '');
    expect(textBody).toBe(`${'0123456789'.repeat(1_000)}!`);
  });

  // The longest of them held the server for sixteen seconds.
  test.for([
    ['a loop over 60,000 entries', '{{#each r}}{{this}}{{#if @last}}!{{/if}}{{/each}}'],
    ['a condition of 3,000 values in a loop', `{{#each r}}{{#if (and ${'@root.s '.repeat(3_000)})}}x{{/if}}{{/each}}`],
    ['a path of 2,000 names in a loop', `{{#each r}}{{#if @root.a${'.b'.repeat(2_000)}}}x{{/if}}{{/each}}`],
    [
      'a name that no part has, in 40 parts',
      `${'{{#with o}}'.repeat(40)}{{#each @root.r}}{{#if b}}{{/if}}{{/each}}${'{{/with}}'.repeat(40)}`,
    ],
    [
      'long texts that are compared in a loop',
      `{{#each r}}${'{{#if (equals @root.s @root.t)}}x{{/if}}'.repeat(9)}{{/each}}`,
    ],
    ['a list of lists that is written in a loop', '{{#each r}}{{@root.lists}}{{/each}}'],
  ])('%s ends with an error', async ([, template = ''], { mailcap, mailbox }) => {
    const long = 'x'.repeat(20_000);
    let o = {};
    for (let depth = 0; depth < 45; depth++) o = { o };
    const lists = Array.from({ length: 3_000 }, () => []);
    const data = { r: Array.from({ length: 60_000 }, () => 1), s: `${long}a`, t: `${long}b`, lists, ...o };
    const { status, message, held } = await rendered(mailcap, mailbox.address(), template, data);
    expect([status, message]).toEqual([400, 'The template does not end within 100,000 steps.']);
    expect(held).toBeLessThan(2_000);
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test('loops within loops, also without a body', async ({ mailcap, mailbox }) => {
    const a = Array.from({ length: 20_000 }, () => 0);
    for (const Html of [
      '{{#each a}}{{#each ../a}}{{/each}}{{/each}}',
      '{{#each a}}{{#each ../a}}x{{/each}}{{/each}}',
    ]) {
      const Template = { TemplateContent: { Subject: 'Hi', Html }, TemplateData: JSON.stringify({ a }) };
      const mail = DOORS['ses']?.mail([mailbox.address()]) ?? {};
      await refused(mailcap, 'ses', { ...mail, Content: { Template } });
    }
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  // Handlebars' parser takes minutes for each of them.
  test.for([
    ['blocks in blocks', '{{#a}}'.repeat(9_000) + '{{/a}}'.repeat(9_000)],
    ['a chain of conditions', `{{#if a}}x${'{{else if b}}y'.repeat(9_000)}{{/if}}`],
    ['parentheses in parentheses', `{{#if ${'(or a '.repeat(9_000)}${')'.repeat(9_000)}}}{{/if}}`],
    ['parentheses that texts seem to close', `{{#if ${'(or ")" '.repeat(9_000)}${')'.repeat(9_000)}}}{{/if}}`],
    ['blocks that a text seems to hold', `\\{{ " ${'{{#a}}'.repeat(9_000)} "`],
    ['blocks behind a quote in a comment', `{{! " }}${'{{#a}}'.repeat(9_000)}{{! " }}`],
    ['blocks behind the shortest comment', `{{!--}}${'{{#a}}'.repeat(9_000)}{{!-- --}}`],
    ['200,000 tags', '{{a}}'.repeat(200_000)],
    ['a path that never ends', `{{a${'.b'.repeat(60_000)}}}`],
    ['tags that never end', '{{['.repeat(40_000)],
  ])('a template of %s', async ([, html], { mailcap, mailbox }) => {
    const personalization = [{ email: mailbox.address(), data: { a: {} } }];
    const mail = { ...DOORS['mailersend']?.mail([mailbox.address()]), html, personalization };
    await refused(mailcap, 'mailersend', mail);
    expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  });

  test('what looks like a tag in comments and behind a backslash does not count', async ({ mailcap, mailbox }) => {
    const html = `${'{{! {{#a}} }}{{!-- {{#a}} " --}}{{!--}}\\{{#a}}'.repeat(60)}{{a.[b}}c]}}${'{{#if (or a b)}}y{{else}}n{{/if}}'.repeat(60)}`;
    const personalization = [{ email: mailbox.address(), data: { a: { 'b}}c': 'value' } } }];
    const mail = { ...DOORS['mailersend']?.mail([mailbox.address()]), html, personalization };
    expect(await post(mailcap, 'mailersend', JSON.stringify(mail))).toBe(202);
    expect(await messagesOf(mailcap, mailbox.id)).toHaveLength(1);
  });

  test('a template that names a prototype, or calls what it should not', async ({ mailcap, mailbox }) => {
    const given = ['{{constructor.name}}', '{{__proto__.toString}}', '{{a.constructor}}', '{{lookup a "constructor"}}'];
    for (const html of given) {
      const personalization = [{ email: mailbox.address(), data: { a: {} } }];
      const mail = { ...DOORS['mailersend']?.mail([mailbox.address()]), html, personalization };
      await post(mailcap, 'mailersend', JSON.stringify(mail));
    }
    for (const { id } of await messagesOf(mailcap, mailbox.id)) {
      const raw = await (await mailcap.api(`/_mailcap/messages/${id}/raw`)).text();
      expect(raw).not.toMatch(/native code|Object|function/);
    }
  });
});

test('a thousand personalizations are a thousand mails, and keep nobody waiting', { timeout: 120_000 }, async ({
  mailcap,
  mailbox,
}) => {
  const personalizations = Array.from({ length: 1_000 }, (_, at) => ({ to: people([mailbox.address(`a${at}`)]) }));
  const body = JSON.stringify({ ...DOORS['sendgrid']?.mail([]), personalizations });
  const held = longestHold();
  expect(await post(mailcap, 'sendgrid', body)).toBe(202);
  // It is 50 ms on two busy cores.
  expect(held()).toBeLessThan(1_000);
  const listed = await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages?limit=1`);
  expect(await listed.json()).toMatchObject({ total: 1_000 });
});

test('a form with very many fields or parts is refused', async ({ mailcap, mailbox }) => {
  const headers = { authorization: `Basic ${Buffer.from('api:any').toString('base64')}` };
  const send = async (body: string, type?: string) => {
    const init = { ...headers, ...(type !== undefined && { 'content-type': type }) };
    const url = `${mailcap.url}/providers/mailgun/v3/acme.test/messages`;
    return (await fetch(url, { method: 'POST', headers: init, body })).status;
  };
  const mail = `from=a@acme.test&to=${mailbox.address()}&subject=Hi&text=Hello`;
  const type = 'application/x-www-form-urlencoded';
  expect(await send(`${mail}${'&x=1'.repeat(100_000)}`, type)).toBe(400);
  const part = '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n';
  expect(await send(`${part.repeat(100_000)}--b--\r\n`, 'multipart/form-data; boundary=b')).toBe(400);
  expect(await messagesOf(mailcap, mailbox.id)).toEqual([]);
  expect(await send(mail, type)).toBe(200);
});
