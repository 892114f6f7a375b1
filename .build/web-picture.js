import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { createTransport } from 'nodemailer';
import { ulid } from 'ulid';

// This program creates ui/web/inbox.png: the web inbox in Chromium, with mail on a server of its own. It needs a build,
// and Chromium at CHROMIUM or at /usr/bin/chromium.

const BIN = fileURLToPath(new URL('../bin/mailcap.js', import.meta.url));
const OUT = fileURLToPath(new URL('../ui/web/inbox.png', import.meta.url));

const sheet = (title, rows) => `<!doctype html><body style="margin:0;background:#f4f4f7;font-family:Arial,sans-serif">
<table width="100%" cellpadding="0"><tr><td align="center" style="padding:40px 16px">
<table width="520" cellpadding="36" style="background:#fff;border-radius:10px;text-align:left"><tr><td>
<p style="margin:0 0 20px;font-weight:700;color:#0f766e">Northwind</p>
<h1 style="margin:0 0 12px;font-size:22px;color:#1f2937">${title}</h1>
<div style="font-size:15px;line-height:1.6;color:#4b5563">${rows}</div></td></tr></table></td></tr></table>`;
const NORTHWIND = 'Northwind <hello@northwind.example>';
const MAILS = [
  [NORTHWIND, 'Welcome, Ada', 'Hello Ada, welcome. Three things to begin with.'],
  ['Build <ci@build.example>', 'main is green again', '1,204 tests in 3 min 12 s, none of them flaky.'],
  ['Zoë Müller <zoe@example.de>', 'Grüße aus Köln', 'Ich bin am Donnerstag wieder da.'],
  ['Grace Hopper <grace@example.com>', 'Re: the bug in the log book', 'It was a moth.'],
  ['Northwind Billing <billing@northwind.example>', 'Your invoice 2026-118', 'Please find it attached.', 'invoice.pdf'],
  [NORTHWIND, 'Reset your password', 'Choose a new one: https://app.northwind.example/reset?token=Zm9vYmFy'],
  [
    NORTHWIND,
    'Ada, you were invited to Lovelace & Co.',
    'Grace invites you: https://app.northwind.example/invite/7f3a',
  ],
];
const CODE = sheet(
  'Your sign-in code',
  `Type it in the window that asked for it. It is good for ten minutes.
   <p style="margin:24px 0;font-size:36px;letter-spacing:6px;font-weight:700;color:#111827">481 516</p>
   <p>Or follow the link: <a href="https://app.northwind.example/verify?token=q7Xw2p" style="color:#0f766e">sign in</a>.</p>`,
);

const directory = mkdtempSync(join(tmpdir(), 'mailcap-picture-'));
const server = spawn(process.execPath, [BIN, 'dev', '--json', '--ephemeral', '--port', '0', '--smtp-port', '0'], {
  cwd: directory,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-background-networking'],
});

try {
  const line = await new Promise((resolve) => createInterface({ input: server.stdout }).once('line', resolve));
  const { url, smtpHost: host, smtpPort: port } = JSON.parse(line);
  const call = async (method, path, body) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? null : answer.json();
  };
  const transport = createTransport({ host, port, ignoreTLS: true });
  const to = 'ada@inbox.mailcap.example.com';
  for (const [from, subject, text, filename] of MAILS) {
    const attachments = filename === undefined ? [] : [{ filename, content: Buffer.alloc(48_213) }];
    await transport.sendMail({ from, to, subject, text, attachments });
  }
  const text = 'Your sign-in code is 481516. It is good for ten minutes.';
  await transport.sendMail({ from: NORTHWIND, to, subject: 'Your sign-in code', text, html: CODE });
  // A run of tests in the workspace of its worker, with the mailbox that each test used.
  const run = ulid();
  const name = 'playwright worker 0 (process 7 of 0123456789abcdef)';
  const worker = await call('POST', '/_mailcap/workspaces', { name });
  for (const [title, outcome] of [
    ['mails the receipt', 'failed'],
    ['mails a code', 'passed'],
  ]) {
    const { id } = await call('POST', `/_mailcap/workspaces/${worker.id}/mailboxes`, { name: title });
    await call('PUT', `/_mailcap/runs/${run}/tests/${ulid()}`, {
      ...{ runner: 'playwright', project: 'shop', file: 'tests/shop.spec.ts', attempt: 1, worker: '0', outcome },
      ...{ titles: [title], mailboxIds: [id] },
      ...{ startedAt: new Date().toISOString(), endedAt: new Date().toISOString() },
      ...(outcome === 'failed' && { error: 'WaitTimeoutError: no message came.' }),
    });
  }
  const page = await browser.newPage({ viewport: { width: 1_440, height: 780 }, colorScheme: 'light' });
  await page.goto(url);
  await page.getByRole('option', { name: /Your sign-in code/ }).click();
  await page.frameLocator('.view iframe').getByText('481 516').waitFor();
  await page.locator('.row .snippet-text').first().waitFor();
  await page.getByText('a test failed').waitFor();
  await page.mouse.move(1_000, 770);
  await page.screenshot({ path: OUT });
} finally {
  await browser.close();
  server.kill();
  rmSync(directory, { recursive: true, force: true });
}
