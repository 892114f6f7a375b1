import { symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { untilDot } from '../../src/cli/sendmail/prepare.ts';
import { BIN, run as runProgram, temporaryDirectory } from '../support/cli.ts';
import { type CommandLine, command, commandLine } from '../support/command.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';

interface Taken {
  readonly mailFrom: string;
  readonly rcptTo: readonly string[];
  readonly raw: string;
}

/** Returns the received mail with its envelope. */
async function taken(server: TestServer): Promise<Taken> {
  const list: { id: string }[] = JSON.parse(
    await (await server.api(`/v1/mailboxes/${server.mailboxId}/messages`)).text(),
  );
  const id = list[0]?.id;
  const facts: { envelope: Omit<Taken, 'raw'> } = JSON.parse(
    await (await server.api(`/_mailcap/messages/${id}`)).text(),
  );
  const raw = await (await server.api(`/_mailcap/messages/${id}/raw`)).text();
  return { ...facts.envelope, raw };
}

async function bench(): Promise<{
  server: TestServer;
  sendmail: (args: string[], stdin: string) => ReturnType<CommandLine>;
}> {
  const server = await startServer();
  onTestFinished(() => server.close());
  const run = commandLine(server, await temporaryDirectory());
  return { server, sendmail: (args, stdin) => run(['sendmail', ...args], { stdin }) };
}

const ME = `${userInfo().username}@${hostname()}`;
const quiet = { code: 0, stdout: '', stderr: '' };

describe('sendmail, as programs call it', () => {
  test('PHP: sendmail -t -i -f, LF lines, Bcc taken out of what is sent', async () => {
    const { server, sendmail } = await bench();
    const mail =
      'To: Ada <ada@example.com>,\n "Lovelace, G." <grace@example.com>\nSubject: Hi\nCc: c@example.com (see, him)\nbcc: secret@example.com,\n\tother@example.com\nX-PHP: yes\nFrom: a@x.test\nDate: d\nMessage-Id: <1@x>\n\nHello.\n.\n..two\nBcc: stays\n';
    expect(await sendmail(['-t', '-i', '-fbounce@x.test'], mail)).toMatchObject(quiet);
    expect(await taken(server)).toEqual({
      mailFrom: 'bounce@x.test',
      rcptTo: ['ada@example.com', 'grace@example.com', 'c@example.com', 'secret@example.com', 'other@example.com'],
      raw: 'To: Ada <ada@example.com>,\r\n "Lovelace, G." <grace@example.com>\r\nSubject: Hi\r\nCc: c@example.com (see, him)\r\nX-PHP: yes\r\nFrom: a@x.test\r\nDate: d\r\nMessage-Id: <1@x>\r\n\r\nHello.\r\n.\r\n..two\r\nBcc: stays\r\n',
    });
  });

  test('PHP 8 ends header lines with CRLF, which are not doubled', async () => {
    const { server, sendmail } = await bench();
    await sendmail(
      ['-t', '-i'],
      'To: ada@example.com\r\nSubject: Hi\r\nFrom: a@x.test\r\nDate: d\r\nMessage-ID: <1@x>\r\n\r\nHello,\nworld',
    );
    expect((await taken(server)).raw).toBe(
      'To: ada@example.com\r\nSubject: Hi\r\nFrom: a@x.test\r\nDate: d\r\nMessage-ID: <1@x>\r\n\r\nHello,\r\nworld\r\n',
    );
  });

  test('cron: sendmail -i -FCronDaemon -B8BITMIME -oem user; missing headers are added', async () => {
    const { server, sendmail } = await bench();
    expect(
      await sendmail(
        ['-i', '-FCronDaemon', '-B8BITMIME', '-oem', 'root'],
        'Subject: Cron <root@vm> job\nX-Cron-Env: <A=b>\n\n\u00e9t\u00e9\n',
      ),
    ).toMatchObject(quiet);
    const { mailFrom, rcptTo, raw } = await taken(server);
    expect([mailFrom, rcptTo]).toEqual([ME, [`root@${hostname()}`]]);
    expect(raw).toMatch(
      /^Subject: Cron <root@vm> job\r\nX-Cron-Env: <A=b>\r\nFrom: CronDaemon <[^>]+>\r\nDate: \w{3}, \d.+ \+0000\r\nMessage-ID: <[^>]+>\r\n\r\n\u00e9t\u00e9\r\n$/,
    );
  });

  test('cronie: sendmail -FCronDaemon -i -odi -oem -oi -t -f root', async () => {
    const { server, sendmail } = await bench();
    const mail = 'From: "(Cron Daemon)" <root>\nTo: root\nSubject: Cron\n\nout\n';
    expect(await sendmail(['-FCronDaemon', '-i', '-odi', '-oem', '-oi', '-t', '-f', 'root'], mail)).toMatchObject(
      quiet,
    );
    expect(await taken(server)).toMatchObject({ mailFrom: `root@${hostname()}`, rcptTo: [`root@${hostname()}`] });
  });

  test('git and mutt: -oem -oi -f sender -- recipients; options after recipients, -N and -R', async () => {
    const { server, sendmail } = await bench();
    expect(
      await sendmail(
        ['-oem', '-oi', '-f', 'me@x.test', '-N', 'failure,delay', '-R', 'hdrs', '--', 'a@x.test', '-odd@x.test'],
        'Subject: x\n\nx\n',
      ),
    ).toMatchObject(quiet);
    expect(await taken(server)).toMatchObject({ mailFrom: 'me@x.test', rcptTo: ['a@x.test', '-odd@x.test'] });
  });

  test('a link called sendmail is one', async () => {
    const { server } = await bench();
    const cwd = await temporaryDirectory();
    await symlink(BIN, join(cwd, 'sendmail'));
    const { child, exit } = runProgram(process.execPath, [join(cwd, 'sendmail'), '-t'], {
      cwd,
      env: { MAILCAP_SMTP_URL: server.ready.smtpUrl },
    });
    child.stdin?.end('To: a@x.test\n\nx\n');
    expect(await exit).toMatchObject(quiet);
    expect((await taken(server)).rcptTo).toEqual(['a@x.test']);
  });

  test('-bs speaks SMTP on standard input and output', async () => {
    const { server, sendmail } = await bench();
    const session =
      'EHLO x\r\nMAIL FROM:<a@x.test>\r\nRCPT TO:<b@x.test>\r\nDATA\r\nSubject: spoken\r\n\r\nx\r\n.\r\nQUIT\r\n';
    const { code, stdout } = await sendmail(['-bs'], session);
    expect(code).toBe(0);
    expect(
      stdout
        .split('\r\n')
        .map((line) => line.slice(0, 3))
        .filter((line, at, all) => line !== all[at - 1]),
    ).toEqual(['220', '250', '354', '250', '221', '']);
    expect((await taken(server)).raw).toBe('Subject: spoken\r\n\r\nx\r\n');
  });
});

describe('what is no address', () => {
  const LINE_END = 'a@x.test\r\nRCPT TO:<evil@x.test>';

  test.each([
    ['a line end in -f', ['-t', '-f', 'a@x.test>\r\nRCPT TO:<evil@x.test']],
    ['a line end in a recipient', ['-i', `"${LINE_END}"@x.test`]],
    ['a parameter in -f', ['-t', '-f', 'a@x.test> SIZE=99999999999 X=<']],
    ['a bare CR in -f', ['-t', '-f', 'a@x.test\rDATA']],
  ])('%s begins no command: nothing is sent', async (_, args) => {
    const { server, sendmail } = await bench();
    const exit = await sendmail(args, 'To: b@x.test\nSubject: x\n\nx\n');
    expect(exit).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringMatching(/^sendmail: .+ is no address\.\n$/),
    });
    expect(await (await server.api(`/v1/mailboxes/${server.mailboxId}/messages`)).json()).toEqual([]);
  });

  test('a quoted name before the @ is one', async () => {
    const { server, sendmail } = await bench();
    expect(await sendmail(['-i', '"a <b> c"@x.test'], 'x\n')).toMatchObject(quiet);
    expect((await taken(server)).rcptTo).toEqual(['"a <b> c"@x.test']);
  });
});

