import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseMail } from '../../src/mail/parse.ts';
import {
  type ReportFacts,
  readOriginalHeader,
  writeDeliveryReport,
  writeFeedbackReport,
} from '../../src/mail/reports.ts';
import { lacking } from '../support/programs.ts';

const HEADER =
  'From: app@mailcap.example.com\r\nTo: ada@x.test\r\nSubject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\nMessage-ID: <1@mailcap.example.com>\r\n';

const NOTICE: ReportFacts = {
  to: 'app@mailcap.example.com',
  messageId: '<report@mailcap.example.com>',
  date: Date.UTC(2026, 10, 20, 12, 0, 5),
  arrivedAt: Date.UTC(2026, 10, 20, 12),
  mailDomain: 'mailcap.example.com',
  originalHeader: Buffer.from(HEADER),
  originalMessageId: '<1@mailcap.example.com>',
};

const FAILED = [
  { address: 'ada@x.test', reply: '550 5.1.1 No such user: ada\r\nat all', remote: 'relay.test', permanent: true },
  { address: 'üser@xn--bcher-kva.test', reply: 'connect ECONNREFUSED', remote: null, permanent: false },
];

/** Reads a mail with Python's email library: the type of each part, and the field groups of a report. */
const PYTHON = `
import email, email.policy, json, sys
m = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
def fields(part):
    p = part.get_payload()
    return [[[k, str(v)] for k, v in g.items()] for g in p] if isinstance(p, list) else str(p)
print(json.dumps({
  'type': m.get_content_type(), 'report': m.get_param('report-type'), 'defects': [str(d) for d in m.defects],
  'headers': {k.lower(): str(v) for k, v in m.items()},
  'parts': [[p.get_content_type(), fields(p)] for p in m.iter_parts()],
}))`;

import { unless } from '../support/unless.ts';

interface Read {
  readonly type: string;
  readonly report: string;
  readonly defects: readonly string[];
  readonly headers: Record<string, string>;
  readonly parts: readonly (readonly [string, unknown])[];
}

function python(raw: Buffer): Read {
  return JSON.parse(execFileSync('python3', ['-c', PYTHON], { input: raw, encoding: 'utf8' })) as Read; // its output
}

const raw = (mail: Buffer) => mail.toString('latin1');

describe('delivery report (RFC 3464)', async () => {
  const report = await writeDeliveryReport(NOTICE, FAILED);

  unless(test, lacking('python3'))('Python reads its parts and a group of fields for each recipient', () => {
    const { type, report: kind, defects, headers, parts } = python(report);
    expect([type, kind, defects]).toEqual(['multipart/report', 'delivery-status', []]);
    expect(headers).toMatchObject({ 'auto-submitted': 'auto-replied', 'in-reply-to': '<1@mailcap.example.com>' });
    expect(parts.map(([part]) => part)).toEqual(['text/plain', 'message/delivery-status', 'text/rfc822-headers']);
    expect(parts[1]?.[1]).toEqual([
      [
        ['Reporting-MTA', 'dns; mailcap.example.com'],
        ['Arrival-Date', 'Fri, 20 Nov 2026 12:00:00 +0000'],
      ],
      [
        ['Final-Recipient', 'rfc822; ada@x.test'],
        ['Action', 'failed'],
        ['Status', '5.1.1'],
        ['Remote-MTA', 'dns; relay.test'],
        ['Diagnostic-Code', 'smtp; 550 5.1.1 No such user: ada at all'],
        ['Last-Attempt-Date', 'Fri, 20 Nov 2026 12:00:05 +0000'],
      ],
      [
        ['Final-Recipient', 'utf-8; \\x{FC}ser@xn--bcher-kva.test'],
        ['Action', 'failed'],
        ['Status', '4.4.7'],
        ['Diagnostic-Code', 'x-mailcap; connect ECONNREFUSED'],
        ['Last-Attempt-Date', 'Fri, 20 Nov 2026 12:00:05 +0000'],
      ],
    ]);
  });

  test('the text for humans is read, and the status is attached', async () => {
    const { mail, contents } = await parseMail(report);
    expect(mail.parseError).toBeNull();
    expect(mail.subject).toBe('Delivery failed: ada@x.test, üser@xn--bcher-kva.test');
    expect(mail.textBody).toContain('550 5.1.1 No such user');
    const types = mail.attachments.map(({ contentType }) => contentType);
    expect(types).toEqual(['message/delivery-status', 'text/rfc822-headers']);
    expect(contents[0]?.toString()).toContain('Final-Recipient: rfc822; ada@x.test');
    expect(mail.from).toBe('Mail Delivery System <mailer-daemon@mailcap.example.com>');
  });

  test('it contains the header of the original unchanged, lines end with CRLF, and none is over 998', () => {
    expect(raw(report)).toContain(HEADER);
    expect(raw(report).replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(
      Math.max(
        ...raw(report)
          .split('\r\n')
          .map((line) => line.length),
      ),
    ).toBeLessThan(998);
  });

  unless(test, lacking('python3'))('any answer of a server becomes one line of a field', async () => {
    const reply = `550 5.7.1 ${'long '.repeat(500)}\r\n\r\nAction: delivered\r\nü\0`;
    const hostile = await writeDeliveryReport(NOTICE, [{ address: 'a@x.test', reply, remote: 'r', permanent: true }]);
    const groups = python(hostile).parts[1]?.[1] as string[][][];
    expect(groups).toHaveLength(2);
    expect(groups[1]?.filter(([name]) => name === 'Action')).toEqual([['Action', 'failed']]);
  });
});

describe('feedback report (RFC 5965)', async () => {
  const complaint = { recipient: 'ada@x.test', sender: 'app@mailcap.example.com', version: '1.2.3' };
  const report = await writeFeedbackReport(NOTICE, complaint);

  unless(test, lacking('python3'))('Python reads its parts and fields', () => {
    const { type, report: kind, defects, parts } = python(report);
    expect([type, kind, defects]).toEqual(['multipart/report', 'feedback-report', []]);
    expect(parts.map(([part]) => part)).toEqual(['text/plain', 'message/feedback-report', 'text/rfc822-headers']);
    const text = JSON.stringify(parts[1]?.[1]);
    for (const field of [
      ['Feedback-Type', 'abuse'],
      ['User-Agent', 'mailcap/1.2.3'],
      ['Version', '1'],
      ['Original-Mail-From', '<app@mailcap.example.com>'],
      ['Original-Rcpt-To', '<ada@x.test>'],
      ['Reported-Domain', 'mailcap.example.com'],
    ]) {
      expect(text).toContain(JSON.stringify(field));
    }
  });

  test('mailparser reads it', async () => {
    const { mail } = await parseMail(report);
    expect([mail.parseError, mail.subject]).toEqual([null, 'Complaint: ada@x.test']);
    expect(mail.textBody).toContain('ada@x.test marked it as unwanted');
  });
});

describe('the header of the mail that a report is about', () => {
  async function* pieces(text: string, size: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
  }

  test.each([1, 7, 10_000])('is read from pieces of %i bytes, without the body', async (size) => {
    const read = await readOriginalHeader(pieces(`${HEADER}\r\nbody\r\n`, size));
    expect([raw(read.block), read.messageId]).toEqual([HEADER, '<1@mailcap.example.com>']);
  });
});
