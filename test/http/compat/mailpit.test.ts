import { once } from 'node:events';
import { createServer, get, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MailpitClient } from 'mailpit-api';
import { describe, expect, test as plain } from 'vitest';
import { WebSocket } from 'ws';
import { createLog } from '../../../src/adapters/console-log.ts';
import { createParser } from '../../../src/adapters/worker-parser.ts';
import type { Parser } from '../../../src/ports/mail.ts';
import { scriptedRelay } from '../../relay/scripted-relay.ts';
import { Wire } from '../../smtp/wire.ts';
import { startServer, test } from '../../support/mailcap.ts';
import { scriptedSpamd, spamdAnswer } from '../../support/scripted-spamd.ts';
import { json, putMail } from '../support.ts';
import { SENT } from './ask.ts';
import { sendAll } from './mails.ts';

const MAIL = { From: { Email: 'app@sender.test' }, To: [{ Email: 'ada@inbox.test' }], Subject: 'Hi', Text: 'Hello' };

/** Asks for the link check of the newest mail with exactly these header fields. Returns the status. */
function statusOf(url: string, headers: OutgoingHttpHeaders): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(`${url}/api/v1/message/latest/link-check`, { headers }, (res) => resolve(res.resume().statusCode)).on(
      'error',
      reject,
    );
  });
}

/** Asks as curl -d or a program in Go does: with a body, and without the media type of JSON. */
function bare(url: string, method: string, body?: string): Promise<Response> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return fetch(url, { method, ...(body === undefined ? {} : { body, headers: type }) });
}

describe('POST /api/v1/send', () => {
  test('brings a message like any other mail: to its mailbox, with files, fields and tags', async ({ mailcap }) => {
    const client = new MailpitClient(mailcap.url);
    const mailbox = await mailcap.addMailbox();
    const { ID } = await client.sendMessage({ ...MAIL, To: [{ Email: mailbox.address('ada') }], Tags: ['News'] });
    const message = await client.getMessageSummary(ID);
    expect(message).toMatchObject({ Subject: 'Hi', Text: 'Hello', Tags: ['News'], ReturnPath: 'app@sender.test' });
    expect(await client.getMessageHeaders(ID)).toMatchObject({ 'X-Tags': ['News'] });
    const listed = await json(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages`));
    expect(listed).toMatchObject([{ id: ID, subject: 'Hi' }]);
    expect(await json(mailcap.api(`/_mailcap/messages/${ID}`))).toMatchObject({ source: 'api' });
  });

  test('reads keys in any case and any media type, and keeps the user of Basic', async ({ mailcap }) => {
    const answer = await fetch(`${mailcap.url}/api/v1/send`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('robot:secret').toString('base64')}` },
      body: JSON.stringify(SENT),
    });
    const { ID } = (await answer.json()) as { ID: string };
    const message = await new MailpitClient(mailcap.url).getMessageSummary(ID);
    expect(message).toMatchObject({
      Username: 'robot',
      To: [{ Name: 'Jane Doe', Address: 'jane@example.com' }],
      Bcc: [{ Name: '', Address: 'jack@example.com' }],
      Attachments: [{ ContentType: 'text/plain' }, { FileName: 'no name', ContentType: 'image/gif' }],
      Inline: [{ FileName: 'logo.gif', ContentID: 'inline-cid' }],
    });
  });

  test('a field with a line break, or an object that is none, adds nothing', async ({ mailcap }) => {
    await new MailpitClient(mailcap.url).deleteMessages();
    const send = (body: unknown) => bare(`${mailcap.url}/api/v1/send`, 'POST', JSON.stringify(body));
    for (const wrong of [
      { ...MAIL, Headers: { 'X-A': 'b\r\nBcc: eve@x.test' } },
      { ...MAIL, Headers: { 'X-A: b\r\nBcc': 'x' } },
      { ...MAIL, Attachments: [{ Content: 'eA==', Filename: 'a', ContentType: 'text/plain\r\nX: y' }] },
      { ...MAIL, To: 'ada@inbox.test' },
      [],
    ]) {
      const answer = await send(wrong);
      expect([answer.status, Object.keys(Object(await answer.json()))]).toEqual([400, ['Error']]);
    }
    expect((await new MailpitClient(mailcap.url).listMessages()).total).toBe(0);
  });

  plain('a message over --smtp-size is 413 and not stored', async () => {
    await using server = await startServer({ smtpSize: 10_000 });
    const body = JSON.stringify({ ...MAIL, Text: 'x'.repeat(20_000) });
    expect((await bare(`${server.url}/api/v1/send`, 'POST', body)).status).toBe(413);
    expect((await new MailpitClient(server.url).listMessages()).total).toBe(0);
  });
});

