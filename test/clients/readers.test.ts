import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished } from 'vitest';
import { portIn, putRaw, type Reached, test } from '../imap/support.ts';
import { has, lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { goReader, javaReader, npmReaders, pythonReaders } from './programs.ts';

// Programs and libraries that nobody here wrote read a mailbox over IMAP and POP3 (docs/imap.md#clients-that-were-tried).

const run = promisify(execFile);

interface Filled extends Reached {
  readonly home: string;
  readonly pop3Port: number;
  /** Runs a program in a home of its own, and returns what it says. */
  said(command: string, ...args: string[]): Promise<string>;
  /** Writes a file into the home that only its user may read. */
  file(name: string, lines: readonly string[]): Promise<string>;
}

async function filled(reached: Reached): Promise<Filled> {
  const home = await mkdtemp(join(tmpdir(), 'mailcap-reader-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  for (const name of ['one', 'two', 'three'])
    await putRaw(
      reached,
      `From: Ada <ada@x.test>\r\nTo: b@y.test\r\nSubject: ${name}\r\nMessage-ID: <${name}@x.test>\r\n\r\nbody of ${name}\r\n.a dot\r\n`,
    );
  return {
    ...reached,
    home,
    pop3Port: portIn(reached.server.ready.pop3Url),
    async said(command, ...args) {
      const env = { ...process.env, HOME: home, TERM: 'xterm' };
      const { stdout, stderr } = await run(command, args, { cwd: home, env, timeout: 60_000 });
      return stdout + stderr;
    },
    async file(name, lines) {
      await writeFile(join(home, name), `${lines.join('\n')}\n`, { mode: 0o600 });
      return join(home, name);
    },
  };
}

/** Returns the subjects of all files of a directory, sorted. */
async function subjectsIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8'));
  return (await Promise.all(texts)).flatMap((text) => subjectsOf(text)).sort();
}

function subjectsOf(text: string): string[] {
  return [...text.matchAll(/^Subject: (.*?)\r?$/gm)].map(([, subject = '']) => subject);
}

const ALL = ['one', 'three', 'two'];

unless(describe, lacking('mbsync'))('mbsync', () => {
  test('synchronises new mail, flags and deletions in both directions', async ({ start }) => {
    const client = await filled(await start());
    const { home, port, mailbox, server } = client;
    await mkdir(join(home, 'mail'));
    const rc = await client.file('mbsyncrc', [
      ...['IMAPAccount m', 'Host 127.0.0.1', `Port ${port}`, `User ${mailbox.subdomain}`, 'Pass x', 'SSLType None', ''],
      ...['IMAPStore far', 'Account m', '', 'MaildirStore near', `Path ${home}/mail/`, `Inbox ${home}/mail/INBOX`, ''],
      ...['Channel c', 'Far :far:', 'Near :near:', 'Patterns *', 'Create Near', 'Expunge Both', 'SyncState *'],
    ]);
    const sync = () => client.said('mbsync', '-c', rc, '-a');
    await sync();
    const cur = join(home, 'mail/INBOX/cur');
    const folder = join(home, 'mail/INBOX/new');
    const files = await readdir(folder);
    expect(await subjectsIn(folder)).toEqual(ALL);
    const fileOf = async (subject: string) => {
      for (const file of files)
        if ((await readFile(join(folder, file), 'utf8')).includes(`Subject: ${subject}\n`)) return file;
      throw new Error(`no file of ${subject}`);
    };
    const [one, two] = [await fileOf('one'), await fileOf('two')];
    await rename(join(folder, one), join(cur, `${one.replace(/:.*/, '')}:2,FS`));
    await rename(join(folder, two), join(cur, `${two.replace(/:.*/, '')}:2,T`));
    await writeFile(join(cur, '1.made.here:2,S'), 'Subject: made here\n\nx\n');
    await sync();
    const list = (await (await server.api(`/_mailcap/messages?mailboxId=${mailbox.id}`)).json()) as {
      items: { subject: string; read: boolean; starred: boolean }[];
    };
    const marks = list.items.map(({ subject, read, starred }) => [subject, read, starred]);
    expect(marks.sort()).toEqual([
      ['made here', true, false],
      ['one', true, true],
      ['three', false, false],
    ]);
  });
});

unless(describe, lacking('offlineimap'))('OfflineIMAP', () => {
  test('copies INBOX to a Maildir', async ({ start }) => {
    const client = await filled(await start());
    const { home, port, mailbox } = client;
    const rc = await client.file('rc', [
      ...['[general]', 'accounts = a', 'ui = quiet', '[Account a]', 'localrepository = l', 'remoterepository = r'],
      ...['[Repository l]', 'type = Maildir', `localfolders = ${home}/off`, '[Repository r]', 'type = IMAP'],
      ...['remotehost = 127.0.0.1', `remoteport = ${port}`, 'ssl = no', 'starttls = no'],
      ...[`remoteuser = ${mailbox.subdomain}`, 'remotepass = x'],
    ]);
    await client.said('offlineimap', '-c', rc, '-o');
    expect(await subjectsIn(join(home, 'off'))).toEqual(ALL);
  });
});

unless(describe, lacking('fetchmail'))('fetchmail', () => {
  test.for(['imap', 'pop3'] as const)('fetches over %s', async (protocol, { start }) => {
    const client = await filled(await start({ pop3Port: 0 }));
    const { home, mailbox } = client;
    const port = protocol === 'imap' ? client.port : client.pop3Port;
    const rc = await client.file('rc', [
      `poll 127.0.0.1 proto ${protocol} port ${port} user ${mailbox.subdomain} password x sslproto "" keep mda "cat >> ${home}/out"`,
    ]);
    await client.said('fetchmail', '-f', rc, '--nodetach');
    expect(subjectsOf(await readFile(join(home, 'out'), 'utf8')).sort()).toEqual(ALL);
  });
});

unless(describe, lacking('mpop'))('mpop', () => {
  test.for(['off', 'on'] as const)('fetches over POP3 with STLS %s', async (tls, { start }) => {
    const client = await filled(await start({ pop3Port: 0, starttls: 'on' }));
    const { home, mailbox, pop3Port } = client;
    const rc = await client.file('rc', [
      ...['account a', 'host 127.0.0.1', `port ${pop3Port}`, `user ${mailbox.subdomain}`, 'password x', 'keep on'],
      ...[`auth ${tls === 'on' ? 'plain' : 'user'}`, `tls ${tls}`, 'tls_certcheck off'],
      ...[`delivery mbox ${home}/out`, `uidls_file ${home}/uidls`],
    ]);
    await client.said('mpop', '-C', rc, 'a');
    const text = await readFile(join(home, 'out'), 'utf8');
    expect(subjectsOf(text).sort()).toEqual(ALL);
    expect(text).toMatch(/^\.a dot$/m);
  });
});

unless(describe, lacking('getmail'))('getmail6', () => {
  test.for(['IMAP', 'POP3'] as const)('retrieves over %s, each mail once', async (protocol, { start }) => {
    const client = await filled(await start({ pop3Port: 0 }));
    const { home, mailbox } = client;
    const port = protocol === 'IMAP' ? client.port : client.pop3Port;
    // It delivers to no Maildir for root, who runs these tests in a container.
    await client.file('getmailrc', [
      ...['[retriever]', `type = Simple${protocol}Retriever`, 'server = 127.0.0.1', `port = ${port}`],
      ...[
        `username = ${mailbox.subdomain}`,
        'password = x',
        ...(protocol === 'IMAP' ? ['mailboxes = ("INBOX",)'] : []),
      ],
      ...['[destination]', 'type = MDA_external', 'path = /bin/sh', `arguments = ("-c", "cat >> ${home}/out")`],
      ...['allow_root_commands = true', '[options]', 'read_all = false', 'delete = false'],
    ]);
    for (let round = 0; round < 2; round++) await client.said('getmail', `--getmaildir=${home}`);
    expect(subjectsOf(await readFile(join(home, 'out'), 'utf8')).sort()).toEqual(ALL);
  });
});

unless(describe, lacking('neomutt', 'script'))('NeoMutt', () => {
  test('opens INBOX, and pipes a message', async ({ start }) => {
    const client = await filled(await start());
    const { home, port, mailbox } = client;
    const rc = await client.file('rc', [
      `set folder="imap://${mailbox.subdomain}@127.0.0.1:${port}" spoolfile="+INBOX" imap_pass=x`,
      'set ssl_starttls=no ssl_force_tls=no header_cache="" sort=date wait_key=no pipe_decode=no',
      `push "<last-entry>|cat > ${home}/out<enter><exit>"`,
    ]);
    await client.said('script', '-qec', `neomutt -n -F ${rc}`, '/dev/null');
    expect(await readFile(join(home, 'out'), 'utf8')).toContain('body of three');
  });
});

describe('imapflow and node-pop3', () => {
  test('read, search, download, mark, append, delete and idle', { timeout: 300_000 }, async ({ start }) => {
    const modules = await npmReaders();
    const client = await filled(await start({ pop3Port: 0, starttls: 'on' }));
    const script = join(import.meta.dirname, 'readers.mjs');
    const settings = { modules, port: client.port, pop3Port: client.pop3Port, user: client.mailbox.subdomain };
    const { smtp } = client.server;
    const to = client.mailbox.address();
    const said = await client.said(process.execPath, script, JSON.stringify({ ...settings, smtpPort: smtp.port, to }));
    expect(JSON.parse(said)).toEqual({
      secure: true,
      list: ['INBOX'],
      envelopes: ['1 one', '2 two', '3 three'],
      types: ['text/plain', 'text/plain', 'text/plain'],
      search: [[2], [1, 2, 3], [3], [1, 2]],
      download: 'body of one\r\n.a dot\r\n',
      flags: ['\\Flagged', '\\Seen', 'shop'],
      appended: 4,
      left: [1, 2, 4],
      idle: 4,
      pop3: { uids: 4, top: true },
    });
  });
});

unless(describe, lacking('python3'))('IMAPClient and imap-tools', () => {
  test('read, search, mark, append and delete', { timeout: 300_000 }, async ({ start }) => {
    const python = await pythonReaders();
    const client = await filled(await start());
    const script = join(import.meta.dirname, 'readers.py');
    const said = await client.said(python, script, String(client.port), client.mailbox.subdomain);
    expect(JSON.parse(said)).toEqual({
      envelopes: [
        [1, 'one', 'ada@x.test'],
        [2, 'two', 'ada@x.test'],
        [3, 'three', 'ada@x.test'],
      ],
      search: [[2], [1, 2, 3]],
      flags: ['\\Flagged', '\\Seen', 'shop'],
      appended: true,
      expunged: [1, 2, 4],
      tools: ['one', 'two', 'appended'],
      texts: 'body of one\r\n.a dot\r\n',
      unseen: ['two'],
    });
  });
});

unless(describe, has('go') ? null : 'Go is not installed here')('go-imap', () => {
  test('lists, fetches, searches, marks, appends, idles, copies, moves and expunges', { timeout: 300_000 }, async ({
    start,
  }) => {
    const program = await goReader();
    const client = await filled(await start());
    const { smtp } = client.server;
    const [port, smtpPort] = [String(client.port), String(smtp.port)];
    const said = await client.said(program, port, client.mailbox.subdomain, smtpPort, client.mailbox.address());
    expect(JSON.parse(said)).toEqual({
      list: ['INBOX'],
      exists: 3,
      envelopes: ['1 one ada@x.test', '2 two ada@x.test', '3 three ada@x.test'],
      types: ['text/plain', 'text/plain', 'text/plain'],
      body: 'From: Ada <ada@x.test>\r\nTo: b@y.test\r\nSubject: one\r\nMessage-ID: <one@x.test>\r\n\r\nbody of one\r\n.a dot\r\n',
      search: [[2], [3], [1, 2, 3]],
      flags: ['\\Flagged', '\\Seen', 'shop'],
      appended: 4,
      idle: 5,
      copied: '6',
      moved: '7',
      expunged: [3],
      left: [1, 2, 5, 6, 7],
      status: [5, 8, 3],
    });
  });
});

unless(describe, has('mvn') && has('javac') ? null : 'Maven and a JDK are not installed here')('Jakarta Mail', () => {
  test('reads, searches, marks, appends, idles, copies and deletes over IMAP and POP3', { timeout: 300_000 }, async ({
    start,
  }) => {
    const [command, ...args] = await javaReader();
    const client = await filled(await start({ pop3Port: 0, starttls: 'on' }));
    const { smtp } = client.server;
    const ports = [String(client.port), String(client.pop3Port)];
    const { subdomain } = client.mailbox;
    const said = await client.said(command, ...args, ...ports, subdomain, String(smtp.port), client.mailbox.address());
    expect(said.trim().split(/\r?\n/)).toEqual([
      'list\tINBOX',
      'unread\t3',
      ...['one', 'two', 'three'].map((name) => `mail\t${name} ada@x.test TEXT/PLAIN`),
      'text\tbody of one|.a dot',
      'search\t2',
      'search\t3',
      // The text of the first has been read.
      'search\t2 3',
      'flagged\t2',
      'appended\t4',
      'idle\ttrue',
      'copied\t6',
      'expunged\t1',
      'left\t1 2 4 5 6',
      'pop3\t5 one 26',
      'pop3 text\tbody of one|.a dot',
      'pop3 left\t4',
    ]);
  });
});
