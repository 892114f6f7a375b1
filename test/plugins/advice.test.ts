import { readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { failuresOf, makePlaywrightProject, PLAYWRIGHT, playwright } from './playwright-project.ts';
import type { Project } from './project.ts';
import { vitest } from './vitest-project.ts';

// An app that creates its transport during import does not know the server that the fixtures start later.

const APP = `import nodemailer from 'nodemailer';
const transport = nodemailer.createTransport({ host: '127.0.0.1', port: Number(new URL(process.env.MAILCAP_SMTP_URL ?? 'smtp://127.0.0.1:2525').port) });
export const send = (to) => transport.sendMail({ from: 'app@x.test', to, subject: 'Hi', text: 'Hello.' });
`;
const TEST = (runner: string) => `import { test } from 'mailcap/${runner}';
import { send } from './app.js';
test('sends and is refused', async ({ mailbox }) => { await send(mailbox.address); });
test('swallows that', async ({ mailbox }) => {
  await send(mailbox.address).catch(() => {});
  await mailbox.waitForMessage({}, { timeout: 300 });
});
`;

let project: Project;

beforeAll(async () => {
  project = await makePlaywrightProject();
  await project.write('app.js', APP);
}, 180_000);
afterAll(() => project.remove());

test('Vitest: the errors of a refused connection and of a wait explain the global setup', async () => {
  await project.write('import.test.js', TEST('vitest'));
  // A busy machine takes longer than Vitest's own limit of five seconds to load Nodemailer and connect.
  const { testResults } = await vitest(project, 'import.test.js', {}, ['--testTimeout=60000']);
  const [refused = '', silent = ''] = testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ failureMessages }) => failureMessages.join('\n')),
  );
  expect(refused).toContain('ECONNREFUSED');
  expect(refused).toMatch(/port 2525\b.*\bsmtp:\/\/127\.0\.0\.1:\d+.*\bMAILCAP_SMTP_URL\b/);
  for (const message of [refused, silent]) expect(message).toContain('mailcap/vitest/global-setup');
  expect(silent).toContain('No SMTP client has connected since the server started, except for other workspaces.');
  // The mail of failed tests is for this user alone, as docs/security.md says.
  for (const path of ['.mailcap', '.mailcap/failures'])
    expect((await stat(join(project.directory, path))).mode & 0o777, path).toBe(0o700);
}, 180_000);

test('Playwright: an app that `webServer` starts without mailcapWebServer is told of at once', async () => {
  await project.write(
    'app-server.js',
    `require('node:http').createServer((_, answer) => answer.end()).listen(${await freePort()});`,
  );
  const [, port = ''] = /listen\((\d+)\)/.exec(await readFile(join(project.directory, 'app-server.js'), 'utf8')) ?? [];
  const config = (before: string) => `
    import { mailcapWebServer } from 'mailcap/playwright';
    const app = { command: 'node app-server.cjs', url: 'http://127.0.0.1:${port}' };
    export default { reporter: 'line', webServer: ${before} };`;
  await rename(join(project.directory, 'app-server.js'), join(project.directory, 'app-server.cjs'));
  await project.write(
    'web.spec.js',
    `import { test } from 'mailcap/playwright';\ntest('waits', async ({ mailbox }) => { mailbox.address; });`,
  );
  const said = async (name: string, before: string) => {
    await project.write(name, config(before));
    const { exit } = project.node([PLAYWRIGHT, 'test', '--config', name, 'web.spec.js', '--workers=1']);
    const { code, stdout, stderr } = await exit;
    expect(code, stdout + stderr).toBe(0);
    return stdout + stderr;
  };
  expect(await said('app.config.js', 'app')).toMatch(
    /MAILCAP_WEB_SERVER[\s\S]*mailcapWebServer\(\)[\s\S]*mailcap docs playwright#/,
  );
  expect(await said('both.config.js', '[mailcapWebServer(), app]')).not.toContain('MAILCAP_WEB_SERVER');
}, 180_000);

test('Playwright: these errors explain mailcapWebServer', async () => {
  await project.write('import.spec.js', TEST('playwright'));
  const [refused = '', silent = ''] = failuresOf(await playwright(project, ['import.spec.js', '--workers=1']));
  expect(refused).toMatch(/ECONNREFUSED[\s\S]*\bport 2525\b.*\bsmtp:\/\/127\.0\.0\.1:\d+/);
  for (const message of [refused, silent]) expect(message).toContain('mailcapWebServer()');
  // A failure starts a new worker with a new server, to which nothing has connected.
  expect(silent).toContain('No SMTP client has connected since the server started, except for other workspaces.');
}, 180_000);