test('bodies without a media type mark, tag and delete, as of curl and of Go', async ({ mailcap }) => {
  await new MailpitClient(mailcap.url).deleteMessages();
  const { id } = await putMail(mailcap, mailcap.mailboxId, { Subject: 'Plain' });
  const api = `${mailcap.url}/api/v1`;
  expect(await (await bare(`${api}/messages`, 'PUT', JSON.stringify({ READ: true, iDs: [id] }))).text()).toBe('ok');
  expect(await (await bare(`${api}/tags`, 'PUT', JSON.stringify({ TAGS: ['a'], ids: [id] }))).text()).toBe('ok');
  const client = new MailpitClient(mailcap.url);
  expect((await client.listMessages()).messages).toMatchObject([{ Read: true, Tags: ['a'] }]);
  expect((await bare(`${api}/messages`, 'DELETE', JSON.stringify({ IDS: [id] }))).status).toBe(200);
  expect((await client.listMessages()).total).toBe(0);
});

describe('POST /api/v1/message/{id}/release', () => {
  plain('hands the message to the relay, and tells its refusal', async () => {
    await using relay = await scriptedRelay({
      rcpt: (address) => (/^bob/.test(address) ? '550 5.1.1 No Bob' : '250 Ok'),
    });
    await using server = await startServer({ relay: relay.url });
    const client = new MailpitClient(server.url);
    const { ID } = await client.sendMessage(MAIL);
    expect(await client.releaseMessage(ID, { To: ['ada@elsewhere.test', 'Eve <eve@elsewhere.test>'] })).toBe('ok');
    expect(relay.taken).toMatchObject([
      { from: 'app@sender.test', rcptTo: ['ada@elsewhere.test', 'eve@elsewhere.test'] },
    ]);
    await expect(client.releaseMessage(ID, { To: ['bob@elsewhere.test'] })).rejects.toThrow(/400 .*550 5\.1\.1 No Bob/);
    expect((await client.getConfiguration()).MessageRelay).toMatchObject({ Enabled: true });
  });

  test('without a relay it names the option', async ({ mailcap }) => {
    const client = new MailpitClient(mailcap.url);
    const { ID } = await client.sendMessage(MAIL);
    await expect(client.releaseMessage(ID, { To: ['ada@elsewhere.test'] })).rejects.toThrow(/400 .*--relay/);
    expect(await client.getConfiguration()).toMatchObject({ MessageRelay: { Enabled: false }, SpamAssassin: false });
  });
});

describe('/api/v1/chaos', () => {
  plain('makes SMTP fail by rules that others see, and leaves theirs alone', async () => {
    await using server = await startServer();
    const client = new MailpitClient(server.url);
    const theirs = { stage: 'rcpt', match: { to: 'slow@*' }, action: { reply: '451 later' }, times: 5 };
    await server.api('/_mailcap/faults', { json: theirs });
    const set = await client.setChaosTriggers({
      Sender: { ErrorCode: 452, Probability: 100 },
      Authentication: { ErrorCode: 530, Probability: 0 },
    });
    expect(set).toEqual({
      Sender: { ErrorCode: 452, Probability: 100 },
      Recipient: { ErrorCode: 451, Probability: 0 },
      Authentication: { ErrorCode: 530, Probability: 0 },
    });
    const wire = await Wire.hello(server.smtp.port);
    expect(await wire.say('MAIL FROM:<a@x.test>')).toMatch(/^452 .*Chaos sender error$/);
    wire.socket.destroy();
    const stages = async () =>
      (await json<{ stage: string }[]>(server.api('/_mailcap/faults'))).map(({ stage }) => stage);
    expect(await stages()).toEqual(['rcpt', 'mail', 'auth']);
    expect(await client.setChaosTriggers({ Recipient: { ErrorCode: 550, Probability: 100 } })).toMatchObject({
      Sender: { ErrorCode: 451, Probability: 0 },
    });
    const next = await Wire.hello(server.smtp.port);
    expect(await next.say('MAIL FROM:<a@x.test>')).toMatch(/^250/);
    expect(await next.say('RCPT TO:<b@x.test>')).toMatch(/^550 .*Chaos recipient error$/);
    next.socket.destroy();
    await client.setChaosTriggers();
    expect(await stages()).toEqual(['rcpt']);
  });
});

