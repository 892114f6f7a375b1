import { describe, expect } from 'vitest';
import type { MessageFacts } from '../../src/client/index.ts';
import { test } from '../support/mailcap.ts';
import { json, mail, outcome, put, putMail, type Summary } from './support.ts';

const NOT_FOUND = { status: 404, body: { error: 'not_found' } };

function withAttachment(filename: string, type = 'text/html', content = '<script>alert(1)</script>'): string {
  return [
    'From: a@x.test',
    'To: b@x.test',
    'Subject: attached',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'see attached',
    '--b',
    `Content-Type: ${type}`,
    `Content-Disposition: attachment; filename="${filename}"`,
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(content).toString('base64'),
    '--b--',
    '',
  ].join('\r\n');
}

test('GET returns the data that is not in the bytes', async ({ mailcap, mailbox }) => {
  const { id, receivedAt, sizeBytes } = await putMail(mailcap, mailbox.id);
  expect(await json(mailcap.api(`/_mailcap/messages/${id}`))).toEqual({
    id,
    mailboxId: mailbox.id,
    workspaceId: mailcap.workspaceId,
    source: 'api',
    provider: null,
    envelope: { mailFrom: '', rcptTo: [] },
    helo: null,
    user: null,
    tls: null,
    clientAddress: expect.stringMatching(/127\.0\.0\.1$/),
    clientPort: expect.any(Number),
    transcript: [],
    receivedAt,
    sizeBytes,
    threadId: expect.stringMatching(/^[0-9a-f]{16}$/),
    parseError: null,
    ...{ kind: 'email', segments: null, encoding: null, read: false, starred: false, tags: [] },
    codes: [],
    links: [],
    findError: null,
    why: { code: { candidates: [], hint: null }, link: { candidates: [], hint: null } },
  });
});

test('GET returns the codes and the links of a mail, each with its reason', async ({ mailcap, mailbox }) => {
  const html = '<p>Your code: <b>481 516</b></p><a href="https://app.test/verify?a=1&amp;b=2">Verify</a>';
  const raw = mail({ Subject: 'Your code', 'Content-Type': 'text/html' }, html);
  const { id } = await json<Summary>(put(mailcap, mailbox.id, raw));
  const expected = {
    codes: [
      {
        code: '481516',
        written: '481 516',
        reason: 'after "code", bold',
        confidence: 'high',
        rank: 1,
        ambiguous: false,
      },
    ],
    links: [
      {
        url: 'https://app.test/verify?a=1&b=2',
        text: 'Verify',
        kind: 'verify',
        reason: 'its text says "verify", its address says "verify"',
        rank: 1,
        ambiguous: false,
        part: 'html',
        form: null,
        tracker: null,
      },
    ],
  };
  expect(await json(mailcap.api(`/_mailcap/messages/${id}`))).toMatchObject(expected);
  expect(await json(mailcap.api(`/_mailcap/messages/${id}`))).toMatchObject(expected);
});

test('GET says why a code was chosen and other texts were not, and what to write if none is likely', async ({
  mailcap,
  mailbox,
}) => {
  const why = async (subject: string, body: string) => {
    const { id } = await json<Summary>(put(mailcap, mailbox.id, mail({ Subject: subject }, body)));
    return (await json<MessageFacts>(mailcap.api(`/_mailcap/messages/${id}`))).why;
  };
  const one = await why('Sign in', 'Your code is 481516.\nOrder number: 99127743\nhttps://app.test/verify?t=abc123');
  expect(one).toEqual({
    code: {
      candidates: [
        { value: '481516', kind: null, verdict: 'chosen', reason: 'after "code"' },
        { value: '99127743', kind: null, verdict: 'no', reason: expect.stringContaining('order number') },
      ],
      hint: null,
    },
    link: {
      candidates: [
        { value: 'https://app.test/verify?t=abc123', kind: 'verify', verdict: 'chosen', reason: expect.any(String) },
      ],
      hint: null,
    },
  });
  const { code } = await why('Your code', 'Your code is 481516.\nYour code is AB12-CD34.');
  expect(code.candidates.map(({ value, verdict }) => [value, verdict])).toEqual([
    ['AB12-CD34', 'unsure'],
    ['481516', 'unsure'],
  ]);
  expect(code.hint).toContain('If 481516 is the code: code({ pattern: /^\\d{6}$/ }).');
});

