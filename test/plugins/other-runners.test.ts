import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { run } from '../support/cli.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { blockOf } from '../support/pages.ts';
import { runs } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { makeProject, type Project, until } from './project.ts';

const PAGE = 'docs/other-runners.md';

let project: Project;
let mailcap: TestServer;
let env: Record<string, string>;

beforeAll(async () => {
  [project, mailcap] = await Promise.all([makeProject(), startServer({ limits: 'off', starttls: 'off' })]);
  env = {
    MAILCAP_URL: mailcap.url,
    MAILCAP_API_KEY: mailcap.apiKey,
    MAILCAP_WORKSPACE_ID: mailcap.workspaceId,
    MAILCAP_SMTP_URL: `smtp://${mailcap.smtp.host}:${mailcap.smtp.port}`,
  };
}, 180_000);
afterAll(async () => {
  await project.remove();
  await mailcap.close();
});

/** Runs a program of the project and expects this output. */
async function expectRun(text: string, says: string | RegExp, more: Record<string, string> = env): Promise<void> {
  await project.write('program.mjs', text);
  const { code, stdout, stderr } = await project.node(['program.mjs'], more).exit;
  expect({ code, stderr, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(says) });
}

/** Cypress's part of the task contract: arguments and results are converted to JSON and back. */
const CYPRESS = `
  const tasks = {};
  const ends = [];
  const on = (event, given) => (event === 'task' ? Object.assign(tasks, given) : ends.push(given));
  const { default: config } = await import('./cypress.config.mjs');
  await config.e2e.setupNodeEvents(on, {});
  export const task = async (name, arg) => {
    const result = await tasks[name](arg === undefined ? null : JSON.parse(JSON.stringify(arg)));
    if (result === undefined) throw new Error(name + ' returned undefined, which Cypress refuses');
    return JSON.parse(JSON.stringify(result));
  };
  export const end = (results) => Promise.all(ends.map((one) => one(results)));
`;

test('Cypress: the configuration and the test of the page run, with a simulated page and a simulated Cypress', async () => {
  await project.write('cypress.config.mjs', blockOf(PAGE, 'cypressconfig'));
  await project.write('cypress.mjs', CYPRESS);
  await project.write('sign-up.cy.js', blockOf(PAGE, 'cypress'));
  await expectRun(
    `import nodemailer from 'nodemailer';
     import { readFileSync } from 'node:fs';
     import { task, end } from './cypress.mjs';
     const typed = {};
     let queue = [];
     const chain = (act) => {
       let value;
       queue.push(async () => { value = await act(); });
       const link = { then: (next) => { queue.push(async () => {
         const rest = queue; queue = [];
         next(value);
         queue.push(...rest);
       }); return link; }, type: (text) => { queue.push(() => onType(value, text)); return link; } };
       return link;
     };
     const onType = async (selector, text) => {
       typed[selector] = text;
       if (selector !== '[name=email]') return;
       const app = nodemailer.createTransport(process.env.MAILCAP_SMTP_URL);
       await app.sendMail({ from: 'app@x.test', to: text.replace('{enter}', ''), subject: 'Your code', text: 'Your code is 234815.' });
     };
     globalThis.cy = {
       task: (name, arg) => chain(() => task(name, arg)),
       get: (selector) => chain(() => selector),
       visit: () => chain(() => {}),
       contains: () => chain(() => {}),
     };
     globalThis.it = (_title, test) => test();
     (0, eval)(readFileSync('sign-up.cy.js', 'utf8'));
     while (queue.length > 0) await queue.shift()();
     console.log('typed', typed['[name=code]']);
     await end();`,
    'typed 234815{enter}',
  );
}, 180_000);