describe('the checks', () => {
  const html = (body: string) =>
    new Promise<{ url: string; close(): void }>((resolve) => {
      const site = createServer((req, res) => {
        if (req.url === '/moved') res.writeHead(302, { location: '/gone' });
        else res.statusCode = req.url === '/gone' ? 410 : 200;
        res.end();
      }).listen(0, '127.0.0.1', () => {
        const { port } = site.address() as AddressInfo;
        resolve({ url: body.replaceAll('SITE', `http://127.0.0.1:${port}`), close: () => site.close() });
      });
    });

  test('link-check requests each address once, and follows redirects if asked', async ({ mailcap }) => {
    const page = '<a href="SITE/ok">a</a><a href="SITE/ok">b</a><a href="SITE/moved">c</a><img src="SITE/gone">';
    const site = await html(page);
    const client = new MailpitClient(mailcap.url);
    const { ID } = await client.sendMessage({ ...MAIL, HTML: site.url, Text: 'see https://no.such.host.invalid/x' });
    const { Errors, Links } = await client.linkCheck(ID);
    const paths = Links.map(({ URL: url, StatusCode, Status }) => [new URL(url).pathname, StatusCode, Status]);
    expect(paths.slice(0, 3)).toEqual([
      ['/ok', 200, 'OK'],
      ['/moved', 302, 'Found'],
      ['/gone', 410, 'Gone'],
    ]);
    expect(paths.slice(3)).toMatchObject([['/x', 0, expect.stringMatching(/./)]]);
    expect(Errors).toBe(2);
    const followed = await client.linkCheck(ID, true);
    expect(followed.Links.map(({ StatusCode }) => StatusCode)).toEqual([200, 410, 410, 0]);
    site.close();
  });

  plain(
    'link-check requests nothing for a page of another site, also where a browser does not name the page',
    async () => {
      await using server = await startServer({ host: '0.0.0.0', auth: 'off' });
      const site = await html('<a href="SITE/confirm">a</a>');
      await new MailpitClient(server.url).sendMessage({ ...MAIL, HTML: site.url });
      const browser = { 'user-agent': 'Mozilla/5.0' };
      const byName = { ...browser, host: 'mail.test:8025' };
      const follows = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
      const foreign: readonly OutgoingHttpHeaders[] = [
        byName,
        { ...byName, referer: 'http://evil.test/mail.test:8025/' },
        { ...browser, ...follows, 'sec-fetch-site': 'cross-site' },
        { ...browser, ...follows, 'sec-fetch-site': 'same-site' },
      ];
      for (const headers of foreign) expect(await statusOf(server.url, headers), JSON.stringify(headers)).toBe(403);
      const own: readonly OutgoingHttpHeaders[] = [
        { host: 'mail.test:8025', 'user-agent': 'Go-http-client/1.1' },
        { ...byName, referer: 'http://mail.test:8025/view/latest' },
        { ...browser, 'sec-fetch-site': 'same-origin' },
        browser,
      ];
      for (const headers of own) expect(await statusOf(server.url, headers), JSON.stringify(headers)).toBe(200);
      site.close();
    },
  );

  test('html-check lists what clients do not support, with their shares', async ({ mailcap }) => {
    const client = new MailpitClient(mailcap.url);
    const HTML = '<div style="display:grid"><p>x</p><video src="a.mp4"></video><script>alert(1)</script></div>';
    const { ID } = await client.sendMessage({ ...MAIL, HTML });
    const { Warnings, Total, Platforms } = await client.htmlCheck(ID);
    expect(Warnings.map(({ Slug }) => Slug)).toEqual(
      expect.arrayContaining(['html-script', 'html-video', 'css-display-grid']),
    );
    const video = Warnings.find(({ Slug }) => Slug === 'html-video');
    expect(video).toMatchObject({ Category: 'html', Score: { Found: 1 }, URL: expect.stringMatching(/^https:/) });
    const { Supported = 0, Partial = 0, Unsupported = 0 } = video?.Score ?? {};
    expect(Supported + Partial + Unsupported).toBeCloseTo(100);
    const support = video?.Results.map(({ Support }) => Support) ?? [];
    expect(support.filter((one) => one === 'no').length / support.length).toBeCloseTo(Unsupported / 100);
    expect(Total).toMatchObject({ Nodes: 4, Supported: 100 - Total.Partial - Total.Unsupported });
    expect(Platforms['ios']).toContain('Apple Mail');
    const { ID: text } = await client.sendMessage(MAIL);
    await expect(client.htmlCheck(text)).rejects.toThrow(/400 .*does not contain HTML/);
  });

  plain('a check that the server could not finish is its own failure, and no mistake of the client', async () => {
    const inner = createParser(createLog('silent'));
    const why = 'The check took more than 10 seconds.';
    const parser: Parser = {
      ...inner,
      parse: async (id, read) => ({
        ...(await inner.parse(id, read)),
        htmlBody: null,
        parseError: 'It took too long.',
      }),
      check: async () => why,
    };
    await using server = await startServer({ overrides: { parser } });
    const { ID } = await new MailpitClient(server.url).sendMessage({ ...MAIL, HTML: '<p>x</p>' });
    const failed = async (path: string) => {
      const answer = await fetch(`${server.url}${path}`);
      return [answer.status, await answer.text()];
    };
    expect(await failed(`/api/v1/message/${ID}/html-check`)).toEqual([503, 'It took too long.']);
    expect(await failed(`/api/v1/message/${ID}/link-check`)).toEqual([503, expect.any(String)]);
    parser.parse = inner.parse;
    expect(await failed(`/api/v1/message/${ID}/html-check`)).toEqual([503, why]);
    await inner.close();
  });

  plain('sa-check has the score of --spamd, and is 404 without one', async () => {
    const rules = [' 5.2 BAD_WORDS      Bad words', '-0.3 NICE           Nice'];
    await using daemon = await scriptedSpamd((socket) => socket.end(spamdAnswer('True ; 5.2 / 5.0', rules)));
    await using server = await startServer({ spamd: daemon.address });
    const client = new MailpitClient(server.url);
    await client.sendMessage(MAIL);
    expect(await client.spamAssassinCheck()).toEqual({
      ...{ IsSpam: true, Error: '', Score: 5.2 },
      Rules: [
        { Score: 5.2, Name: 'BAD_WORDS', Description: 'Bad words' },
        { Score: -0.3, Name: 'NICE', Description: 'Nice' },
      ],
    });
    await using other = await startServer();
    const without = new MailpitClient(other.url);
    await without.sendMessage(MAIL);
    await expect(without.spamAssassinCheck()).rejects.toThrow(/404 .*--spamd/);
  });
});

