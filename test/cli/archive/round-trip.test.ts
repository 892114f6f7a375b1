import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readArchive } from '../../../src/cli/archive/import.ts';
import { UserError } from '../../../src/config/user-error.ts';
import { temporaryDirectory } from '../../support/cli.ts';
import { type CommandLine, commandLine } from '../../support/command.ts';
import { startServer, type TestServer } from '../../support/mailcap.ts';
import { startProxy } from '../../support/proxy.ts';

const MAILS = [
  'Subject: plain\r\n\r\nHello.\r\n',
  'Subject: From\n\nFrom here on\n>From there\n\nFrom',
  'From nobody\nSubject: it begins so\n\n\n\n',
  'Subject: no end of line',
  'Subject: bytes\r\n\r\n\0\xff\xfe\r\r\n.\r\n..\r\n\n\r',
  '\r\n',
].map((text) => Buffer.from(text, 'latin1'));

async function bench(): Promise<{ server: TestServer; run: CommandLine; cwd: string; copy: string }> {
  const server = await startServer();
  onTestFinished(() => server.close());
  const cwd = await temporaryDirectory();
  const { id } = await server.addMailbox({ subdomain: 'copy' });
  return { server, run: commandLine(server, cwd), cwd, copy: id };
}

/** Returns the bytes of all messages, oldest first. */
async function bytesIn(server: TestServer, mailboxId: string): Promise<Buffer[]> {
  const list: { id: string }[] = JSON.parse(await (await server.api(`/v1/mailboxes/${mailboxId}/messages`)).text());
  const raws = list.reverse().map(({ id }) => server.api(`/_mailcap/messages/${id}/raw`));
  return Promise.all(raws.map(async (raw) => Buffer.from(await (await raw).arrayBuffer())));
}

async function fill({ server }: { server: TestServer }): Promise<void> {
  const headers = { 'Content-Type': 'message/rfc822' };
  for (const body of MAILS) {
    const put = await server.api(`/_mailcap/mailboxes/${server.mailboxId}/messages`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    expect(put.status).toBe(201);
  }
}

test.each([
  ['a directory of .eml files', 'mail', ['mail']],
  ['an mbox', 'mail.mbox', ['mail.mbox']],
  ['a Maildir', 'Maildir', ['Maildir']],
])('export to %s and import give the same bytes in the same order', async (_name, target, source) => {
  const at = await bench();
  await fill(at);
  const out = await at.run(['export', target]);
  expect(out).toMatchObject({
    code: 0,
    stdout: '',
    stderr: `mailcap: ${MAILS.length} messages of inbox written to ${target}.\n`,
  });
  const into = await at.run(['import', ...source, '--mailbox', 'copy']);
  expect(into).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(`^mailcap: ${MAILS.length} messages \\(\\d+ B\\) imported into copy\\.\n$`),
  });
  expect(into.stdout.trim().split('\n')).toHaveLength(MAILS.length);
  expect(await bytesIn(at.server, at.copy)).toEqual(MAILS);
});

test('export to standard output is an mbox that import takes from standard input', async () => {
  const at = await bench();
  await fill(at);
  const { stdout } = await at.run(['export', '-', '--query', 'plain']);
  expect(stdout).toMatch(/^From MAILER-DAEMON .+\nSubject: plain\r\n\r\nHello\.\r\n\n$/);
  expect((await at.run(['import', '-', '--mailbox', 'copy'], { stdin: stdout })).code).toBe(0);
  expect(await bytesIn(at.server, at.copy)).toEqual([MAILS[0]]);
});

test('import reads one .eml from a file or standard input, and both directories of a Maildir in the order of time', async () => {
  const { server, run, cwd, copy } = await bench();
  await writeFile(join(cwd, 'one.eml'), MAILS[2] ?? '');
  for (const folder of ['cur', 'new', 'tmp']) await mkdir(join(cwd, 'box', folder), { recursive: true });
  await writeFile(join(cwd, 'box', 'new', '200.x.host'), 'second');
  await writeFile(join(cwd, 'box', 'cur', '100.x.host:2,S'), 'first');
  await writeFile(join(cwd, 'box', 'tmp', '50.x.host'), 'unfinished');
  expect((await run(['import', 'one.eml', 'box', '--mailbox', 'copy'])).code).toBe(0);
  expect((await run(['import', '-', '--mailbox', 'copy'], { stdin: 'Subject: piped\n' })).code).toBe(0);
  expect(await bytesIn(server, copy)).toEqual([
    MAILS[2],
    Buffer.from('first'),
    Buffer.from('second'),
    Buffer.from('Subject: piped\n'),
  ]);
});

test('export writes a Maildir as complete files in its directory new', async () => {
  const at = await bench();
  await fill(at);
  await at.run(['export', 'Maildir']);
  const folders = await Promise.all(['tmp', 'new', 'cur'].map((folder) => readdir(join(at.cwd, 'Maildir', folder))));
  expect(folders.map(({ length }) => length)).toEqual([0, MAILS.length, 0]);
  const [first = ''] = (folders[1] ?? []).sort();
  expect(await readFile(join(at.cwd, 'Maildir', 'new', first))).toEqual(MAILS[0]);
});

