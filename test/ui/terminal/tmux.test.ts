import { describe, expect, test } from 'vitest';
import { dev, mailcap, temporaryDirectory } from '../../support/cli.ts';
import { command } from '../../support/command.ts';
import { byDay } from '../../support/night.ts';
import { lacking } from '../../support/programs.ts';
import { serverIn } from '../../support/server-in.ts';
import { unless } from '../../support/unless.ts';
import { Terminal } from './tmux.ts';

// These tests run bin/mailcap.js in a terminal of tmux.

const HOSTILE = [
  '\u001b]0;owned\u0007\u001b[2J',
  '🎉 👩‍👩‍👧‍👦 ❤️ family',
  'ご注文の確認'.repeat(30),
  'x'.repeat(10_000),
  'abc \u202egpj.exe',
];

unless(describe, lacking('tmux'))('in tmux', () => {
  test('the inbox fits 80x24, 40x15 and 200x50, and follows the terminal when it is resized', async () => {
    const { cwd, put } = await started();
    for (const subject of [...HOSTILE, 'the last one']) await put(subject);
    const terminal = new Terminal(cwd, 80, 24);
    await terminal.shows(/❯ App \S+ the last one/);
    for (const [columns, rows] of [
      [40, 15],
      [200, 50],
      [80, 24],
    ] as const) {
      terminal.resize(columns, rows);
      const rowsShown = () =>
        terminal
          .screen()
          .split('\n')
          .filter((line) => /^[ •][ ❯] App /.test(line));
      // tmux shows parts of the old frame until the new one arrives.
      await expect.poll(rowsShown, { timeout: 20_000 }).toHaveLength(HOSTILE.length + 1);
      await expect
        .poll(
          () =>
            terminal
              .screen()
              .split('\n')
              .at(rows - 1),
          { timeout: 20_000 },
        )
        .toMatch(/q quit$/);
      await terminal.shows(/❯ App \S+ the last one/);
    }
    expect(terminal.knows('pane_title')).not.toContain('owned');
    terminal.press('q');
    await terminal.isGivenBack();
  });

  const ENDS = [
    ['q', (terminal: Terminal) => terminal.press('q'), 0],
    ['Ctrl-C', (terminal: Terminal) => terminal.press('C-c'), 0],
    ['SIGINT', (terminal: Terminal) => terminal.kill('SIGINT'), 130],
    ['SIGTERM', (terminal: Terminal) => terminal.kill('SIGTERM'), 143],
    ['SIGHUP', (terminal: Terminal) => terminal.kill('SIGHUP'), 129],
  ] as const;
  // The other tests here press q.
  test.each(byDay(ENDS, ([name]) => name === 'Ctrl-C' || name === 'SIGTERM'))(
    '%s gives the terminal back',
    async (_name, end, code) => {
      const { cwd, put } = await started();
      await put('hello');
      const terminal = new Terminal(cwd, 80, 24);
      await terminal.shows(/❯ App \S+ hello/);
      expect(terminal.knows('alternate_on')).toBe('1');
      await end(terminal);
      await terminal.isGivenBack();
      expect(terminal.screen()).toContain(`exit code ${code}`);
    },
  );

  test('Ctrl-Z returns the terminal to the shell, and fg takes it again', async () => {
    const { cwd, put } = await started();
    await put('hello');
    const terminal = new Terminal(cwd, 80, 24, { shell: 'bash --norc -i' });
    terminal.press('$MAILCAP inbox', 'Enter');
    await terminal.shows(/❯ App \S+ hello/);
    terminal.press('C-z');
    await terminal.shows(/Stopped|suspended/);
    expect(terminal.knows('alternate_on')).toBe('0');
    expect(terminal.knows('cursor_flag')).toBe('1');
    terminal.press('fg', 'Enter');
    await terminal.shows(/❯ App \S+ hello/);
    expect(terminal.knows('alternate_on')).toBe('1');
    terminal.press('j', 'q');
    await expect.poll(() => terminal.knows('alternate_on')).toBe('0');
  });

  test('an exception restores the terminal, and is printed there', async () => {
    const { cwd } = await started();
    const crash = 'process.once(`SIGUSR2`,()=>{throw(new(Error)(`boom`))})';
    const terminal = new Terminal(cwd, 80, 24, { env: { NODE_OPTIONS: `--import=data:text/javascript,${crash}` } });
    await terminal.shows('No mail yet');
    await terminal.kill('SIGUSR2');
    await terminal.isGivenBack();
    expect(terminal.screen()).toContain('Error: boom');
  });

  test('the inbox waits for a server that was killed, and then shows what came meanwhile', async () => {
    const cwd = await temporaryDirectory();
    const server = dev([], { cwd });
    await putOn(await server.ready(), 'before');
    const terminal = new Terminal(cwd, 80, 24);
    await terminal.shows('● live');
    await terminal.shows(/❯ App \S+ before/);
    server.child.kill('SIGKILL');
    await terminal.shows('trying again');
    expect(terminal.screen()).toContain('before');
    const again = dev([], { cwd });
    const ready = await again.ready();
    await putOn(ready, 'meanwhile');
    await terminal.shows('● live');
    await terminal.shows(/❯ App \S+ meanwhile/);
    await terminal.shows(/App \S+ before/);
  });

  test('another server at the same address is shown from the start', async () => {
    const { cwd, server, ready, put } = await started();
    await put('of the first');
    const terminal = new Terminal(cwd, 80, 24);
    await terminal.shows('● live');
    await terminal.shows(/❯ App \S+ of the first/);
    await server.close();
    await terminal.shows('trying again');
    const other = mailcap(['dev', '--json', '--ephemeral', '--smtp-port', '0', '--port', new URL(ready.url).port], {
      cwd,
    });
    await putOn(await other.ready(), 'of the second');
    await terminal.shows(/❯ App \S+ of the second/);
    expect(terminal.screen()).not.toContain('of the first');
  });

  test('NO_COLOR: no colours, and the selected row is still visible', async () => {
    const { cwd, put } = await started();
    await put('one');
    await put('two');
    const plain = new Terminal(cwd, 80, 24, { env: { NO_COLOR: '1' } });
    await plain.shows(/❯ App \S+ two/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match escape sequences for colours
    const sequences = [...plain.screen(true).matchAll(/\u001b\[([0-9;]*)m/g)].flatMap(([, codes = '']) =>
      codes.split(';'),
    );
    expect(sequences.filter((code) => Number(code) >= 30 && code !== '39' && code !== '49')).toEqual([]);
    expect(sequences).toContain('7');
    const coloured = new Terminal(cwd, 80, 24);
    await coloured.shows(/❯ App \S+ two/);
    expect(coloured.screen(true)).toContain('\u001b[36m');
  });
});

test.each([
  ['no terminal', {}],
  ['a dumb one', { TERM: 'dumb' }],
])('on %s the newest messages are listed as `messages list` does, and the exit code is 0', async (_name, env) => {
  const { cwd, put } = await started();
  await put('\u001b[2Jfirst');
  await put('second');
  const { code, stdout } = await command(['inbox'], { cwd, env });
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'ID\tRECEIVED\tFROM\tTO\tSUBJECT\tSIZE',
    expect.stringMatching(/\tada@inbox[^\t]*\tsecond\t\d+ B$/),
    expect.stringMatching(/first\t\d+ B$/),
  ]);
  expect(stdout).not.toContain('\u001b');
});