describe('raw', () => {
  test('is the exact bytes, harmless in a browser', async ({ mailcap, mailbox }) => {
    const bytes = Buffer.from(mail({}, `bare\nlf\rcr\u0000 ${'ü'.repeat(300_000)}`));
    const { id } = await json<Summary>(put(mailcap, mailbox.id, bytes));
    const response = await mailcap.api(`/_mailcap/messages/${id}/raw`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'message/rfc822',
      'content-length': String(bytes.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('HEAD returns its length and no byte of it', async ({ mailcap, mailbox }) => {
    const { id, sizeBytes } = await putMail(mailcap, mailbox.id);
    const response = await mailcap.api(`/_mailcap/messages/${id}/raw`, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      String(sizeBytes),
      '',
    ]);
  });
});

describe('attachments', () => {
  async function attachmentOf(server: Parameters<typeof put>[0], mailboxId: string, raw: string) {
    const { id } = await json<Summary>(put(server, mailboxId, raw));
    const detail = await json<{ attachments: { id: string }[] }>(
      server.api(`/v1/mailboxes/${mailboxId}/messages/${id}`),
    );
    return server.api(`/_mailcap/messages/${id}/attachments/${detail.attachments[0]?.id}`);
  }

  test('are downloads, never pages of ours', async ({ mailcap, mailbox }) => {
    const response = await attachmentOf(mailcap, mailbox.id, withAttachment('report.html'));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': 'attachment; filename="report.html"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    });
    expect(await response.text()).toBe('<script>alert(1)</script>');
  });

  test('a hostile file name stays a name', async ({ mailcap, mailbox }) => {
    const response = await attachmentOf(mailcap, mailbox.id, withAttachment('../../x\\y/passwd'));
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="passwd"');
  });

  test('an empty attachment has no bytes', async ({ mailcap, mailbox }) => {
    const response = await attachmentOf(mailcap, mailbox.id, withAttachment('empty.bin', 'application/x-none', ''));
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test.for(['99', '-1', 'x', '__proto__', '%2e%2e'])('%s is 404', async (attachmentId, { mailcap, mailbox }) => {
    const { id } = await putMail(mailcap, mailbox.id);
    expect(await outcome(mailcap.api(`/_mailcap/messages/${id}/attachments/${attachmentId}`))).toEqual(NOT_FOUND);
  });
});

test('DELETE removes one message from every answer', async ({ mailcap, mailbox }) => {
  const { id } = await putMail(mailcap, mailbox.id);
  const kept = await putMail(mailcap, mailbox.id);
  await mailcap.api(`/v1/mailboxes/${mailbox.id}/messages/${id}`);
  expect((await mailcap.api(`/_mailcap/messages/${id}`, { method: 'DELETE' })).status).toBe(204);
  for (const path of [
    `/v1/mailboxes/${mailbox.id}/messages/${id}`,
    `/_mailcap/messages/${id}`,
    `/_mailcap/messages/${id}/raw`,
  ]) {
    expect(await outcome(mailcap.api(path))).toEqual(NOT_FOUND);
  }
  const left = await json<Summary[]>(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages`));
  expect(left.map(({ id }) => id)).toEqual([kept.id]);
  expect(await outcome(mailcap.api(`/_mailcap/messages/${id}`, { method: 'DELETE' }))).toEqual(NOT_FOUND);
});

/** A mail with a text and an attached file or mail. */
function holding(subject: string, type: string, content: string): string {
  const boundary = `b-${subject}`;
  return [
    `Subject: ${subject}`,
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    '',
    `text of ${subject}`,
    `--${boundary}`,
    `Content-Type: ${type}; name="in ${subject}"`,
    '',
    content,
    `--${boundary}--`,
    '',
  ].join('\r\n');
}

describe('an attached mail', () => {
  test('is read as a mail of its own, and so are its attachments', async ({ mailcap, mailbox }) => {
    const innermost = holding('three', 'application/pdf', 'pdf');
    const raw = holding('one', 'message/rfc822', holding('two', 'message/rfc822', innermost));
    const { id } = await json<{ id: string }>(put(mailcap, mailbox.id, raw));
    const attachments = `/_mailcap/messages/${id}/attachments`;
    const detail = await json<{ textBody: string; attachments: { id: string; filename: string }[] }>(
      mailcap.api(`/_mailcap/messages/${id}/content`),
    );
    expect(detail).toMatchObject({ textBody: 'text of one', attachments: [{ filename: 'in one' }] });
    const two = detail.attachments[0]?.id ?? '';
    expect(await json(mailcap.api(`${attachments}/${two}/message`))).toEqual({
      ...{ from: null, to: null, cc: null, bcc: null, replyTo: null, subject: 'two', textBody: 'text of two' },
      ...{ htmlBody: null, headersJson: expect.stringContaining('"subject":"two"'), parseError: null },
      ...{ codes: [], links: [], findError: null },
      why: { code: { candidates: [], hint: null }, link: { candidates: [], hint: null } },
      attachments: [
        {
          ...{ id: `${two}.0`, filename: 'in two', contentType: 'message/rfc822', contentId: null, isInline: false },
          ...{ sizeBytes: innermost.length, virusScanStatus: 0 },
        },
      ],
    });
    const three = await json(mailcap.api(`${attachments}/${two}.0/message`));
    expect(three).toMatchObject({ subject: 'three', attachments: [{ id: `${two}.0.0`, filename: 'in three' }] });
    const pdf = await mailcap.api(`${attachments}/${two}.0.0`);
    expect([pdf.headers.get('content-type'), await pdf.text()]).toEqual(['application/pdf', 'pdf']);
    for (const none of ['.1/message', '.0.0/message', '.0.0.0', '.00', '.-1', '.', '.0.', '..0']) {
      expect(await outcome(mailcap.api(`${attachments}/${two}${none}`)), none).toEqual(NOT_FOUND);
    }
  });

  test('is read through at most ten mails within one another', async ({ mailcap, mailbox }) => {
    let raw = holding('file', 'application/pdf', 'pdf');
    for (let level = 0; level < 20; level++) raw = holding(`level ${level}`, 'message/rfc822', raw);
    const { id } = await json<{ id: string }>(put(mailcap, mailbox.id, raw));
    const attachments = `/_mailcap/messages/${id}/attachments`;
    const detail = await json<{ attachments: { id: string }[] }>(mailcap.api(`/_mailcap/messages/${id}/content`));
    const first = detail.attachments[0]?.id ?? '';
    const deepest = await json(mailcap.api(`${attachments}/${first}${'.0'.repeat(10)}/message`));
    expect(deepest).toMatchObject({ subject: 'level 8', parseError: null });
    expect(await outcome(mailcap.api(`${attachments}/${first}${'.0'.repeat(11)}/message`))).toEqual(NOT_FOUND);
  });
});