describe('the mail that sendmail reads', () => {
  test('without -i a line of one dot ends it; a dot that begins a line is kept', async () => {
    const { server, sendmail } = await bench();
    await sendmail(['a@x.test'], 'From: a\nDate: d\nMessage-ID: m\n\n.first\none\n.\ntwo\n');
    expect((await taken(server)).raw).toBe('From: a\r\nDate: d\r\nMessage-ID: m\r\n\r\n.first\r\none\r\n');
  });

  test('without -t Bcc stays, and the recipients are the arguments, also with commas', async () => {
    const { server, sendmail } = await bench();
    await sendmail(['-i', 'a@x.test, B <b@x.test>'], 'From: a\nDate: d\nMessage-ID: m\nBcc: c@x.test\n\nx\n');
    const { rcptTo, raw } = await taken(server);
    expect(rcptTo).toEqual(['a@x.test', 'b@x.test']);
    expect(raw).toContain('Bcc: c@x.test\r\n');
  });

  test.each(['', 'no header at all\n', '\n'])('%j is a mail without a header of its own', async (input) => {
    const { server, sendmail } = await bench();
    expect(await sendmail(['a@x.test'], input)).toMatchObject(quiet);
    expect(
      (await taken(server)).raw.endsWith(
        `\r\n\r\n${input === '\n' ? '\r\n' : input.replace('\n', '\r\n')}`.replace(/^(\r\n\r\n)\r\n$/, '$1'),
      ),
    ).toBe(true);
  });

  test('bytes that are not UTF-8 stay as they are', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    expect(untilDot(bytes)).toEqual(bytes);
  });
});