test('--mailbox takes a subdomain; an unknown one is exit code 1 and a sentence; no server is exit code 4', async () => {
  const { cwd, server, ready, put } = await started();
  await put('in the inbox');
  const key = { authorization: `Bearer ${ready.apiKey}`, 'content-type': 'application/json' };
  const path = `${ready.apiUrl}/workspaces/${ready.workspaceId}/mailboxes`;
  await fetch(path, { method: 'POST', headers: key, body: JSON.stringify({ name: 'Sign up' }) });
  expect(await command(['inbox', '--mailbox', 'sign-up'], { cwd })).toMatchObject({ code: 0, stdout: '' });
  const unknown = await command(['inbox', '--mailbox', 'nope'], { cwd });
  expect(unknown).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^mailcap: nope: no such mailbox; `mailcap mailboxes list` shows them/),
  });
  await server.close();
  expect(await command(['inbox'], { cwd })).toMatchObject({ code: 4, stdout: '' });
});

async function started() {
  const cwd = await temporaryDirectory();
  const server = await serverIn(cwd);
  const { ready } = server;
  return { cwd, server, ready, put: (subject: string) => putOn(ready, subject) };
}

async function putOn({ url, mailboxId }: { readonly url: string; readonly mailboxId: string }, subject: string) {
  const encoded = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`;
  const body = `From: App <app@example.com>\r\nTo: ada@inbox.mailcap.example.com\r\nSubject: ${encoded}\r\n\r\nhello`;
  const headers = { 'content-type': 'message/rfc822' };
  const answer = await fetch(`${url}/_mailcap/mailboxes/${mailboxId}/messages`, { method: 'POST', headers, body });
  expect(answer.status).toBe(201);
}
