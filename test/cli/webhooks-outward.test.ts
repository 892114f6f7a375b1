import { lstat, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Stripe from 'stripe';
import { expect, onTestFinished, test } from 'vitest';
import { startTarget } from '../http/hooks.ts';
import { mailcap, temporaryDirectory } from '../support/cli.ts';
import { command, commandLine } from '../support/command.ts';
import { startServer } from '../support/mailcap.ts';
import { ON_WINDOWS } from '../support/platform.ts';
import { unless } from '../support/unless.ts';

const SECRET = 'whsec_hidden';

/** Starts an app that refuses the first `refused` webhooks. */
async function anApp(refused = 0) {
  const target = await startTarget((response, _one, count) =>
    response.writeHead(count > refused ? 200 : 500).end(`answer \u001b[31m${count}`),
  );
  return { ...target, url: `${target.url}/hook` };
}

test('webhooks send: without a server, with fields, headers and the secret in a file or a variable', async () => {
  const cwd = await temporaryDirectory();
  const app = await anApp();
  await writeFile(join(cwd, 'key'), `${SECRET}\n`);
  const event = ['webhooks', 'send', app.url, '--event', 'invoice.paid'];
  const sent = await command(
    [...event, '--secret-file', 'key', '--set', 'data.object.total=7', '--set', 'type=x,y', '--header', 'X-A: b: c'],
    { cwd },
  );
  expect(sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^try 1: 200, \d+ ms\n$/), stderr: '' });
  const [{ headers, body } = expect.fail()] = app.received;
  const signature = String(headers['stripe-signature']);
  expect(new Stripe('sk_test').webhooks.constructEvent(body, signature, SECRET)).toMatchObject({
    type: 'x,y',
    data: { object: { total: 7 } },
  });
  expect(headers['x-a']).toBe('b: c');
  const asJson = await command([...event, '--json'], { cwd, env: { MAILCAP_WEBHOOK_SECRET: SECRET } });
  expect(JSON.parse(asJson.stdout)).toMatchObject({ state: 'delivered', url: app.url, tries: [{ status: 200 }] });
  expect(asJson.stdout).not.toContain(SECRET);
});

test('webhooks send: the exact body of a file and of standard input, by a scheme of one’s own', async () => {
  const cwd = await temporaryDirectory();
  const app = await anApp();
  const bytes = Buffer.from([0xff, 0x00, 0x0a]);
  await writeFile(join(cwd, 'body'), bytes);
  const own = ['--scheme', 'hmac-sha1-base64:X-Sig:v=', '--secret', 'secret'];
  expect((await command(['webhooks', 'send', app.url, '--data', '@body', ...own], { cwd })).code).toBe(0);
  const piped = ['webhooks', 'send', app.url, '--data', '@-', '--scheme', 'none'];
  expect((await command(piped, { cwd, stdin: '{"a": 1}' })).code).toBe(0);
  expect(app.received.map(({ body }) => body)).toEqual([bytes, Buffer.from('{"a": 1}')]);
  expect(app.received[0]?.headers).toMatchObject({ 'x-sig': expect.stringMatching(/^v=.{27}=$/) });
  expect(app.received.map(({ headers }) => headers['content-type'])).toEqual([
    'application/octet-stream',
    'application/json',
  ]);
});

test('webhooks send --retries: a try that fails tells the next, and the clock of the server brings it', async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const app = await anApp(1);
  const env = { MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey, MAILCAP_WEBHOOK_SECRET: SECRET };
  const args = ['webhooks', 'send', app.url, '--event', 'invoice.paid', '--retries'];
  const { child, exit } = mailcap(args, { cwd: await temporaryDirectory(), env });
  let told = '';
  child.stderr?.on('data', (text) => (told += text));
  await expect.poll(() => told, { timeout: 30_000 }).toContain('try 2 follows in 5 min');
  await server.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 301 } });
  const { code, stdout, stderr } = await exit;
  expect([code, stdout.match(/^try \d: \d+/gm)]).toEqual([0, ['try 1: 500', 'try 2: 200']]);
  expect(stderr).toContain('it said: answer');
  expect(stderr).not.toContain('\u001b');
  expect(stdout + stderr).not.toContain(SECRET);
});