describe('GET /api/events', () => {
  interface Told {
    readonly Type: string;
    readonly Data: unknown;
  }

  /** Opens the WebSocket. `next` resolves with the next message of a type. */
  async function follow(url: string) {
    const socket = new WebSocket(`${url.replace('http:', 'ws:')}/api/events`);
    const told: Told[] = [];
    socket.on('message', (data) => {
      told.push(JSON.parse(String(data)) as Told);
      socket.emit('told');
    });
    await once(socket, 'open');
    const next = async (type: string): Promise<unknown> => {
      for (;;) {
        const at = told.findIndex(({ Type }) => Type === type);
        if (at >= 0) return told.splice(at, 1)[0]?.Data;
        await once(socket, 'told');
      }
    };
    return { next, close: () => socket.terminate() };
  }

  plain('tells new messages, marks, deletions, refusals and totals', async () => {
    await using server = await startServer();
    const client = new MailpitClient(server.url);
    const { next, close } = await follow(server.url);
    expect(await next('stats')).toMatchObject({ Total: 0, Unread: 0 });
    const { ID } = await client.sendMessage(MAIL);
    expect(await next('new')).toMatchObject({ ID, Subject: 'Hi', Read: false, Cc: [], Tags: [], Snippet: 'Hello' });
    expect(await next('stats')).toMatchObject({ Total: 1, Unread: 1 });
    await client.getMessageSummary(ID);
    expect(await next('update')).toEqual({ ID, Read: true, Tags: [] });
    await client.setTags({ IDs: [ID], Tags: ['a'] });
    expect(await next('update')).toEqual({ ID, Read: true, Tags: ['a'] });
    await client.deleteMessages({ IDs: [ID] });
    expect(await next('delete')).toEqual({ ID });
    await client.sendMessage(MAIL);
    await client.deleteMessages();
    expect(await next('truncate')).toBeNull();
    await client.setChaosTriggers({ Sender: { ErrorCode: 451, Probability: 100 } });
    const wire = await Wire.hello(server.smtp.port);
    await wire.say('MAIL FROM:<a@x.test>');
    wire.socket.destroy();
    expect(await next('error')).toMatchObject({
      Level: 'warning',
      Type: 'smtpd',
      Message: expect.stringMatching(/^451 .*Chaos sender error$/),
    });
    close();
  });

  test('a foreign page is refused, and a request without a handshake is 426', async ({ mailcap }) => {
    expect((await fetch(`${mailcap.url}/api/events`)).status).toBe(426);
    const socket = new WebSocket(`${mailcap.url.replace('http:', 'ws:')}/api/events`, {
      origin: 'http://evil.example',
    });
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('403');
  });

  plain('--compat off has no such socket', async () => {
    await using server = await startServer({ compat: ['off'] });
    const socket = new WebSocket(`${server.url.replace('http:', 'ws:')}/api/events`);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('404');
  });
});

