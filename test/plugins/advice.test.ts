import { afterAll, beforeAll, expect, test } from 'vitest';
import { failuresOf, makePlaywrightProject, playwright } from './playwright-project.ts';
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
  expect(silent).toContain('No SMTP client has connected since the server started.');
}, 180_000);

test('Playwright: these errors explain mailcapWebServer', async () => {
  await project.write('import.spec.js', TEST('playwright'));
  const [refused = '', silent = ''] = failuresOf(await playwright(project, ['import.spec.js', '--workers=1']));
  expect(refused).toMatch(/ECONNREFUSED[\s\S]*\bport 2525\b.*\bsmtp:\/\/127\.0\.0\.1:\d+/);
  for (const message of [refused, silent]) expect(message).toContain('mailcapWebServer()');
  // A failure starts a new worker with a new server, to which nothing has connected.
  expect(silent).toContain('No SMTP client has connected since the server started.');
}, 180_000);
