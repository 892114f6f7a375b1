import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { receiver } from '../providers/support.ts';
import { mailcap, temporaryDirectory } from '../support/cli.ts';
import { type CommandLine, commandLine } from '../support/command.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';

async function bench(): Promise<{ server: TestServer; run: CommandLine; cwd: string }> {
  const server = await startServer();
  onTestFinished(() => server.close());
  const cwd = await temporaryDirectory();
  return { server, run: commandLine(server, cwd), cwd };
}

/** Sends a mail by SMTP. */
async function sendBySmtp({ ready }: TestServer, fields: Record<string, unknown>): Promise<string | null> {
  const transport = createTransport({ host: ready.smtpHost, port: ready.smtpPort, ignoreTLS: true });
  const mail = {
    from: 'shop@shop.example',
    to: 'ada@inbox.mailcap.example.com',
    subject: 'Hi',
    text: 'Hello.',
    ...fields,
  };
  return transport.sendMail(mail).then(
    () => null,
    ({ response }: { response: string }) => response,
  );
}

const jsonOf = async (run: CommandLine, ...args: string[]) => JSON.parse((await run([...args, '--json'])).stdout);

test('faults: add makes SMTP fail as often as it says, list counts, remove ends it', async () => {
  const { server, run } = await bench();
  const added = await run([
    ...['faults', 'add', 'rcpt', '--reply', '451 4.7.1 try later'],
    ...['--match', 'to=*@slow.*', '--times', '2', '--delay', '1ms'],
  ]);
  const id = added.stdout.trim();
  expect(added.code).toBe(0);
  expect(await sendBySmtp(server, { to: 'ada@slow.example' })).toMatch(/^451 4\.7\.1 try later/);
  expect(await sendBySmtp(server, {})).toBeNull();
  expect(await jsonOf(run, 'faults', 'list')).toMatchObject([
    { id, stage: 'rcpt', match: { to: '*@slow.*' }, action: { reply: '451 4.7.1 try later', delayMs: 1 }, applied: 1 },
  ]);
  expect((await run(['faults', 'list'])).stdout).toContain(
    `${id}\trcpt\tto=*@slow.*\t451 4.7.1 try later after 1 ms\t1\t1\n`,
  );
  expect((await run(['faults', 'remove', id.slice(0, 20)])).stderr).toContain('applied once');
  expect(await sendBySmtp(server, { to: 'ada@slow.example' })).toBeNull();
});

