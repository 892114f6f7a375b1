import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AddressObject, type ParsedMail, simpleParser } from 'mailparser';
import { describe, expect } from 'vitest';
import { comparableAddress } from '../src/domain/address.ts';
import { parseMail } from '../src/mail/parse.ts';
import { scanMail } from '../src/mail/scan.ts';
import { json, type Summary } from './http/support.ts';
import { Wire } from './smtp/wire.ts';
import { test } from './support/mailcap.ts';

const CORPUS = join(import.meta.dirname, 'corpus');
const FILES = ['enmime', 'ruby-mail'].flatMap((folder) =>
  readdirSync(join(CORPUS, folder))
    .filter((name) => /\.(eml|raw)$/.test(name))
    .map((name) => ({ name, bytes: readFileSync(join(CORPUS, folder, name)) })),
);

/** Returns the bytes as a mail client sends them: every line ends with CRLF, including the last one. */
function asSent(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replace(/\r?\n/g, '\r\n');
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, 'latin1');
}

function dotStuffed(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/^\./gm, '..'), 'latin1');
}

const STATUS = 'mailparser takes a delivery status for text (RFC 8621 4.1.4: attachment)';
const NAMED = 'mailparser takes a text with a name behind the first part for text (RFC 8621 4.1.4: attachment)';
const NO_COMMA = 'mailparser reads the first of two names without a comma between them';
const GUESSED = 'mailparser shows U+FFFD for bytes beyond ASCII in a part without a charset';
const REPORT = { text: STATUS, html: STATUS, files: STATUS };

// Mails for which mailparser alone is wrong, or returns the same result in another form.
const DIFFERS: Record<string, Partial<Record<keyof Told, string>>> = {
  'dsn__testdata__delayed_dsn.raw': { text: STATUS, files: STATUS },
  'dsn__testdata__dsn_with_multipart_alternative.raw': REPORT,
  'dsn__testdata__multi_recipient_dsn.raw': { text: STATUS, files: STATUS },
  'dsn__testdata__simple_dsn.raw': { text: STATUS, files: STATUS },
  'dsn__testdata__simple_dsn_with_html.raw': REPORT,
  'mime_emails__raw_email_with_mimepart_without_content_type.eml': { text: STATUS, files: STATUS },
  'multipart_report_emails__multi_address_bounce1.eml': { text: STATUS, files: STATUS },
  'multipart_report_emails__multi_address_bounce2.eml': { text: STATUS, files: STATUS },
  'multipart_report_emails__multipart_report_multiple_status.eml': { text: STATUS, files: STATUS },
  'multipart_report_emails__report_422.eml': { text: STATUS, files: STATUS },
  'multipart_report_emails__report_530.eml': { text: STATUS, files: STATUS },
  'error_emails__missing_body.eml': { toAndCc: 'mailparser keeps the semicolon of what is no address' },
  'plain_emails__raw_email_multiple_from.eml': { from: NO_COMMA, toAndCc: NO_COMMA },
  'error_emails__invalid_subject_characters.eml': { subject: 'Latin-1 bytes: mailparser shows U+FFFD' },
  'mime_emails__raw_email_with_binary_encoded.eml': {
    subject: 'mailparser takes the first of two (RFC 8621 4.1.2: last)',
  },
  'mime_emails__raw_email_with_nested_attachment.eml': {
    text: 'mailparser keeps an empty line that is space-stuffed at the end of a flowed text',
  },
  'mime_emails__raw_email_with_multipart_mixed_quoted_boundary.eml': {
    subject: 'mailparser takes the first of two (RFC 8621 4.1.2: last)',
  },
  'rfc2822__example11.eml': { toAndCc: 'mailparser reads no white space around a dot of a domain (RFC 5322 4.4)' },
  'rfc2822__example13.eml': { from: 'mailparser takes `From  :` for an mbox separator (RFC 2822 A.6.3)' },
  'testdata__mail__erroneous.raw': { text: 'mailparser takes text without a header for a header' },
  'testdata__mail__inlinemultipart.raw': { text: NAMED, files: NAMED },
  'testdata__mail__malformed-multiple-address-header-values.raw': { from: NO_COMMA, text: NAMED, files: NAMED },
  'testdata__mail__mime-bad-content-type.raw': { files: 'mailparser takes the name for a part of the type' },
  'testdata__mail__mime-blank-media-name.raw': { files: 'mailparser takes the name for a part of the type' },
  'testdata__mail__non-mime-missing-charset.raw': { html: 'mailparser does not look for <meta charset>' },
  'testdata__mail__qp-utf8-header-no-break.raw': {
    text: 'mailparser waits for an empty line before the first boundary',
  },
  'testdata__parts__empty-ctype-bad-content.raw': {
    text: 'mailparser has an attachment where a type is no type (RFC 2045 5.2: text)',
    files: 'mailparser has an attachment where a type is no type (RFC 2045 5.2: text)',
  },
  'testdata__parts__chardet-fail.raw': { text: GUESSED },
  'testdata__parts__chardet-success-big-5.raw': { text: GUESSED },
  'testdata__parts__chardet-success-iso-8859-1.raw': { text: GUESSED },
  'testdata__parts__nestedmulti.raw': { text: NAMED, files: NAMED },
  'testdata__mail__multipart-wo-boundary.raw': { text: 'mailparser drops what no boundary divides' },
  'testdata__parts__similar-boundary.raw': { html: 'mailparser adds a line break for the text' },
};

