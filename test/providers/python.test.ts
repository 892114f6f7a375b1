import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { python } from '../clients/programs.ts';
import { test } from '../support/mailcap.ts';
import { BY_DAY } from '../support/night.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { detailOf, messagesOf } from './support.ts';

const exec = promisify(execFile);
const BACKENDS = ['resend', 'sendgrid', 'postmark', 'mailgun', 'amazon_ses', 'brevo', 'mailersend', 'mailtrap'];

unless(test, BY_DAY ?? lacking('python3'))(
  'the SDKs of PyPI and the backends of django-anymail send to mailcap',
  { timeout: 300_000 },
  async ({ mailcap, mailbox }) => {
    const script = join(import.meta.dirname, 'python.py');
    const domain = mailbox.address().split('@')[1] ?? '';
    const { stdout } = await exec(await python(), [script, `${mailcap.url}/providers`, domain]);
    expect(stdout.trim().split('\n')).toHaveLength(5);
    const mails = await messagesOf(mailcap, mailbox.id);
    const subjects = mails.map(({ subject }) => subject);
    expect([...subjects].sort()).toEqual(
      ['resend', 'sendgrid', 'postmarker', 'boto3', 'boto3', ...BACKENDS.map((name) => `anymail ${name}`)].sort(),
    );
    for (const { id, subject } of mails.filter((one) => one.subject?.startsWith('anymail'))) {
      const mail = await detailOf(mailcap, mailbox.id, id);
      expect(mail, String(subject)).toMatchObject({
        replyTo: 'help@acme.test',
        facts: { codes: [{ code: '482913' }] },
      });
      expect(mail['attachments'], String(subject)).toMatchObject([{ filename: 'a.txt' }]);
      expect(mail.raw, String(subject)).toMatch(/^X-Custom: yes\r?$/im);
    }
  },
);
