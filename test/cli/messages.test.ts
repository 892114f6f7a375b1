import { createTransport } from 'nodemailer';
import twilio from 'twilio';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { MailcapOptions } from '../../src/index.ts';
import { NO_CLIENT } from '../../src/text/why-not.ts';
import { mailcap, temporaryDirectory } from '../support/cli.ts';
import { type CommandLine, command, commandLine } from '../support/command.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { startProxy } from '../support/proxy.ts';

interface Bench {
  readonly server: TestServer;
  readonly run: CommandLine;
  send(mail: {
    readonly to?: string;
    readonly subject?: string;
    readonly text?: string;
    readonly html?: string;
  }): Promise<void>;
}

async function bench(options: MailcapOptions = {}): Promise<Bench> {
  const server = await startServer(options);
  onTestFinished(() => server.close());
  const transport = createTransport({ ...server.smtp, ignoreTLS: true });
  return {
    server,
    run: commandLine(server, await temporaryDirectory()),
    send: async ({ to = 'ada@inbox.mailcap.example.com', subject = 'Welcome', ...bodies }) => {
      await transport.sendMail({ from: 'app@example.com', to, subject, text: 'Hello.', ...bodies });
    },
  };
}

describe('messages wait', () => {
  test('prints only the code, of the inbox if no mailbox is named', async () => {
    const { run, send } = await bench();
    const waiting = run(['messages', 'wait', '--to', 'ada', '--code', '--since', '1m', '--timeout', '20']);
    await send({ text: 'Your code is 481516.' });
    expect(await waiting).toMatchObject({ code: 0, stdout: '481516\n', stderr: '' });
  });

  test('--sms waits for a text message, and for no email', async () => {
    const { run, send, server } = await bench();
    const waiting = run(['messages', 'wait', '--sms', '--code', '--since', '1m', '--timeout', '20']);
    await send({ text: 'Your code is 481516.' });
    const sdk = twilio(`AC${'0'.repeat(32)}`, 'any');
    sdk.api.baseUrl = `${server.url}/providers/twilio`;
    await sdk.messages.create({ from: 'Acme', to: '+12025555001', body: 'Your code is 234210.' });
    expect(await waiting).toMatchObject({ code: 0, stdout: '234210\n', stderr: '' });
    const whole = await run(['messages', 'wait', '--sms', '--since', '1m', '--json']);
    expect(JSON.parse(whole.stdout)).toMatchObject({ kind: 'sms', from: 'Acme', to: '+12025555001', subject: null });
  });

  test('prints only the link of a kind, of mail that came within --since', async () => {
    const { run, send } = await bench();
    const html =
      '<a href="https://app.test/reset?t=1&amp;u=2">Reset your password</a> <a href="https://app.test/unsubscribe">Unsubscribe</a>';
    await send({ subject: 'Reset', html });
    const one = await run(['messages', 'wait', '--since', '1m', '--link', 'reset', '--subject', 'reset']);
    expect(one).toMatchObject({ code: 0, stdout: 'https://app.test/reset?t=1&u=2\n' });
    const any = await run(['messages', 'wait', '--since', '2020-01-01T00:00:00Z', '--link', '--json']);
    expect(JSON.parse(any.stdout)).toMatchObject({ url: 'https://app.test/reset?t=1&u=2', kind: 'reset' });
  });

  test('--json prints the message with the field names of the API', async () => {
    const { run, send, server } = await bench();
    await server.addMailbox({ subdomain: 'sign-up' });
    await send({ to: 'ada@sign-up.mailcap.example.com' });
    const { code, stdout } = await run(['messages', 'wait', '--mailbox', 'sign-up', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ subject: 'Welcome', textBody: 'Hello.\n', attachments: [] });
  });

  test('the message with its code and link comes with the answer of the wait, and nothing is asked after it', async () => {
    const { server, run, send } = await bench();
    await send({ text: 'Your code is 481516. Or open https://app.test/verify?token=f00dcafe1234' });
    await using proxy = await startProxy(server.url);
    const env = { MAILCAP_URL: proxy.url };
    for (const printed of [['--code'], ['--link'], ['--json'], []]) {
      const { code, stdout } = await run(['messages', 'wait', '--since', '1m', ...printed], { env });
      expect([code, stdout]).toEqual([0, expect.stringMatching(/481516|f00dcafe1234/)]);
      expect(proxy.seen.at(-1)?.path).toContain('/await');
    }
  });

  test('who has a key and no token of the local API waits by the cloud API', async () => {
    const { run, send } = await bench({ host: '0.0.0.0', adminToken: 'a-token-of-the-local-api-0123456789' });
    await send({ text: 'Your code is 481516. Or open https://app.test/verify?token=f00dcafe1234' });
    const wait = ['messages', 'wait', '--since', '1m'];
    expect(await run([...wait, '--code'])).toMatchObject({ code: 0, stdout: '481516\n' });
    expect(await run([...wait, '--link'])).toMatchObject({ code: 0, stdout: expect.stringContaining('f00dcafe1234') });
    expect((await run(wait)).stdout).toMatch(/Code +481516/);
    const { code, stderr } = await run([...wait, '--body', 'code']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('MAILCAP_ADMIN_TOKEN')]);
  });

  test('exit code 3 where nothing came in time, and says why', async () => {
    const { run, send } = await bench();
    await send({ subject: 'Newsletter' });
    await send({ to: 'x@inbox.mailcap.example.com', subject: 'Other' });
    const { code, stdout, stderr } = await run(['messages', 'wait', '--subject', 'welcome', '--timeout', '1']);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('no message with subject "welcome" came to inbox within 1 s');
    expect(stderr).toContain('"Newsletter"');
    expect(stderr).toContain('its subject is "Newsletter"');
  });

  test('says that no SMTP client has connected, except for what it is not told of', async () => {
    const { run } = await bench();
    const { code, stderr } = await run(['messages', 'wait', '--timeout', '1']);
    expect(code).toBe(3);
    expect(stderr).toContain(`${NO_CLIENT} Does the app send to this server?`);
  });

  test('says how to find a message that came before the wait', async () => {
    const { server, run, send } = await bench();
    await send({ subject: 'Welcome' });
    await fetch(`${server.url}/_mailcap/clock`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: '{"offsetSeconds":60}',
    });
    const wait = ['messages', 'wait', '--subject', 'welcome', '--timeout', '1'];
    const { code, stderr } = await run(wait);
    expect(code).toBe(3);
    const [, since = ''] = /"Welcome" .*: it came before the wait; (--since \d+m) finds it/.exec(stderr) ?? [];
    expect((await run([...wait, ...since.split(' '), '--json'])).stdout).toContain('Welcome');
  });

  test('exit code 3 also if the caller may not ask the server why', async () => {
    const { server, run } = await bench();
    await using proxy = await startProxy(server.url, ({ path }) =>
      path.includes('/diagnosis') ? { status: 401, body: '{"error":"unauthorized"}' } : 'passed on',
    );
    const { code, stderr } = await run(['messages', 'wait', '--timeout', '1'], { env: { MAILCAP_URL: proxy.url } });
    expect([code, stderr]).toEqual([3, 'mailcap: no message came to inbox within 1 s.\n']);
  });

  test('exit code 1 if the message has no code, or several that are equally likely', async () => {
    const { run, send } = await bench();
    await send({ subject: 'Plain' });
    const none = await run(['messages', 'wait', '--code']);
    expect([none.code, none.stdout]).toEqual([1, '']);
    expect(none.stderr).toMatch(/^mailcap: "Plain" came, but holds no such code; .+\n$/);
  });

  test('exit code 2 for --code with --link, and for an unknown kind or time', async () => {
    const { run } = await bench();
    for (const args of [
      ['--code', '--link'],
      ['--link', 'shiny'],
      ['--timeout', 'soon'],
      ['--since', 'once'],
    ]) {
      const { code, stderr } = await run(['messages', 'wait', ...args]);
      expect(code, args.join(' ')).toBe(2);
      expect(stderr).toContain(args[0]);
    }
  });
});

