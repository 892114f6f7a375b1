import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { goSdks, javaSdks, pythonSdks } from '../clients/programs.ts';
import { type TestServer, test } from '../support/mailcap.ts';
import { BY_DAY } from '../support/night.ts';
import { has, lacking, runs } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { detailOf, messagesOf } from './support.ts';

// The SDKs of providers in other languages, unchanged but for their address. Each call prints a line: its name, and what
// the SDK reads of a refusal.

const exec = promisify(execFile);
const HERE = join(import.meta.dirname, 'sdks');

let phones = 0;

/** Runs a program. The mails of some SDKs can't have header fields of their own. */
const run = async (mailcap: TestServer, command: readonly string[], withoutHeaders: readonly string[] = []) => {
  const client = createClient({ baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId });
  const phone = `+1202555${1_000 + phones++}`;
  const mailbox = await client.mailbox({ phones: [phone] });
  const base = `${mailcap.url}/providers`;
  const env = {
    ...process.env,
    RESEND_BASE_URL: `${base}/resend/`,
    AWS_ENDPOINT_URL_SES: `${base}/ses`,
    AWS_ENDPOINT_URL_SESV2: `${base}/ses`,
    AWS_ENDPOINT_URL_SNS: `${base}/sns`,
  };
  const domain = mailbox.address.split('@')[1] ?? '';
  const [program = '', ...args] = command;
  const { stdout } = await exec(program, [...args, base, domain, phone], { env, timeout: 200_000 });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  const mails = await messagesOf(mailcap, mailbox.id);
  for (const { id, subject } of mails) {
    const mail = await detailOf(mailcap, mailbox.id, id);
    expect(mail, String(subject)).toMatchObject({
      replyTo: expect.stringMatching(/^help@acme\./),
      facts: { codes: [{ code: '482913' }] },
      attachments: [{ filename: 'a.txt', sizeBytes: 5 }],
    });
    if (!withoutHeaders.includes(String(subject))) expect(mail.raw, String(subject)).toMatch(/^X-Custom: yes\r?$/im);
  }
  const texts = await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages?kind=sms`);
  const { items } = (await texts.json()) as { items: { subject: null; preview: string }[] };
  await mailbox.delete();
  return {
    refusals: Object.fromEntries(lines),
    subjects: mails.map(({ subject }) => subject).sort(),
    texts: items.length,
  };
};

unless(test, BY_DAY ?? (has('go') ? null : 'go is not installed here'))(
  'the SDKs of Go send to mailcap, and read its refusals',
  { timeout: 600_000 },
  async ({ mailcap }) => {
    expect(await run(mailcap, [await goSdks()])).toEqual({
      refusals: {
        'resend-go': expect.stringContaining('Invalid `from` field'),
        'sendgrid-go': '400',
        keighl: expect.stringContaining('From'),
        mrz1836: expect.stringContaining('From'),
        'mailgun-go': '400',
        sesv2: 'true',
        ses: 'true',
        sns: 'true',
        twilio: '21211',
      },
      subjects: ['keighl', 'mailgun-go', 'mrz1836', 'resend-go', 'sendgrid-go', 'ses', 'sesv2'],
      texts: 3,
    });
  },
);

const NO_JAVA = has('mvn') && has('javac') ? null : 'Maven or a JDK is not installed here';

unless(test, BY_DAY ?? NO_JAVA)(
  'the SDKs of Java send to mailcap, and read its refusals',
  { timeout: 600_000 },
  async ({ mailcap }) => {
    expect(await run(mailcap, await javaSdks(), ['mailersend'])).toEqual({
      refusals: {
        'resend-java': 'invalid_from_address',
        'sendgrid-java': '400',
        postmark: expect.stringContaining('From'),
        mailgun: '400',
        mailersend: expect.stringContaining('from.email'),
        brevo: expect.stringContaining('sender.email'),
        mailtrap: expect.stringContaining('from.email'),
        sesv2: 'NotFoundException',
        ses: 'TemplateDoesNotExist',
        sns: 'InvalidParameter',
        twilio: '21211',
        vonage: 'INVALID_PARAMS',
      },
      subjects: [
        'brevo',
        'mailersend',
        'mailgun',
        'mailtrap',
        'postmark',
        'resend-java',
        'sendgrid-java',
        'ses',
        'sesv2',
      ],
      texts: 4,
    });
  },
);

unless(test, BY_DAY ?? lacking('python3'))(
  'the SDKs of PyPI send to mailcap, and read its refusals',
  { timeout: 600_000 },
  async ({ mailcap }) => {
    expect(await run(mailcap, [await pythonSdks(), join(HERE, 'sdks.py')])).toEqual({
      refusals: {
        mailersend: expect.stringContaining('subject'),
        brevo: 'BadRequestError 400',
        sib: expect.stringMatching(/^400 .*sender\.email/),
        mailtrap: expect.stringContaining('from.email'),
        twilio: '21211',
        vonage: expect.stringContaining('error code 3'),
        sns: 'InvalidParameter',
      },
      subjects: ['brevo', 'mailersend', 'mailersend bulk', 'mailtrap', 'sib_api_v3_sdk'],
      texts: 4,
    });
  },
);

const SYMFONY = "require 'Symfony/Component/Notifier/Bridge/Twilio/autoload.php'; require 'AsyncAws/Ses/autoload.php';";
const NO_SYMFONY = runs('php', ['-r', SYMFONY]) ? null : 'the bridges of Symfony are not installed here';

unless(test, BY_DAY ?? lacking('php') ?? NO_SYMFONY)(
  'the bridges of Symfony send to mailcap, and read its refusals',
  { timeout: 600_000 },
  async ({ mailcap }) => {
    const names = ['brevo', 'mailgun', 'mailgun mime', 'postmark', 'sendgrid', 'ses', 'ses raw'];
    expect(await run(mailcap, ['php', '-d', 'error_reporting=0', join(HERE, 'sdks.php')])).toEqual({
      refusals: {
        ...Object.fromEntries(names.map((name) => [name, 'sent'])),
        twilio: expect.stringContaining('errors/21211'),
      },
      subjects: names,
      texts: 1,
    });
  },
);