test('Cypress: the mailboxes of a run with a failed test stay until the next run, without their claims', async () => {
  await project.write('cypress.config.mjs', blockOf(PAGE, 'cypressconfig'));
  await project.write('cypress.mjs', CYPRESS);
  const run = (totalFailed: number) => `
     import { task, end } from './cypress.mjs';
     const { id } = await task('mailcap:mailbox', { addresses: ['alice@email.com'] });
     const said = await task('mailcap:code', { mailbox: id, timeout: 10 }).catch(({ message }) => message);
     await end({ totalFailed: ${totalFailed} });
     console.log(said, 'opened', id);`;
  const ids = async () => (await (await mailcap.api('/_mailcap/mailboxes')).json()) as { id: string }[];
  const before = (await ids()).length;
  await expectRun(run(1), /\/#\/mail\/(\w+) .*opened \1/s, { ...env, CI: '' });
  expect(await ids()).toHaveLength(before + 1);
  await expectRun(run(0), 'opened', { ...env, CI: '' });
  expect(await ids()).toHaveLength(before);
}, 60_000);

test('Cypress: every task takes and returns JSON, and an error says what to do', async () => {
  await project.write('cypress.config.mjs', blockOf(PAGE, 'cypressconfig'));
  await project.write('cypress.mjs', CYPRESS);
  await expectRun(
    `import assert from 'node:assert/strict';
     import nodemailer from 'nodemailer';
     import { task, end } from './cypress.mjs';
     const app = nodemailer.createTransport(process.env.MAILCAP_SMTP_URL);
     const { id: mailbox, address } = await task('mailcap:mailbox', { name: 'sign-up', addresses: ['alice@email.com'] });
     assert.equal(await task('mailcap:noMessage', { mailbox, for: 50 }), null);
     const html = '<a href="https://shop.test/verify?token=a1b2c3d4e5f6">Verify</a>';
     const attachments = [{ filename: 'a.pdf', content: 'x' }];
     for (const to of ['alice@email.com', address]) await app.sendMail({ from: 'Shop <app@x.test>', to, subject: 'Hi ' + to, html, attachments });
     const message = await task('mailcap:message', { mailbox, to: 'alice@email.com' });
     assert.deepEqual(message.from, { name: 'Shop', address: 'app@x.test' });
     assert.deepEqual(message.attachments, ['a.pdf']);
     assert.equal(message.visibleText.trim(), 'Verify');
     assert.equal(await task('mailcap:link', { mailbox, link: 'verify' }), 'https://shop.test/verify?token=a1b2c3d4e5f6');
     assert.equal((await task('mailcap:messages', { mailbox })).length, 2);
     const { id: webhook, url } = await task('mailcap:webhook');
     await fetch(url + '/paid', { method: 'POST', body: '{"n":1}' });
     assert.equal((await task('mailcap:request', { webhook, path: '/paid' })).body, '{"n":1}');
     assert.equal(await task('mailcap:send', { to: address, subject: 'Code', text: 'Your code is 481516.' }), null);
     assert.equal(await task('mailcap:code', { mailbox, subject: 'Code' }), '481516');
     await assert.rejects(task('mailcap:send', { subject: 'x' }), /needs \`to\`/);
     await assert.rejects(task('mailcap:send', { to: address, body: 'x' }), /has no "body"/);
     assert.match(await task('mailcap:totp', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'), /^[0-9]{6}$/);
     await assert.rejects(task('mailcap:code', { mailbox: 'x' }), /No task "mailcap:mailbox" has returned the id "x"/);
     await assert.rejects(task('mailcap:code', { mailbox, subject: /x/ }), /subject must be a string or a RegExp/);
     await assert.rejects(task('mailcap:code', { mailbox, sender: 'x' }), /has no "sender"/);
     await end();
     console.log('all of them');`,
    'all of them',
  );
}, 180_000);

test('WebdriverIO: the hooks of the page start a server, give each test a mailbox, and end the server', async () => {
  await project.write('wdio.conf.mjs', blockOf(PAGE, 'wdio'));
  await expectRun(
    `import nodemailer from 'nodemailer';
     const { config } = await import('./wdio.conf.mjs');
     await config.onPrepare();
     config.before();
     await config.beforeTest();
     const app = nodemailer.createTransport(process.env.MAILCAP_SMTP_URL + '?ignoreTLS=true');
     await app.sendMail({ from: 'app@x.test', to: mailbox.address, subject: 'Hi', text: 'Your code is 234815.' });
     console.log('code', await mailbox.waitForCode());
     await config.afterTest();
     await config.onComplete();`,
    'code 234815',
    {},
  );
}, 180_000);

unless(test, runs('python3', ['-m', 'pytest', '--version']) ? null : 'pytest is not here')(
  'pytest: the fixture and the test of the page pass, and a wait that times out names its filters',
  async () => {
    await project.write('py/conftest.py', blockOf(PAGE, 'conftest'));
    await project.write('py/test_code.py', blockOf(PAGE, 'pytest'));
    await project.write('py/test_none.py', 'def test_none(mailbox):\n    mailbox.wait(timeout=1, subject="none")\n');
    const cwd = join(project.directory, 'py');
    const { stdout } = await run('python3', ['-m', 'pytest', '-p', 'no:cacheprovider'], { cwd, env }).exit;
    expect(stdout).toMatch(/1 failed, 1 passed/);
    expect(stdout).toMatch(/no mail to user@.* within 1 s matched \{'subject': 'none'\}/);
  },
);

unless(test, runs('go', ['version']) ? null : 'Go is not here')(
  'Go: the test of the page passes',
  async () => {
    await project.write('go/go.mod', 'module example.com/mail\n\ngo 1.21\n');
    await project.write('go/mail_test.go', blockOf(PAGE, 'test'));
    const cwd = join(project.directory, 'go');
    const { stdout, stderr } = await run('go', ['test', './...'], { cwd, env: { ...env, GOFLAGS: '-mod=mod' } }).exit;
    expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringMatching(/^ok/) });
  },
  180_000,
);

unless(test, runs('java', ['-version']) ? null : 'Java is not here')(
  'Java: the program of the page prints the code',
  async () => {
    await project.write('java/Mail.java', blockOf(PAGE, 'class'));
    const cwd = join(project.directory, 'java');
    const to = 'java@example.com';
    const waiting = run('java', ['Mail.java', to], { cwd, env }).exit;
    await until(() => mailcap.ctx.waiters.size > 0, 'the program waits');
    const transport = createTransport({ ...mailcap.smtp, ignoreTLS: true });
    onTestFinished(() => transport.close());
    await transport.sendMail({ from: 'app@x.test', to, subject: 'Your code', text: 'Your code is 234815.' });
    expect(await waiting).toMatchObject({ code: 0, stdout: '234815\n' });
  },
);