test('messages show keeps the bullets, pictures and links of HTML', async () => {
  const { run, send } = await bench();
  const html = '<ul><li>one<li>two</ul><img alt="Acme logo"> <a href="https://x.test/a?t=1">Look</a>';
  await send({ subject: 'News', text: '', html });
  const { stdout } = await run(['messages', 'show']);
  expect(stdout).toContain('• one\n• two\n');
  expect(stdout).toContain('[image: Acme logo] Look <https://x.test/a?t=1>');
});

test('messages show --why lists the candidates with the decision and the reasons', async () => {
  const { run, send } = await bench();
  await send({
    subject: 'Confirm',
    text: 'Your code is 481516.\nOrder number: 99127743\nVerify: https://app.test/a/abcdef0123456789\nReset password: https://app.test/b/abcdef9876543210',
  });
  const { code, stdout } = await run(['messages', 'show', '--why']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Confirm\n\nCode\n {2}chosen: 481516\n {4}after "code"/);
  expect(stdout).toContain('\n  no code: 99127743\n');
  expect(stdout).toContain('\n  chosen, verify: https://app.test/a/abcdef0123456789\n');
  expect(stdout).toContain('\n  less likely, reset: https://app.test/b/abcdef9876543210\n');
  const { link } = JSON.parse((await run(['messages', 'show', '--why', '--json'])).stdout);
  expect(link.candidates[0]).toMatchObject({ kind: 'verify', verdict: 'chosen' });
});

