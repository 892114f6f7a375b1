import { createTransport } from 'nodemailer';
import { describe, expect, test } from 'vitest';
import type { Ready } from '../../src/runtime.ts';
import { BIN, dev, runOnTerminal, temporaryDirectory } from '../support/cli.ts';
import { lacking } from '../support/programs.ts';
import { serverIn } from '../support/server-in.ts';
import { unless } from '../support/unless.ts';

async function send(
  { smtpHost: host, smtpPort: port }: Pick<Ready, 'smtpHost' | 'smtpPort'>,
  mail: object,
): Promise<void> {
  const transport = createTransport({ host, port, ignoreTLS: true });
  await transport.sendMail({ from: 'app@example.com', to: 'ada@inbox.mailcap.example.com', text: 'Hello.', ...mail });
}

interface Event {
  readonly type: string;
  readonly id: string;
  readonly data: { readonly subject?: string; readonly subdomain?: string };
}

describe('dev --json', () => {
  test('after the ready line every new event is a JSON line, in order', async () => {
    const cwd = await temporaryDirectory();
    const before = await serverIn(cwd, { ephemeral: false });
    await send(before.ready, { subject: 'Before' });
    await before.close();

    const server = dev([], { cwd });
    const ready = await server.ready();
    let output = '';
    server.child.stdout?.on('data', (text) => (output += text));
    const events = (): Event[] =>
      output
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .filter(({ event }) => event === undefined);
    await send(ready, { subject: 'One' });
    const headers = { authorization: `Bearer ${ready.apiKey}`, 'content-type': 'application/json' };
    await fetch(`${ready.apiUrl}/workspaces/${ready.workspaceId}/mailboxes`, {
      method: 'POST',
      headers,
      body: '{"name":"Two"}',
    });
    await send(ready, { to: 'x@two.mailcap.example.com', subject: 'Three' });
    await expect.poll(() => events().length, { timeout: 10_000 }).toBe(3);
    expect(events().map(({ type, data }) => [type, data.subject ?? data.subdomain])).toEqual([
      ['message.received', 'One'],
      ['mailbox.created', 'two'],
      ['message.received', 'Three'],
    ]);
    expect(events().map(({ id }) => id)).toEqual(
      events()
        .map(({ id }) => id)
        .sort(),
    );
    expect((await server.stop()).code).toBe(0);
  });

  test('a reader that reads nothing stops neither the capturing nor the end of the server', async () => {
    const server = dev(['--ephemeral', '--limits', 'off'], { cwd: await temporaryDirectory() });
    const ready = await server.ready();
    server.child.stdout?.pause();
    const transport = createTransport({
      host: ready.smtpHost,
      port: ready.smtpPort,
      ignoreTLS: true,
      pool: true,
      maxConnections: 1,
    });
    const mails = Array.from({ length: 400 }, (_, at) =>
      transport.sendMail({
        from: 'a@x.test',
        to: 'b@inbox.mailcap.example.com',
        subject: `${at} ${'x'.repeat(700)}`,
        text: 'x',
      }),
    );
    await Promise.all(mails);
    transport.close();
    expect((await fetch(`${ready.url}/_mailcap/health`)).status).toBe(200);
    server.child.kill('SIGTERM');
    const ended = new Promise<number | null>((resolve) => server.child.once('exit', resolve));
    expect(await ended).toBe(0);
  });
});

unless(describe, lacking('script'))('dev on a terminal', () => {
  async function onTerminal() {
    const cwd = await temporaryDirectory();
    const command = `stty cols 80 rows 24; ${process.execPath} ${BIN} dev --port 0 --smtp-port 0`;
    const { child, exit, shown } = runOnTerminal(command, cwd);
    await expect.poll(() => shown.text, { timeout: 20_000 }).toContain('q quit');
    const [, host = '', port = ''] = /SMTP +(\S+):(\d+)/.exec(shown.text) ?? [];
    const type = (keys: string) => child.stdin?.write(keys);
    return { cwd, exit, shown, type, server: { smtpHost: host, smtpPort: Number(port) } };
  }

  test('shows each mail in one line: time, mailbox, from, subject, its code; c copies it', async () => {
    const { shown, type, exit, server } = await onTerminal();
    for (const line of shown.text.split(/\r?\n/)) expect(line.length).toBeLessThanOrEqual(80);
    type('c');
    await expect.poll(() => shown.text, { timeout: 10_000 }).toContain('No mail with a code has come yet.');
    await send(server, { subject: `Welcome \u001b[31m${'and more '.repeat(20)}`, text: 'Your code is 481516.' });
    await expect.poll(() => shown.text, { timeout: 20_000 }).toContain('481516');
    const line = shown.text.split(/\r?\n/).find((one) => one.includes('481516')) ?? '';
    expect(line).toMatch(/^ {2}\d\d:\d\d:\d\d {2}inbox +app@example\.com +Welcome .*… {2}481516$/);
    expect(line.length).toBeLessThanOrEqual(80);
    expect(line).not.toContain('\u001b[31m');
    type('c');
    await expect.poll(() => shown.text, { timeout: 10_000 }).toContain('the code: 481516.');
    // The command also sends OSC 52 to the terminal.
    expect(shown.text).toContain(`\u001b]52;c;${Buffer.from('481516').toString('base64')}\u0007`);
    type('q');
    expect((await exit).code).toBe(0);
  });

  test('i opens the inbox and returns from it, ? lists the keys, r asks before it resets', {
    timeout: 180_000,
  }, async () => {
    const { shown, type, exit, server } = await onTerminal();
    await send(server, { subject: 'Shown in the inbox' });
    await expect.poll(() => shown.text, { timeout: 20_000 }).toContain('Shown in');
    const before = shown.text.length;
    type('i');
    // The inbox switches to the alternate screen and back.
    await expect.poll(() => shown.text.slice(before), { timeout: 30_000 }).toContain('\u001b[?1049h');
    await expect
      .poll(() => shown.text.slice(before).split('\u001b[?1049h')[1] ?? '', { timeout: 20_000 })
      .toContain('Shown in');
    type('q');
    await expect.poll(() => shown.text.slice(before), { timeout: 20_000 }).toContain('\u001b[?1049l');
    await send(server, { subject: 'Afterwards' });
    await expect.poll(() => shown.text, { timeout: 20_000 }).toContain('Afterwards');
    type('?');
    await expect.poll(() => shown.text, { timeout: 10_000 }).toContain('terminal inbox');
    type('r');
    await expect.poll(() => shown.text, { timeout: 10_000 }).toContain('y / n');
    type('n');
    await expect.poll(() => shown.text, { timeout: 10_000 }).toContain('Nothing was deleted.');
    type('r');
    await expect.poll(() => shown.text.split('y / n').length, { timeout: 10_000 }).toBe(3);
    type('y');
    await expect.poll(() => shown.text, { timeout: 10_000 }).toContain('The server was reset: 2 messages deleted.');
    type('q');
    expect((await exit).code).toBe(0);
  });
});