test('info tells the store and what happened since the start', async ({ mailcap }) => {
  const client = new MailpitClient(mailcap.url);
  await client.deleteMessages();
  const before = (await client.getInfo()).RuntimeStats;
  await sendAll(mailcap.smtp.port, [
    { name: 'x', mailFrom: 'a@x.test', rcptTo: ['b@x.test'], bytes: Buffer.from('Subject: x\r\n\r\nx\r\n') },
  ]);
  await client.deleteMessages();
  const { RuntimeStats, Database, DatabaseSize } = await client.getInfo();
  expect([typeof Database, typeof DatabaseSize]).toEqual(['string', 'number']);
  expect(RuntimeStats.SMTPAccepted - before.SMTPAccepted).toBe(1);
  expect(RuntimeStats.SMTPAcceptedSize - before.SMTPAcceptedSize).toBe(17);
  expect(RuntimeStats.MessagesDeleted - before.MessagesDeleted).toBe(1);
  expect(RuntimeStats.Memory).toBeGreaterThan(1_000_000);
});

test('/view/{id}.txt has the text of HTML, with the line ends of SMTP', async ({ mailcap }) => {
  const client = new MailpitClient(mailcap.url);
  const bytes = Buffer.from(
    'Subject: H\r\nContent-Type: text/html\r\n\r\n<p>Your code: <b>481516</b></p><p>Bye</p>\r\n',
  );
  await sendAll(mailcap.smtp.port, [{ name: 'h', mailFrom: 'a@x.test', rcptTo: ['b@x.test'], bytes }]);
  expect(await client.renderMessageText()).toBe('Your code: 481516\r\n\r\nBye');
  expect((await client.getMessageSummary()).Text).toBe('Your code: 481516\r\n\r\nBye');
  const { ID } = await client.getMessageSummary();
  for (const path of ['/view/latest', `/view/${ID}`]) {
    const answer = await fetch(mailcap.url + path, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `/#/messages/${ID}`]);
  }
});