test.each([
  [['--event', 'nope', '--secret', SECRET], 'there is no sample event "nope"'],
  [['--event', 'push'], 'needs the secret: give it with --secret-file, in MAILCAP_WEBHOOK_SECRET or with --secret.'],
  [['--event', 'push', '--secret', SECRET, '--secret-file', 'x'], 'give --secret or --secret-file, not both'],
  [['--event', 'push', '--secret-file', 'nowhere'], 'nowhere: there is no such file'],
  [['--event', 'user.created', '--secret', 'whsec_hidden!'], 'the secret of Svix must be base64'],
  [['--event', 'push', '--secret', SECRET, '--set', 'x'], 'is not path=text'],
  [['--event', 'push', '--secret', SECRET, '--header', 'hidden'], "expected 'Name: value'"],
  [['--event', 'push', '--secret', SECRET, '--retries', 'many'], 'expected a whole number'],
  [['--data', '@nowhere', '--scheme', 'none'], 'nowhere: there is no such file'],
  [['--data', '{}'], 'name the scheme'],
])('webhooks send %j: exit code 2, a sentence, and no secret', async (args, sentence) => {
  const cwd = await temporaryDirectory();
  const { code, stdout, stderr } = await command(['webhooks', 'send', 'http://127.0.0.1:1/', ...args], { cwd });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain('hidden');
});

test('webhooks send: nobody listens, exit code 1; a wrong URL, exit code 2; samples are listed and printed', async () => {
  const cwd = await temporaryDirectory();
  const env = { MAILCAP_WEBHOOK_SECRET: SECRET };
  const to = (url: string) => command(['webhooks', 'send', url, '--event', 'push'], { cwd, env });
  expect(await to('http://127.0.0.1:1/')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^try 1: no answer: nothing listens there, \d+ ms\n$/),
  });
  expect(await to('ftp://a')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not an http or https URL'),
  });
  const listed = await command(['webhooks', 'samples'], { cwd });
  expect(listed.stdout).toContain('push\tgithub\tCommits were pushed to a branch\n');
  const one = await command(['webhooks', 'samples', 'push'], { cwd });
  expect(JSON.parse(one.stdout)).toMatchObject({ ref: 'refs/heads/main' });
});

test('webhooks record and play: a file to commit, sent again to the byte, with new signatures on request', async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const cwd = await temporaryDirectory();
  const run = commandLine(server, cwd);
  const capture = (await run(['webhooks', 'create', 'payments'])).stdout.trim();
  const bytes = Buffer.from([0xff, 0x00, 0x0d, 0x0a]);
  await fetch(`${capture}/binary`, { method: 'POST', body: bytes, headers: { cookie: 'sid=hidden' } });
  const stripe = ['webhooks', 'send', `${capture}/stripe`, '--event', 'invoice.paid', '--secret', SECRET];
  expect((await run(stripe)).code).toBe(0);

  const recorded = await run(['webhooks', 'record', 'payments', 'payments.json']);
  expect(recorded).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('left out: cookie') });
  const text = await readFile(join(cwd, 'payments.json'), 'utf8');
  expect(text).not.toContain('hidden');
  expect(JSON.parse(text)).toMatchObject({ mailcapRecording: 1, requests: [{ path: '/binary' }, { path: '/stripe' }] });
  const again = ['webhooks', 'record', 'payments', 'payments.json'];
  expect(await run(again)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exists already; overwrite it with --force'),
  });
  expect((await run([...again, '--force'])).code).toBe(0);
  expect((await run(['webhooks', 'record', 'payments'])).stdout).toBe(text);
  expect(await readFile(join(cwd, 'payments.json'), 'utf8')).toBe(text);

  const app = await anApp();
  const played = await run(['webhooks', 'play', 'payments.json', app.url]);
  expect(played.code).toBe(0);
  expect(played.stdout).toMatch(/^1 POST \/binary: 200, \d+ ms, without cookie\n2 POST \/stripe: 200, \d+ ms\n$/);
  expect(app.received.map(({ url }) => url)).toEqual(['/hook/binary', '/hook/stripe']);
  expect(app.received[0]?.body).toEqual(bytes);
  await run(['webhooks', 'play', 'payments.json', app.url, '--secret', 'whsec_new']);
  const [old, fresh] = [app.received[1], app.received[3]];
  const { webhooks } = new Stripe('sk_test');
  webhooks.constructEvent(old?.body ?? '', String(old?.headers['stripe-signature']), SECRET);
  webhooks.constructEvent(fresh?.body ?? '', String(fresh?.headers['stripe-signature']), 'whsec_new');

  const nobody = await run(['webhooks', 'play', 'payments.json', 'http://127.0.0.1:1/', '--json']);
  expect([nobody.code, JSON.parse(nobody.stdout).requests.length]).toEqual([1, 2]);
  expect(nobody.stderr).toContain('--secret-file signs anew');
  await writeFile(join(cwd, 'broken.json'), '{"mailcapRecording":1,"requests":[{"method":"G T"}]}');
  expect(await run(['webhooks', 'play', 'broken.json', app.url])).toMatchObject({
    code: 2,
    stderr: 'mailcap: request 1: method is not an HTTP method.\n',
  });
});