test('faults bound to a mailbox meet no other, and all are removed only after a question', async () => {
  const { server, run } = await bench();
  await run(['mailboxes', 'create', 'Other']);
  await run(['faults', 'add', 'rcpt', '--reply', '550 no', '--mailbox', 'other']);
  expect(await sendBySmtp(server, { to: 'ada@other.mailcap.example.com' })).toMatch(/^550/);
  expect(await sendBySmtp(server, {})).toBeNull();
  expect(await run(['faults', 'remove', '--all'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect((await run(['faults', 'remove', '--all', '--yes'])).code).toBe(0);
  expect(await jsonOf(run, 'faults', 'list')).toEqual([]);
});

test.each([
  [['faults', 'add', 'nowhere', '--drop'], 'expected a stage: connect, helo'],
  [['faults', 'add', 'rcpt'], 'give --reply, --drop or --delay'],
  [['faults', 'add', 'rcpt', '--drop', '--reply', '550 no'], 'exclude each other'],
  [['faults', 'add', 'rcpt', '--drop', '--match', 'ada'], 'expected name=pattern'],
  [['faults', 'add', 'rcpt', '--drop', '--probability', '2'], 'a number from 0 to 1'],
  [['faults', 'add', 'connect', '--drop', '--match', 'to=ada'], 'to'],
  [['faults', 'remove'], 'name a rule by its id'],
  [['clock', 'set', 'soon'], 'expected a time, a shift as in +2h, or off'],
  [['totp', 'code'], 'give --secret or --uri'],
  [['totp', 'code', 'a', '--secret', 'b'], 'give --secret or --uri'],
  [['totp', 'code', '--secret', '0189'], '--secret must be base32'],
  [['messages', 'list', '--everywhere', '--mailbox', 'inbox'], '--everywhere excludes'],
  [['messages', 'attachments', '--force'], '--force needs --save'],
  [['mailboxes', 'update', 'inbox', '--allow', 'no entry'], ''],
  [['send', 'a@b.test', '--text', 'x', '--attach', 'missing.pdf'], 'missing.pdf: there is no such file'],
  [['send', '+12025550101', '--text', 'x', '--subject', 'Hi'], 'a text message has no --subject.'],
  [
    ['send', '+12025550101', 'a@b.test', '--text', 'x'],
    'a@b.test is no phone number: send to numbers or to addresses.',
  ],
])('%j is misuse', async (args, said) => {
  const { run } = await bench();
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(said);
});

test('clock: set shifts the clock of the workspace, a wait and a code follow it, and off takes it back', async () => {
  const { run } = await bench();
  const real = Date.now();
  expect((await run(['clock', 'set', '+30d'])).stderr).toContain('2592000 s ahead of the real time');
  const { now, offsetSeconds } = await jsonOf(run, 'clock', 'show');
  expect(offsetSeconds).toBe(30 * 86_400);
  expect(Date.parse(now) - real).toBeGreaterThanOrEqual(30 * 86_400_000 - 1_000);
  expect((await jsonOf(run, 'clock', 'set', '-10d')).offsetSeconds).toBe(20 * 86_400);
  expect((await jsonOf(run, 'clock', 'show', '--server')).offsetSeconds).toBe(0);
  expect((await jsonOf(run, 'clock', 'set', '2031-01-01T00:00:00Z')).now).toMatch(/^2031-01-01T00:00:0/);
  expect((await jsonOf(run, 'clock', 'set', 'off')).offsetSeconds).toBe(0);
});

test('totp code: a secret or a URI gives a code, and nothing is stored', async () => {
  const { run } = await bench();
  const bySecret = await run(['totp', 'code', '--secret', 'JBSWY3DPEHPK3PXP']);
  const byUri = await run(['totp', 'code', '--uri', 'otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&digits=8']);
  expect(bySecret).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{6}\n$/) });
  expect(byUri).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{8}\n$/) });
  expect(await jsonOf(run, 'totp', 'list')).toEqual([]);
});

test('mailboxes update: the allowlist decides who gets mail, and no option prints the settings', async () => {
  const { run } = await bench();
  const refused = await run(['send', 'eve@acme.test', '--text', 'Hello.']);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('mailcap mailboxes update <mailbox> --allow'),
  });
  const allowed = await run(['mailboxes', 'update', 'inbox', '--allow', '*@acme.test', '--allow', 'bob@b.test']);
  expect(allowed.stdout).toContain('*@acme.test, bob@b.test');
  expect((await run(['send', 'eve@acme.test', '--text', 'Hello.'])).code).toBe(0);
  const removed = await jsonOf(run, 'mailboxes', 'update', 'inbox', '--disallow', '*@acme.test', '--name', 'Mine');
  expect(removed).toMatchObject({ name: 'Mine', allowlist: expect.arrayContaining(['bob@b.test']) });
  expect(removed.allowlist).not.toContain('*@acme.test');
  expect((await run(['mailboxes', 'update', 'inbox', '--disallow', 'x@y.test'])).stderr).toContain('no such entry');
  expect((await run(['mailboxes', 'update', 'inbox'])).stdout).toMatch(/Name +Mine\n/);
});