test('messages list, show, raw and delete', { timeout: 180_000 }, async () => {
  const { run, send } = await bench();
  await send({ subject: 'One', text: 'first' });
  await send({ subject: 'Two', text: 'Your code is 481516.' });
  const list = await run(['messages', 'list', '--json']);
  const messages: { id: string; subject: string }[] = JSON.parse(list.stdout);
  expect(messages.map(({ subject }) => subject)).toEqual(['Two', 'One']);
  const [two, one] = messages.map(({ id }) => id);
  const table = await run(['messages', 'list', '--limit', '1']);
  expect(table.stdout.trimEnd().split('\n')).toEqual([
    'ID\tRECEIVED\tFROM\tTO\tSUBJECT\tSIZE',
    expect.stringMatching(new RegExp(`^${two}\t[^\t]+\tapp@example.com\tada@inbox.mailcap.example.com\tTwo\t\\d+ B$`)),
  ]);
  expect(table.stderr).toBe('mailcap: 1 of 2 messages of inbox; --limit <number> shows more.\n');
  const found = await run(['messages', 'list', '--query', 'first', '--json']);
  const matches = [{ field: 'body', snippet: 'first', start: 0, length: 5 }];
  expect(JSON.parse(found.stdout)).toEqual([expect.objectContaining({ id: one, matches })]);

  const newest = await run(['messages', 'show']);
  expect(newest.stdout).toMatch(/^Two\n[\s\S]*Code +481516\n[\s\S]*Your code is 481516\.\n$/);
  const raw = await run(['messages', 'raw', one ?? '']);
  expect(raw.stdout).toMatch(/\r\nSubject: One\r\n[\s\S]*\r\n\r\nfirst\r\n$/);

  // A message can be named by its number, where 1 is the newest, or by the start of its id.
  // Two ids of one millisecond, or of a clock that stepped back, differ in the last character alone.
  for (const named of ['2', one?.toLowerCase().slice(0, one.slice(0, 25) === two?.slice(0, 25) ? 26 : 25) ?? ''])
    expect(await run(['messages', 'show', named])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^One\n/) });
  expect(await run(['messages', 'show', '3'])).toMatchObject({
    code: 1,
    stderr: 'mailcap: 3: inbox holds 2 messages; 1 is the newest.\n',
  });
  expect((await run(['messages', 'show', 'x'])).stderr).toContain('expected an id');

  const unasked = await run(['messages', 'delete', '2']);
  expect([unasked.code, unasked.stderr]).toEqual([
    2,
    expect.stringMatching(/^mailcap: this would delete "One" of app@example.com\. .+--yes.+\n$/),
  ]);
  expect((await run(['messages', 'delete', one ?? '', '--yes'])).code).toBe(0);
  const gone = await run(['messages', 'show', one ?? '']);
  expect([gone.code, gone.stdout]).toEqual([1, '']);
  expect(gone.stderr).toBe(`mailcap: ${one}: no such message; \`mailcap messages list\` shows them.\n`);
  expect((await run(['messages', 'delete', '--all'])).stderr).toContain('delete 1 message in inbox');
  expect((await run(['messages', 'delete', '--all', '--yes'])).code).toBe(0);
  expect((await run(['messages', 'list', '--json'])).stdout).toBe('[]\n');
  expect(await run(['messages', 'list'])).toMatchObject({
    stdout: '',
    stderr: 'mailcap: there is no message in inbox yet.\n',
  });
  expect((await run(['messages', 'show'])).stderr).toContain('no message in inbox yet');
});