test.each([
  [['import', 'nowhere.mbox'], 'nowhere.mbox: there is no such file.'],
  [['import', '.'], '. holds no .eml file and is not a Maildir: name a file or another directory.'],
  [['import', '.', '--format', 'maildir'], '. is not a Maildir: it has no cur and no new directory.'],
  [['export', 'missing/x.mbox'], "missing/x.mbox can't be created: "],
  [['import', 'x.eml', '--mailbox', 'nobody'], 'nobody: no such mailbox'],
])('mailcap %j: exit code 1, one sentence', async (args, message) => {
  const { run } = await bench();
  const { code, stderr } = await run(args);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^mailcap: .+\n$/);
  expect(stderr).toContain(message);
});

test('a sentence names the file of a directory that can not be read', async () => {
  const path = await temporaryDirectory();
  for (const name of ['1.eml', '2.eml']) await writeFile(join(path, name), 'Subject: x\n\n');
  const found = readArchive(path, 'auto');
  expect((await found.next()).value).toMatchObject({ source: join(path, '1.eml') });
  await rm(join(path, '2.eml'));
  const error = await found.next().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UserError);
  expect(error).toMatchObject({ message: `${join(path, '2.eml')}: there is no such file.` });
});

test('export leaves a message out of an mbox if it is deleted between the reads of its bytes and its envelope', async () => {
  const at = await bench();
  await fill(at);
  let gone: string | undefined;
  await using proxy = await startProxy(at.server.url, ({ path }) => {
    const envelope = /^\/_mailcap\/messages\/[^/]+$/.test(path);
    if (envelope) gone ??= path;
    return envelope && path === gone ? { status: 404, body: '{"error":"not_found"}' } : 'passed on';
  });
  const out = await at.run(['export', 'mail.mbox'], { env: { MAILCAP_URL: proxy.url } });
  expect(out).toMatchObject({
    code: 0,
    stderr: `mailcap: ${MAILS.length - 1} messages of inbox written to mail.mbox.\n`,
  });
});

test('export refuses a name of another format and an existing mbox, and says what to do', async () => {
  const at = await bench();
  await fill(at);
  for (const name of ['x.zip', 'x.tar.gz', 'one.eml']) {
    const { code, stderr } = await at.run(['export', name]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/mail\//)]);
  }
  await writeFile(join(at.cwd, 'out.mbox'), 'mine');
  const refused = await at.run(['export', 'out.mbox']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('overwrite it with --force') });
  expect(await readFile(join(at.cwd, 'out.mbox'), 'utf8')).toBe('mine');
  expect((await at.run(['export', 'out.mbox', '--force'])).code).toBe(0);
});

test('export refuses a directory that has one of the files before it writes any, and follows no link', async () => {
  const at = await bench();
  await fill(at);
  expect((await at.run(['export', 'mail/'])).code).toBe(0);
  const [first = '', second = '', ...rest] = (await readdir(join(at.cwd, 'mail'))).sort();
  for (const name of [second, ...rest]) await rm(join(at.cwd, 'mail', name));
  const mine = join(at.cwd, 'mine');
  await writeFile(mine, 'mine');
  for (const plant of [
    (path: string) => writeFile(path, 'theirs'),
    (path: string) => symlink(mine, path),
    // A link to nothing would make the file that it names.
    (path: string) => symlink(join(at.cwd, 'absent'), path),
  ]) {
    await rm(join(at.cwd, 'mail', first), { force: true });
    await plant(join(at.cwd, 'mail', second));
    const { code, stderr } = await at.run(['export', 'mail/']);
    expect([code, stderr]).toEqual([
      1,
      `mailcap: mail/${second} exists already: overwrite it with --force, or choose another name.\n`,
    ]);
    expect(await readdir(join(at.cwd, 'mail'))).toEqual([second]);
    expect((await at.run(['export', 'mail/', '--force'])).code).toBe(0);
    expect((await lstat(join(at.cwd, 'mail', second))).isFile()).toBe(true);
    expect(await readdir(join(at.cwd, 'mail'))).toHaveLength(MAILS.length);
    for (const name of await readdir(join(at.cwd, 'mail'))) await rm(join(at.cwd, 'mail', name));
  }
  expect(await readFile(mine, 'utf8')).toBe('mine');
  expect(await readdir(at.cwd)).not.toContain('absent');
});

test('import skips what is no mail unless --format says that it is, and prints the number of imported mails', async () => {
  const at = await bench();
  await writeFile(join(at.cwd, 'package.json'), '{ "name": "x" }\n');
  await writeFile(join(at.cwd, 'mail.mbox.gz'), Buffer.from([0x1f, 0x8b, 8, 0]));
  await writeFile(join(at.cwd, 'a.eml'), 'Subject: a\n\nx\n');
  await writeFile(join(at.cwd, 'b.mbox'), 'From a b\nSubject: b\n\nx\n\nFrom a b\nSubject: c\n\nx\n');
  const json = await at.run(['import', 'package.json']);
  expect(json).toMatchObject({ code: 1, stderr: expect.stringContaining('package.json is not a mail') });
  expect((await at.run(['import', 'mail.mbox.gz'])).stderr).toContain('zcat mail.mbox.gz | mailcap import -');
  expect((await at.run(['import', 'package.json', '--format', 'eml'])).code).toBe(0);
  const { stderr } = await at.run(['import', 'a.eml', 'b.mbox']);
  expect(stderr).toMatch(/^mailcap: 3 messages \(\d+ B\) imported into inbox: 1 of a\.eml, 2 of b\.mbox\.\n$/);
});