test('messages list --everywhere names the mailbox of each message', async () => {
  const { server, run } = await bench();
  await run(['mailboxes', 'create', 'Other']);
  await sendBySmtp(server, { subject: 'One' });
  await sendBySmtp(server, { subject: 'Two', to: 'bob@other.mailcap.example.com' });
  const lines = (await run(['messages', 'list', '--everywhere'])).stdout.trimEnd().split('\n');
  expect(lines.slice(1).map((line) => line.split('\t').filter((_, at) => at === 2 || at === 5))).toEqual([
    ['other', 'Two'],
    ['inbox', 'One'],
  ]);
  expect(await jsonOf(run, 'messages', 'list', '--everywhere', 'subject:two')).toMatchObject([{ subject: 'Two' }]);
});

test('messages wait --body and --query: a mail that does not match is passed over, and the reason is told', async () => {
  const { server, run } = await bench();
  await sendBySmtp(server, { subject: 'Old', text: 'Your code is 111111.' });
  await sendBySmtp(server, { subject: 'New', text: 'The word is needle. Your code is 222222.' });
  await sendBySmtp(server, { subject: 'Last', text: 'Your code is 333333.' });
  expect((await run(['messages', 'wait', '--since', '2m', '--body', 'NEEDLE', '--code'])).stdout).toBe('222222\n');
  expect((await run(['messages', 'wait', '--since', '2m', '--query', 'subject:old has:code', '--code'])).stdout).toBe(
    '111111\n',
  );
  const none = await run(['messages', 'wait', '--body', 'nothing', '--timeout', '1']);
  expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('no message with body "nothing" came') });
});

describe('attachments', () => {
  const attachments = [
    { filename: 'invoice.pdf', content: Buffer.from([0, 1, 2, 255]) },
    { filename: '../../evil.sh', content: 'rm' },
    { filename: 'invoice.pdf', content: 'second' },
  ];

  test('are listed, printed byte for byte by position and name, and saved under safe names', async () => {
    const { server, run, cwd } = await bench();
    await sendBySmtp(server, { attachments });
    const listed = (await run(['messages', 'attachments'])).stdout.trimEnd().split('\n');
    expect(listed.map((line) => line.split('\t').slice(0, 2).join(' '))).toEqual([
      '# NAME',
      '1 invoice.pdf',
      expect.stringMatching(/^2 .*evil\.sh$/),
      '3 invoice.pdf',
    ]);
    expect((await run(['messages', 'attachments', '1', '--name', '3'])).stdout).toBe('second');
    expect((await run(['messages', 'attachments', '--name', 'none.txt'])).stderr).toContain('there are: invoice.pdf');
    await run(['messages', 'attachments', '--save', 'files']);
    expect((await readdir(join(cwd, 'files'))).sort()).toEqual(['evil.sh.txt', 'invoice (2).pdf', 'invoice.pdf']);
    expect(await readFile(join(cwd, 'files', 'invoice.pdf'))).toEqual(Buffer.from([0, 1, 2, 255]));
  });

  test('never overwrite a file, unless --force says so, and never follow a link', async () => {
    const { server, run, cwd } = await bench();
    await sendBySmtp(server, { attachments: attachments.slice(0, 1) });
    await mkdir(join(cwd, 'files'));
    await writeFile(join(cwd, 'theirs'), 'theirs');
    await symlink(join(cwd, 'theirs'), join(cwd, 'files', 'invoice.pdf'));
    await run(['messages', 'attachments', '--save', 'files']);
    await run(['messages', 'attachments', '--save', 'files', '--force']);
    expect(await readFile(join(cwd, 'theirs'), 'utf8')).toBe('theirs');
    expect((await readdir(join(cwd, 'files'))).sort()).toEqual(['invoice (2).pdf', 'invoice.pdf']);
    const taken = await run(['messages', 'attachments', '--save', 'theirs']);
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining("theirs can't be written") });
  });

  test('send --attach sends files by SMTP, whole', async () => {
    const { run, cwd } = await bench();
    await writeFile(join(cwd, 'a.bin'), Buffer.from([0, 200, 10, 13]));
    await writeFile(join(cwd, 'b.txt'), 'text');
    const to = 'ada@inbox.mailcap.example.com';
    const sent = await run([
      'send',
      to,
      '--subject',
      'Files',
      '--text',
      'See.',
      '--attach',
      'a.bin',
      '--attach',
      'b.txt',
    ]);
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^<.+@.+>\n$/) });
    const shown = await jsonOf(run, 'messages', 'show');
    expect(shown).toMatchObject({ subject: 'Files', textBody: expect.stringContaining('See.') });
    expect(shown.attachments.map(({ filename }: { filename: string }) => filename)).toEqual(['a.bin', 'b.txt']);
    await run(['messages', 'attachments', '--save', 'out']);
    expect(await readFile(join(cwd, 'out', 'a.bin'))).toEqual(Buffer.from([0, 200, 10, 13]));
  });
});