describe('search words', () => {
  test('list the messages that match, and their number', async () => {
    const { run, send } = await bench();
    for (let i = 0; i < 4; i++)
      await send({ subject: `Order ${i}`, text: i === 2 ? 'Your code is 481516.' : 'thanks' });
    await send({ subject: 'Your order', text: 'Re: thanks a lot' });
    const subjects = async (...words: string[]) => {
      const { code, stdout, stderr } = await run(['messages', 'list', '--json', ...words]);
      expect([code, stderr], words.join(' ')).toEqual([0, '']);
      return JSON.parse(stdout).map(({ subject }: { subject: string }) => subject);
    };
    expect(await subjects('subject:order', 'has:code')).toEqual(['Order 2']);
    // The shell removed the quotes of `subject:"your order"`.
    expect(await subjects('subject:your order')).toEqual(['Your order']);
    expect(await subjects('thanks a lot')).toEqual(['Your order']);
    expect(await subjects('-subject:order 1', '!has:code', '-subject:your', '!subject:"order 0"')).toEqual(['Order 3']);
    expect(await subjects('subject:order has:code')).toEqual(['Order 2']);
    expect(await subjects('subject:order', '--query', 'has:code')).toEqual(['Order 2']);
    const some = await run(['messages', 'list', 'subject:order', '--limit', '2']);
    expect(some.stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(some.stderr).toBe('mailcap: 2 of 5 messages found of inbox; --limit <number> shows more.\n');
    const none = await run(['messages', 'list', 'subject:nothing']);
    expect([none.code, none.stdout, none.stderr]).toEqual([
      0,
      '',
      'mailcap: no message in inbox matches the search.\n',
    ]);
    const wrong = await run(['messages', 'list', 'form:ada']);
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toMatch(
      /^mailcap: the search is invalid\. form: is no search word; did you mean from:\?.+--help.+\n$/,
    );
  });

  test('delete the messages that match after a confirmation, and print their number', async () => {
    const { run, send } = await bench();
    for (let i = 0; i < 3; i++) await send({ subject: `Newsletter ${i}` });
    await send({ subject: 'Kept' });
    const unasked = await run(['messages', 'delete', 'subject:newsletter']);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('delete 3 messages found in inbox')]);
    const one = await run(['messages', 'delete', '--query', '"newsletter 1"', '--yes', '--json']);
    expect(JSON.parse(one.stdout)).toEqual({ deleted: 1 });
    const done = await run(['messages', 'delete', 'subject:newsletter', '-subject:kept', '--yes']);
    expect([done.code, done.stderr]).toEqual([0, 'mailcap: 2 messages found in inbox deleted.\n']);
    const again = await run(['messages', 'delete', 'subject:newsletter', '--yes']);
    expect([again.code, again.stderr]).toEqual([
      0,
      'mailcap: no message in inbox matches the search: there is nothing to delete.\n',
    ]);
    const word = await run(['messages', 'delete', 'kept', '--yes']);
    expect([word.code, word.stderr]).toEqual([2, expect.stringContaining('expected an id')]);
    const left = JSON.parse((await run(['messages', 'list', '--json'])).stdout);
    expect(left).toMatchObject([{ subject: 'Kept' }]);
  });

  test('help lists all of them, and fits a terminal', { timeout: 180_000 }, async () => {
    const { stdout } = await command(['messages', 'list', '--help'], { cwd: await temporaryDirectory() });
    for (const word of ['from:', 'has:attachment', 'has:code', 'is:html', 'before:', 'larger:'])
      expect(stdout).toContain(word);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(25);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

test('text from mail is made harmless before it is printed, and stays exact in JSON', async () => {
  const { run, send } = await bench();
  await send({ subject: 'Red\u001b[31m \u202Eevil', text: 'clear\u001b[2Jscreen' });
  for (const args of [['list'], ['show'], ['wait', '--since', '5m']]) {
    const { code, stdout } = await run(['messages', ...args]);
    expect(code).toBe(0);
    expect(stdout).toContain('evil');
    expect(['\u001b', '\u202e'].filter((sign) => stdout.includes(sign))).toEqual([]);
    if (args[0] !== 'list') expect(stdout).toContain('clear\u241b[2Jscreen');
  }
  const message = JSON.parse((await run(['messages', 'show', '--json'])).stdout);
  expect(message.textBody).toBe('clear\u001b[2Jscreen\n');
});

test('a closed output ends the command quietly', { timeout: 180_000 }, async () => {
  const { server, send } = await bench();
  await send({ text: 'x'.repeat(900_000).replace(/.{70}/g, '$&\n') });
  const cwd = await temporaryDirectory();
  const env = { MAILCAP_URL: server.ready.url, MAILCAP_API_KEY: server.apiKey };
  const { child, exit } = mailcap(['messages', 'show'], { cwd, env });
  child.stdout?.once('data', () => child.stdout?.destroy());
  const { code, stderr } = await exit;
  expect([code, stderr]).toEqual([0, '']);
});

test('Ctrl-C ends a wait with exit code 130', { timeout: 180_000 }, async () => {
  const { server } = await bench();
  const cwd = await temporaryDirectory();
  const env = { MAILCAP_URL: server.ready.url, MAILCAP_API_KEY: server.apiKey };
  const { child, exit } = mailcap(['messages', 'wait', '--timeout', '60'], { cwd, env });
  await expect.poll(() => server.ctx.waiters.size, { timeout: 10_000 }).toBe(1);
  child.kill('SIGINT');
  expect(await exit).toMatchObject({ code: 130, stdout: '', stderr: '' });
});

test('a mail without To is shown as such, with its recipient once', { timeout: 180_000 }, async () => {
  const { run } = await bench();
  await run(['sendmail', 'ada@inbox.mailcap.example.com'], { stdin: 'Subject: Quiet\n\nHello.\n' });
  const { stdout } = await run(['messages', 'show']);
  expect(stdout).toMatch(/^To +\(no To\)$/m);
  expect(stdout.split('ada@inbox.mailcap.example.com')).toHaveLength(2);
});

describe('messages mark', () => {
  test('marks by ids and by search words, and says how many', async () => {
    const { run, send, server } = await bench();
    for (const subject of ['One', 'Two']) await send({ subject });
    const list = async (...words: string[]) => {
      const { stdout } = await run(['messages', 'list', '--json', ...words]);
      return (JSON.parse(stdout) as { subject: string }[]).map(({ subject }) => subject);
    };
    expect(await run(['messages', 'mark', '1', '--read', '--tag', 'spring, two words'])).toMatchObject({
      ...{ code: 0, stderr: 'mailcap: 1 message marked.\n' },
    });
    expect(await list('is:read', 'tag:"two words"')).toEqual(['Two']);
    const json = await run(['messages', 'mark', 'is:unread', '--star', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ updated: 1, skipped: 0 });
    expect(await list('is:starred')).toEqual(['One']);
    expect(await run(['messages', 'mark', 'subject:one', '--unstar'])).toMatchObject({ code: 0 });
    expect(await run(['messages', 'mark', 'tag:spring', '--unread', '--untag', 'spring'])).toMatchObject({ code: 0 });
    expect(await list('is:unread')).toEqual(['Two', 'One']);
    expect(await (await server.api('/api/v1/tags')).json()).toEqual(['two words']);
  });

  test.each([
    [['1'], 'name at least one mark'],
    [['--read'], 'name the messages by ids'],
    [['1', '--read', '--unread'], '--read and --unread exclude each other'],
    [['is:unread', '--tag', 'a/b'], 'a tag has at most 100 characters'],
  ])('%j is refused with a sentence', async (given, said) => {
    const { run } = await bench();
    const { code, stderr } = await run(['messages', 'mark', ...given]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(said);
  });
});
