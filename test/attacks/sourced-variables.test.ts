import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { commandLine } from '../support/command.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** Values that run a command, or end the quotes, in a shell that reads them carelessly. */
const VALUES = [
  'smtp://$(touch marker)',
  'smtp://`touch marker`',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell would expand it
  'smtp://${x:-$(touch marker)}',
  'smtp://"; touch marker; "',
  'smtp://a & touch marker #',
  'smtp://a\\" touch marker',
  'smtp://a b*?[x] ~ !1 \\n \\',
];

async function printedFor(value: string, format: string, cwd: string) {
  return commandLine(server, cwd)(['env', '--format', format], { env: { MAILCAP_SMTP_URL: value } });
}

/** Lets bash read the lines, and returns what the variable is then, and what lies in the directory. */
async function sourced(lines: string, cwd: string) {
  await writeFile(join(cwd, 'variables'), lines);
  const script = 'set -a; . ./variables; printf %s "$MAILCAP_SMTP_URL"';
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd, env: { PATH: process.env['PATH'] } });
  return { value: stdout, files: await readdir(cwd) };
}

test.each(['dotenv', 'shell'])('no value of a variable runs in a shell that reads the format %s', async (format) => {
  const cwd = await temporaryDirectory();
  for (const value of VALUES) {
    const { code, stdout, stderr } = await printedFor(value, format, cwd);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await sourced(stdout, cwd)).toEqual({ value, files: ['variables'] });
    if (format === 'dotenv') expect(parseEnv(stdout)).toMatchObject({ MAILCAP_SMTP_URL: value });
  }
});

test.each(["smtp://a'$(touch marker)'", 'smtp://a\ntouch marker', 'smtp://a\rtouch marker'])(
  'a value that a dotenv file cannot hold is refused before anything is printed: %j',
  async (value) => {
    const cwd = await temporaryDirectory();
    expect(await printedFor(value, 'dotenv', cwd)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /MAILCAP_SMTP_URL can't be written in this format, because .*: print the variables/,
      ),
    });
    expect(JSON.parse((await printedFor(value, 'json', cwd)).stdout)).toMatchObject({ MAILCAP_SMTP_URL: value });
  },
);

test('a shell gets quotes and lines as they are, and no value that printing changes', async () => {
  const cwd = await temporaryDirectory();
  const value = "smtp://a'$(touch marker)'\ntouch marker";
  expect(await sourced((await printedFor(value, 'shell', cwd)).stdout, cwd)).toEqual({ value, files: ['variables'] });
  for (const changed of ['smtp://##[group]', 'smtp://a\u202e', 'smtp://a\n::error::b'])
    expect(await printedFor(changed, 'shell', cwd)).toMatchObject({ code: 1, stdout: '' });
});