describe('webhooks wait', () => {
  test('prints the newest request that matches, or waits for it', async () => {
    const { server, run, cwd } = await bench();
    const url = (await run(['webhooks', 'create', 'payments'])).stdout.trim();
    await fetch(`${url}/orders?id=1`, { method: 'POST', body: 'Amount: 12' });
    const found = await jsonOf(run, 'webhooks', 'wait', 'payments', '--path', '/ORDERS', '--text', 'amount');
    expect(found).toMatchObject({ method: 'POST', bodyText: 'Amount: 12' });
    const env = { MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey };
    const args = ['webhooks', 'wait', 'payments', '--method', 'put', '--text', 'later', '--json'];
    const waiting = mailcap(args, { cwd, env });
    await expect.poll(async () => (await server.ctx.waits.list()).length, { timeout: 20_000 }).toBe(1);
    await fetch(url, { method: 'PUT', body: 'sooner' });
    await fetch(url, { method: 'PUT', body: 'later' });
    const { code, stdout } = await waiting.exit;
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { method: 'PUT', bodyText: 'later' }]);
  }, 60_000);

  test('is exit code 3 if none came, and says how many did not match', async () => {
    const { run } = await bench();
    const url = (await run(['webhooks', 'create', 'payments'])).stdout.trim();
    await fetch(url, { method: 'POST', body: 'x' });
    const { code, stderr } = await run(['webhooks', 'wait', 'payments', '--path', '/none', '--timeout', '0.2s']);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/came to payments within 0\.2 s\. 1 came and did not match/),
    ]);
  });
});

test('send: a number gets a text message, and a refusal of its API is printed', async () => {
  const { run } = await bench();
  const sent = await run(['send', '+1 202-555-0101', '--text', 'Your code is 481516.', '--from', 'Shop']);
  expect(sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^SM[0-9a-f]{32}\n$/) });
  const found = await run(['messages', 'wait', '--sms', '--since', '1h', '--json']);
  expect(JSON.parse(found.stdout)).toMatchObject({ kind: 'sms', from: 'Shop', to: '+12025550101' });
  const refused = await run(['send', '+15005550001', '--text', 'x']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Invalid 'To' Phone Number") });
});

test('messages reply: a text is answered as the phone, a mail from its mailbox, and the newest one if none is named', async () => {
  const { server, run } = await bench();
  await using app = await receiver();
  const account = `AC${'0'.repeat(32)}`;
  const numbers = `${server.url}/providers/twilio/2010-04-01/Accounts/${account}/IncomingPhoneNumbers.json`;
  const body = new URLSearchParams({ PhoneNumber: '+12025550100', SmsUrl: app.url });
  const headers = { authorization: `Basic ${Buffer.from(`${account}:any`).toString('base64')}` };
  expect((await fetch(numbers, { method: 'POST', headers, body })).status).toBe(201);
  await run(['send', '+12025550101', '--text', 'Sale!', '--from', '+12025550100']);
  const sent = await run(['messages', 'reply', '--text', 'STOP']);
  expect(sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^SM[0-9a-f]{32}\n$/) });
  await app.received(1);
  const told = new URLSearchParams(app.requests[0]?.body);
  expect([told.get('From'), told.get('To'), told.get('Body')]).toEqual(['+12025550101', '+12025550100', 'STOP']);
  await run(['send', '+12025550101', '--text', 'From nobody', '--from', 'Shop']);
  const refused = await run(['messages', 'reply', '--text', 'STOP']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('to is no phone number') });
  await sendBySmtp(server, { from: 'ben@inbox.mailcap.example.com', subject: 'Question' });
  const answered = await run(['messages', 'reply', '--mailbox', 'inbox', '--text', 'Yes.']);
  expect(answered.stderr + answered.stdout).toContain('ben@inbox.mailcap.example.com');
  const [newest] = await jsonOf(run, 'messages', 'list');
  expect(newest).toMatchObject({ subject: 'Re: Question', to: 'ben@inbox.mailcap.example.com' });
  await sendBySmtp(server, {
    envelope: { from: '', to: 'ada@inbox.mailcap.example.com' },
    raw: 'Subject: Lost\r\n\r\n',
  });
  const nobody = await run(['messages', 'reply', '--text', 'Yes.']);
  expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining('names nobody to answer') });
});