test('webhooks send: a target that turns to another protocol has answered 101', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : null;
  const args = ['webhooks', 'send', `http://127.0.0.1:${port}/`, '--event', 'push', '--scheme', 'none'];
  // In a process of its own, which would end without a word.
  const { code, stdout } = await mailcap(args, { cwd: await temporaryDirectory() }).exit;
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^try 1: 101, \d+ ms\n$/)]);
});

unless(test, ON_WINDOWS).each([
  [['--data', '@/dev/zero', '--scheme', 'none'], '--data: /dev/zero has more than 10485760 bytes'],
  [['--event', 'push', '--secret-file', '/dev/zero'], '--secret-file: /dev/zero has more than 65536 bytes'],
])('webhooks send %j: an endless file is not read to its end', async (args, reason) => {
  const ended = await command(['webhooks', 'send', 'http://127.0.0.1:1/', ...args], {
    cwd: await temporaryDirectory(),
  });
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
});

test('webhooks play: a recording with a byte order mark is one, and one that is nested too deeply is told', async () => {
  const cwd = await temporaryDirectory();
  const app = await anApp();
  await writeFile(join(cwd, 'bom.json'), '\ufeff{"mailcapRecording":1,"requests":[{"method":"GET"}]}');
  expect(await command(['webhooks', 'play', 'bom.json', app.url], { cwd })).toMatchObject({ code: 0 });
  const deep = `${'['.repeat(1e6)}${']'.repeat(1e6)}`;
  await writeFile(join(cwd, 'deep.json'), `{"mailcapRecording":1,"requests":[{"method":"PUT","json":${deep}}]}`);
  expect(await command(['webhooks', 'play', 'deep.json', app.url], { cwd })).toMatchObject({
    code: 2,
    stderr: 'mailcap: request 1: json is nested too deeply.\n',
  });
});

unless(test, ON_WINDOWS)('webhooks record: a link stays one, and a device is written to, never replaced', async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const cwd = await temporaryDirectory();
  const run = commandLine(server, cwd);
  await run(['webhooks', 'create', 'payments']);
  await writeFile(join(cwd, 'real.json'), '');
  await symlink('real.json', join(cwd, 'link.json'));
  expect((await run(['webhooks', 'record', 'payments', 'link.json', '--force'])).code).toBe(0);
  expect((await lstat(join(cwd, 'link.json'))).isSymbolicLink()).toBe(true);
  expect(await readFile(join(cwd, 'real.json'), 'utf8')).toContain('mailcapRecording');
  await symlink('/dev/full', join(cwd, 'full.json'));
  expect(await run(['webhooks', 'record', 'payments', 'full.json', '--force'])).toMatchObject({
    code: 1,
    stderr: "mailcap: full.json can't be written (ENOSPC).\n",
  });
  expect((await lstat('/dev/full')).isCharacterDevice()).toBe(true);
  expect(await run(['webhooks', 'record', 'payments', 'nowhere/a.json'])).toMatchObject({ code: 1 });
});
