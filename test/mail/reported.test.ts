import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseMail } from '../../src/mail/parse.ts';
import { scanMail } from '../../src/mail/scan.ts';

const REPORTS = join(import.meta.dirname, '..', 'corpus', 'reports');

/** The right values of a mail, as far as its report states them. */
interface Expected {
  readonly file: string;
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
  readonly text_contains?: readonly string[];
  readonly html_contains?: readonly string[];
  readonly attachments?: readonly { readonly filename: string; readonly size?: number }[];
}

const EXPECTED = JSON.parse(readFileSync(join(REPORTS, 'expected.json'), 'utf8')) as readonly Expected[];

test('the reports are there', () => {
  expect(EXPECTED.length).toBeGreaterThan(70);
});

test.each(EXPECTED)('$file is read as the bug report expects', async ({ file, subject, from, to, ...expected }) => {
  const raw = readFileSync(join(REPORTS, file));
  const { mail } = await parseMail(raw);
  expect(mail.parseError).toBeNull();
  if (subject !== undefined) expect(mail.subject).toBe(subject);
  if (from !== undefined) expect(mail.from).toBe(from);
  if (to !== undefined) expect(mail.to).toBe(to);
  for (const text of expected.text_contains ?? []) expect(mail.textBody).toContain(text);
  for (const text of expected.html_contains ?? []) expect(mail.htmlBody).toContain(text);
  if (expected.attachments !== undefined) {
    const files = expected.attachments.map(({ filename, size }) => ({ filename, ...(size && { sizeBytes: size }) }));
    expect(mail.attachments).toMatchObject(files);
  }
  expect(scanMail(raw).attachmentCount).toBe(mail.attachments.length);
});