/** The values that are compared. */
interface Told {
  readonly subject: string | null;
  readonly from: readonly string[];
  readonly toAndCc: readonly string[];
  readonly text: string | null;
  readonly html: string | null;
  readonly files: readonly { name: string | null; type: string; sizeBytes: number; id: string | null }[];
}

async function byMailparser(raw: Buffer): Promise<Told> {
  const options = { skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true, skipImageLinks: true };
  const mail: ParsedMail = await simpleParser(raw, options);
  return {
    subject: mail.subject || null,
    from: addresses(mail.from),
    toAndCc: [...new Set([...addresses(mail.to), ...addresses(mail.cc)])],
    text: mail.text || null,
    html: mail.html || null,
    files: mail.attachments.map((file) => ({
      name: file.filename || null,
      type: file.contentType,
      sizeBytes: file.content.length,
      id: file.cid || null,
    })),
  };
}

function addresses(given: AddressObject | AddressObject[] | undefined): string[] {
  const entries = [given ?? []].flat().flatMap(({ value }) => value.flatMap(({ group, ...one }) => group ?? [one]));
  return entries.flatMap(({ address }) => (address ? [comparableAddress(address)] : []));
}

const parses = new Map<string, ReturnType<typeof parseMail>>();

/** Parses a mail once for all tests of it. */
function parsed(raw: Buffer): ReturnType<typeof parseMail> {
  const text = raw.toString('latin1');
  const parse = parses.get(text) ?? parseMail(raw);
  parses.set(text, parse);
  return parse;
}

async function byMailcap(raw: Buffer): Promise<Told> {
  const { mail } = await parsed(raw);
  expect(mail.parseError).toBeNull();
  const from = await parseMail(Buffer.from(`To: ${mail.from ?? ''}\r\n\r\n`));
  return {
    subject: mail.subject,
    from: from.mail.toAndCc,
    toAndCc: mail.toAndCc,
    text: mail.textBody,
    html: mail.htmlBody,
    files: mail.attachments.map(({ filename, contentType, sizeBytes, contentId }) => ({
      name: filename,
      type: contentType ?? '',
      sizeBytes,
      id: contentId,
    })),
  };
}

/** Removes control characters, and white space at both ends, from header texts. */
function shown(told: Told): Told {
  const clean = (text: string | null) => text?.replace(/[\p{Cc}\u2028\u2029]/gu, ' ').trim() || null;
  return {
    ...told,
    subject: clean(told.subject),
    files: told.files.map((file) => ({ ...file, name: clean(file.name) })),
  };
}

test('the corpus is there', () => {
  expect(FILES).toHaveLength(195);
});

describe.each([
  ['as it is', (bytes: Buffer) => bytes],
  ['as sent', asSent],
])('%s', (_how, prepared) => {
  test.each(FILES)('$name: what is read agrees with mailparser alone', async ({ name, bytes }) => {
    const raw = prepared(bytes);
    const [told, alone] = [await byMailcap(raw), shown(await byMailparser(raw))];
    const differs = DIFFERS[name] ?? {};
    for (const key of Object.keys(told) as (keyof Told)[]) {
      if (differs[key] === undefined) expect(told[key], key).toEqual(alone[key]);
      else expect(told[key], `${key}: ${differs[key]}`).not.toEqual(alone[key]);
    }
  });

  test.each(FILES)('$name: the scan agrees with the parse', async ({ bytes }) => {
    const raw = prepared(bytes);
    const { mail } = await parsed(raw);
    const { from, to, cc, subject } = mail;
    expect(scanMail(raw)).toMatchObject({
      sizeBytes: raw.length,
      attachmentCount: mail.attachments.length,
      from,
      to,
      cc,
      subject,
      limit: null,
    });
  });
});

interface Detail extends Summary {
  readonly textBody: string | null;
  readonly htmlBody: string | null;
  readonly headersJson: string;
  readonly attachments: readonly { readonly id: string; readonly sizeBytes: number }[];
}

test('every file goes in by SMTP, comes back byte for byte, and is listed and got without an error', async ({
  mailcap,
  mailbox,
}) => {
  const wire = await Wire.hello(mailcap.smtp.port);
  for (const { name, bytes } of FILES) {
    const raw = asSent(bytes);
    // The client's last CRLF is also the first half of the end of data.
    const content = dotStuffed(raw).subarray(0, -2);
    expect(await wire.mail(mailbox.address(), content), name).toMatch(/^250 /);
  }
  wire.close();

  const list = await json<Summary[]>(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages?limit=200`));
  expect(list).toHaveLength(FILES.length);
  for (const [index, summary] of list.reverse().entries()) {
    const { name, bytes } = FILES[index] ?? { name: '', bytes: Buffer.alloc(0) };
    const raw = await mailcap.api(`/_mailcap/messages/${summary.id}/raw`);
    expect(Buffer.from(await raw.arrayBuffer()).equals(asSent(bytes)), name).toBe(true);

    const response = await mailcap.api(`/v1/mailboxes/${mailbox.id}/messages/${summary.id}`);
    expect(response.status, name).toBe(200);
    const detail = await json<Detail>(response);
    const told = await byMailcap(asSent(bytes));
    expect(detail, name).toMatchObject({
      id: summary.id,
      subject: told.subject,
      textBody: told.text,
      htmlBody: told.html,
    });
    expect(summary.attachmentCount, name).toBe(told.files.length);
    expect(JSON.parse(detail.headersJson), name).toBeTypeOf('object');
    for (const { id, sizeBytes } of detail.attachments) {
      const file = await mailcap.api(`/_mailcap/messages/${summary.id}/attachments/${id}`);
      expect((await file.arrayBuffer()).byteLength, name).toBe(sizeBytes);
    }
  }
});
