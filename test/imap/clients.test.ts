import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { mail } from '../http/support.ts';
import { blocksOf, readPage } from '../support/pages.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { putRaw, test } from './support.ts';

const run = promisify(execFile);

unless(describe, lacking('python3'))('imaplib of Python', () => {
  test('reads as the documentation says, marks, appends and deletes', async ({ start }) => {
    const reached = await start();
    await putRaw(reached, mail({ Subject: 'Welcome' }));
    const page = blocksOf(readPage('docs/imap.md')).find(
      ({ language, mark }) => `${language} ${mark}` === 'python imap',
    );
    const script = (page?.text ?? '')
      .replace('1143', String(reached.port))
      .replace("'inbox'", `'${reached.mailbox.subdomain}'`);
    expect((await run('python3', ['-c', script])).stdout).toContain("b'Subject: Welcome\\r\\n\\r\\n'");
    const more = `
import imaplib
box = imaplib.IMAP4('127.0.0.1', ${reached.port})
box.login('${reached.mailbox.address()}', 'any')
print(box.list()[1], box.select()[1], box.search(None, 'SEEN')[1])
print(box.append('INBOX', '(\\\\Flagged)', None, b'Subject: mine\\r\\n\\r\\nx')[0])
print(box.uid('SEARCH', 'FLAGGED')[1], box.uid('FETCH', '1:*', '(FLAGS)')[1])
print(box.store('1', '+FLAGS', '\\\\Deleted')[0], box.expunge()[1], box.status('INBOX', '(MESSAGES UIDNEXT)')[1])
box.close(); box.logout()`;
    expect((await run('python3', ['-c', more])).stdout).toBe(
      `[b'(\\\\HasNoChildren) "/" INBOX'] [b'1'] [b'1']\nOK\n[b'2'] [b'1 (UID 1 FLAGS (\\\\Seen))', b'2 (UID 2 FLAGS (\\\\Recent \\\\Flagged))']\nOK [b'1'] [b'INBOX (MESSAGES 1 UIDNEXT 3)']\n`,
    );
  });
});

unless(describe, lacking('curl'))('curl', () => {
  test('lists, searches, reads and appends', async ({ start }) => {
    const reached = await start();
    await putRaw(reached, 'Subject: by curl\r\n\r\nread me\r\n');
    const url = `imap://${reached.mailbox.subdomain}:any@127.0.0.1:${reached.port}`;
    expect((await run('curl', ['-s', `${url}/`])).stdout).toContain('INBOX');
    expect((await run('curl', ['-s', `${url}/INBOX?SUBJECT%20curl`])).stdout).toBe('* SEARCH 1\r\n');
    expect((await run('curl', ['-s', `${url}/INBOX;UID=1`])).stdout).toBe('Subject: by curl\r\n\r\nread me\r\n');
    const cwd = await mkdtemp(join(tmpdir(), 'mailcap-curl-'));
    const file = join(cwd, 'mail.eml');
    await writeFile(file, 'Subject: put\r\n\r\n');
    await run('curl', ['-s', '-T', file, `${url}/INBOX`]);
    expect((await run('curl', ['-s', `${url}/INBOX;UID=2;SECTION=HEADER`])).stdout).toBe('Subject: put\r\n\r\n');
    await rm(cwd, { recursive: true });
  });
});

unless(describe, lacking('mutt'))('mutt', () => {
  test('opens INBOX, and pipes a message', async ({ start }) => {
    const reached = await start();
    await putRaw(reached, 'From: a@x.test\r\nSubject: for mutt\r\n\r\nin the body\r\n');
    const home = await mkdtemp(join(tmpdir(), 'mailcap-mutt-'));
    const out = join(home, 'out');
    await writeFile(
      join(home, 'rc'),
      [
        `set folder="imap://${reached.mailbox.subdomain}@127.0.0.1:${reached.port}" spoolfile="+INBOX" imap_pass=any`,
        'set ssl_starttls=no ssl_force_tls=no header_cache="" sort=date wait_key=no pipe_decode=no',
        `push "|cat > ${out}<enter><exit>"`,
      ].join('\n'),
    );
    const env = { ...process.env, HOME: home, TERM: 'xterm' };
    await run('script', ['-qec', `mutt -n -F ${join(home, 'rc')}`, '/dev/null'], { env, timeout: 20_000 });
    const { stdout } = await run('cat', [out]);
    expect(stdout).toContain('in the body');
    await rm(home, { recursive: true });
  });
});