test('a text message stands in lists, positions, waits and reports by its words', async () => {
  const { server, run } = await bench();
  await sendBySmtp(server, { subject: 'Welcome' });
  await run(['send', '+12025550103', '--text', '482913 is your code', '--from', 'Shop']);
  const listed = await run(['messages', 'list']);
  expect(listed.stdout.split('\n')[1]).toMatch(/\tShop\t\+12025550103\t482913 is your code\t/);
  expect((await run(['messages', 'list', 'is:sms'])).stdout).toContain('\t482913 is your code');
  expect((await run(['messages', 'list', '--everywhere'])).stdout).toContain('\t482913 is your code');
  expect((await run(['messages', 'show', '1'])).stdout).toMatch(/^Text message\n(.*\n)*482913 is your code\n$/);
  expect((await run(['messages', 'show', '--why'])).stdout).toMatch(/^482913 is your code\n/);
  expect((await run(['messages', 'show', '2'])).stdout).toMatch(/^Welcome\n/);
  const missed = await run(['messages', 'wait', '--since', '10m', '--subject', 'unicorn', '--timeout', '1']);
  expect(missed.stderr).toMatch(/"482913 is your code" of [^\n]*: it is a text message, and --sms waits for those\./);
  const none = await run(['messages', 'wait', '--since', '10m', '--sms', '--body', 'unicorn', '--timeout', '1']);
  expect(none.stderr).toContain('no text message with body "unicorn"');
  expect(none.stderr).toMatch(/"Welcome" of [^\n]*: it is an email, and --sms waits for texts\./);
  expect(none.stderr).not.toContain('SMTP');
  expect((await run(['messages', 'wait', '--since', '10m', '--sms', '--link'])).stderr).toContain(
    '"482913 is your code" came, but',
  );
  const { stderr } = await run(['messages', 'delete', '1']);
  expect(stderr).toContain('delete "Text message" of Shop');
});

test('messages reply says that a mailbox is empty, as other commands do', async () => {
  const { run } = await bench();
  expect((await run(['messages', 'reply', '--text', 'Yes.'])).stderr).toContain('there is no message in inbox yet');
});

test('a mailbox of another workspace, as a failed test keeps it, is said to be there, with its page', async () => {
  const { server, run } = await bench();
  const { local } = createClient({ baseUrl: server.url, apiKey: server.apiKey });
  const { id: workspaceId } = await local.createWorkspace({ name: 'Worker' });
  const { id } = await local.createMailboxIn(workspaceId, { name: 'Sign up' });
  const { code, stderr } = await run(['messages', 'list', '--mailbox', id]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`of another workspace, as those of tests are`)]);
  expect(stderr).toContain(`${server.url}/#/mail/${id} shows it`);
  const unknown = await run(['messages', 'list', '--mailbox', '01KAHW3F9QZP4X6J8T2M5R7V9C']);
  expect(unknown.stderr).toContain('no such mailbox');
});