describe('exit codes of sysexits.h', () => {
  test.each([
    [[], 64, 'no recipient'],
    [['-t'], 64, 'no recipient'],
    [['-Z'], 64, '-Z: no such option'],
    [['--verbose'], 64, '--verbose: no such option'],
    [['-f'], 64, '-f needs a value'],
    [['-bp'], 64, '-bp is not supported'],
  ])('sendmail %j: %i', async (args, code, message) => {
    const { sendmail } = await bench();
    const exit = await sendmail(args, 'Subject: x\n\nx\n');
    expect(exit).toMatchObject({ code, stdout: '' });
    expect(exit.stderr).toContain(message);
  });

  test('75 where the server says later, 67 where it refuses a recipient, 69 where it refuses the mail', async () => {
    const { server, sendmail } = await bench();
    const rule = (to: string, reply: string, stage = 'rcpt') => ({ stage, match: { to }, action: { reply } });
    await server.api('/_mailcap/faults', {
      method: 'PUT',
      json: [rule('later@*', '451 4.7.1 later'), rule('never@*', '550 5.1.1 no'), rule('big@*', '554 5.6.0 no', 'end')],
    });
    for (const [to, code] of [
      ['later', 75],
      ['never', 67],
      ['big', 69],
    ] as const) {
      const exit = await sendmail([`${to}@x.test`], 'x\n');
      expect(exit.code, to).toBe(code);
      expect(exit.stderr).toMatch(/^sendmail: .+ was refused: (451|550|554) .+\n$/);
    }
    // The other recipients receive the mail.
    expect((await sendmail(['never@x.test', 'ada@x.test'], 'x\n')).code).toBe(67);
    expect((await taken(server)).rcptTo).toEqual(['ada@x.test']);
  });

  test('69 where no server is found or none answers, 78 where MAILCAP_SMTP_URL is none', async () => {
    const cwd = await temporaryDirectory();
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const address = closed.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise((resolve) => closed.close(resolve));
    for (const [url, code] of [
      ['', 69],
      [`smtp://127.0.0.1:${port}`, 69],
      ['http://x', 78],
    ] as const) {
      for (const args of [['a@x.test'], ['-bs']]) {
        const ended = await command(['sendmail', ...args], { cwd, env: { MAILCAP_SMTP_URL: url }, stdin: 'x\n' });
        expect(ended.code, url).toBe(code);
        expect(ended.stderr).toMatch(/^sendmail: .+\.\n$/);
        expect(ended.stdout).toBe(args[0] === '-bs' && code === 69 ? ended.stdout : '');
        if (args[0] === '-bs' && code === 69) expect(ended.stdout).toMatch(/^421 4\.3\.2 .+\r\n$/);
      }
    }
  });

  test('a user name in the URL signs in: the mail goes into that mailbox', async () => {
    const server = await startServer();
    onTestFinished(() => server.close());
    const { id } = await server.addMailbox({ subdomain: 'cron' });
    const run = commandLine(server, await temporaryDirectory());
    const env = { MAILCAP_SMTP_URL: server.ready.smtpUrl.replace('smtp://', 'smtp://cron:x@') };
    expect(await run(['sendmail', 'a@elsewhere.test'], { stdin: 'x\n', env })).toMatchObject(quiet);
    expect(await (await server.api(`/v1/mailboxes/${id}/messages`)).json()).toHaveLength(1);
  });
});
