import type { RunnerName } from './project.ts';

/** The style of the files of the project. */
export interface TestLanguage {
  readonly isTypeScript: boolean;
  /** `true` for `import`, `false` for `require`. */
  readonly imports: boolean;
  /** `true` if the project has Nodemailer, so that the first test sends mail as an app does. */
  readonly hasNodemailer: boolean;
  /** `true` if tests run with a browser's globals instead of Node's. */
  readonly isInBrowser: boolean;
}

const BY_APP = '// Let your app send it instead: to the server at MAILCAP_SMTP_URL, which is set while tests run.';
const RAW = [
  `const mail = ['From: app@example.com', \`To: \${mailbox.address}\`, 'Subject: Your code', '', 'Your code is 234815.'];`,
];

/** Returns the text of the first test. */
export function firstTestText(runner: RunnerName, language: TestLanguage): string {
  switch (runner) {
    case 'playwright':
    case 'vitest':
      return withFixtures(runner, language);
    case 'jest':
      return withJest(language);
    case 'cypress':
      return CYPRESS;
    case 'node':
      return withNode(language);
  }
}

/** Returns the lines of the test that send a mail, with Nodemailer or through the API. */
function sending({ hasNodemailer }: TestLanguage, client: string): string[] {
  if (!hasNodemailer) return [BY_APP, ...RAW, `await ${client}.local.putMessage(mailbox.id, mail.join('\\r\\n'));`];
  return [
    BY_APP,
    'const app = nodemailer.createTransport(process.env.MAILCAP_SMTP_URL);',
    "const mail = { from: 'app@example.com', subject: 'Your code', text: 'Your code is 234815.' };",
    'await app.sendMail({ ...mail, to: mailbox.address });',
  ];
}

function withFixtures(runner: 'playwright' | 'vitest', language: TestLanguage): string {
  const fixtures = language.hasNodemailer ? '{ mailbox }' : '{ mailbox, mailcap }';
  return file([
    ...(language.isInBrowser ? ['// @vitest-environment node'] : []),
    `import { expect, test } from 'mailcap/${runner}';`,
    ...(language.hasNodemailer ? ["import nodemailer from 'nodemailer';"] : []),
    '',
    `test('a code comes by mail', async (${fixtures}) => {`,
    ...indented(sending(language, 'mailcap')),
    '',
    "  expect(await mailbox.waitForCode({ subject: 'your code' })).toBe('234815');",
    '});',
  ]);
}

function withJest(language: TestLanguage): string {
  const { imports, isTypeScript, hasNodemailer } = language;
  return file([
    // The client makes its requests with Node's fetch.
    '/** @jest-environment node */',
    ...(imports
      ? [
          `import { createClient${isTypeScript ? ', type Mailbox' : ''} } from 'mailcap/client';`,
          ...(hasNodemailer ? ["import nodemailer from 'nodemailer';"] : []),
        ]
      : [
          "const { createClient } = require('mailcap/client');",
          ...(hasNodemailer ? ["const nodemailer = require('nodemailer');"] : []),
        ]),
    '',
    'const client = createClient();',
    `let mailbox${isTypeScript ? ': Mailbox' : ''};`,
    '',
    '// Each attempt at a test gets a mailbox of its own.',
    'beforeEach(async () => {',
    '  mailbox = await client.mailbox();',
    '});',
    'afterEach(() => mailbox.delete());',
    '',
    "test('a code comes by mail', async () => {",
    ...indented(sending(language, 'client')),
    '',
    "  expect(await mailbox.waitForCode({ subject: 'your code' })).toBe('234815');",
    '});',
  ]);
}

function withNode(language: TestLanguage): string {
  return file([
    "import assert from 'node:assert/strict';",
    "import { after, before, test } from 'node:test';",
    "import { createMailcap } from 'mailcap';",
    "import { createClient } from 'mailcap/client';",
    ...(language.hasNodemailer ? ["import nodemailer from 'nodemailer';"] : []),
    '',
    'let server;',
    'let client;',
    '',
    'before(async () => {',
    "  server = await createMailcap({ port: 0, smtpPort: 0, ephemeral: true, limits: 'off', starttls: 'off' });",
    '  client = createClient({ baseUrl: server.url, apiKey: server.apiKey });',
    '  process.env.MAILCAP_SMTP_URL = server.smtp.url;',
    '});',
    'after(() => server.close());',
    '',
    "test('a code comes by mail', async () => {",
    '  const mailbox = await client.mailbox();',
    ...indented(sending(language, 'client')),
    '',
    "  assert.equal(await mailbox.waitForCode({ subject: 'your code' }), '234815');",
    '});',
  ]);
}

// In a browser test only the app can send mail, so the first test creates a mailbox and a comment shows the rest.
const CYPRESS = file([
  "it('has a mailbox of its own', () => {",
  "  cy.task('mailcap:mailbox').then(({ id, address }) => {",
  "    expect(address).to.contain('@');",
  "    cy.task('mailcap:messages', { mailbox: id }).should('have.length', 0);",
  '    // Let your app send a mail there, and read its code:',
  "    // cy.visit('/sign-up');",
  `    // cy.get('[name=email]').type(\`\${address}{enter}\`);`,
  `    // cy.task('mailcap:code', { mailbox: id }).then((code) => cy.get('[name=code]').type(\`\${code}{enter}\`));`,
  '  });',
  '});',
]);

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function file(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
