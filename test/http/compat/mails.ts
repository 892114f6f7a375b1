import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Wire } from '../../smtp/wire.ts';

const CORPUS = join(import.meta.dirname, '..', '..', 'corpus');

/** A mail with the envelope in which every server gets it. */
export interface Sent {
  readonly name: string;
  readonly mailFrom: string;
  readonly rcptTo: readonly string[];
  readonly bytes: Buffer;
}

const FILES = [
  'enmime/testdata__mail__attachment.raw',
  'enmime/testdata__mail__html-mime-inline.raw',
  'enmime/testdata__mail__mime-alternative.raw',
  'enmime/testdata__mail__mime-mixed.raw',
  'enmime/testdata__mail__non-mime.raw',
  'enmime/testdata__mail__qp-utf8-header.raw',
  'enmime/testdata__mail__quoted-printable.raw',
  'enmime/testdata__parts__nestedmulti.raw',
  'ruby-mail/attachment_emails__attachment_pdf_lf.eml',
  'ruby-mail/attachment_emails__attachment_nonascii_filename.eml',
  'ruby-mail/mime_emails__raw_email7.eml',
  'ruby-mail/multi_charset__japanese.eml',
  'ruby-mail/plain_emails__basic_email.eml',
  'ruby-mail/plain_emails__raw_email_reply.eml',
  'ruby-mail/rfc2822__example02.eml',
  'ruby-mail/rfc6532__utf8_headers.eml',
];

const TEMPLATES = ['react-email-code.html', 'mjml-newsletter.html'];

/** The number of mails with which mailcap and the real servers are compared at night. */
const MANY = 200;

/** Real mails of the corpora, for the comparison with servers that are there: some of each, in the same order always. */
export function manyMails(): readonly Sent[] {
  const names = ['enmime', 'ruby-mail', 'reports'].flatMap((folder) =>
    readdirSync(join(CORPUS, folder))
      .filter((name) => /\.(?:eml|raw)$/.test(name))
      .sort()
      .map((name) => `${folder}/${name}`),
  );
  const step = Math.max(1, names.length / MANY);
  const chosen = names.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)).slice(0, MANY);
  return chosen.map((name, at) => sent(name, at, readFileSync(join(CORPUS, name), 'latin1')));
}

/** The mails that the recorded servers were sent, in this order. */
export const MAILS: readonly Sent[] = [
  ...FILES.map((name, at) => sent(name, at, readFileSync(join(CORPUS, name), 'latin1'))),
  ...TEMPLATES.map((name, at) => sent(name, FILES.length + at, fromTemplate(name))),
];

function sent(name: string, at: number, text: string): Sent {
  const lines = text.replace(/\r?\n/g, '\r\n');
  return {
    name,
    mailFrom: `bounces+${at}@sender.test`,
    rcptTo: [`user${at}@inbox.test`, 'hidden@inbox.test'],
    bytes: Buffer.from(lines.endsWith('\r\n') ? lines : `${lines}\r\n`, 'latin1'),
  };
}

/** Writes a mail as an app would send the template: text and HTML, with a sender, a copy and an address for replies. */
function fromTemplate(name: string): string {
  const html = readFileSync(join(CORPUS, 'templates', name)).toString('base64');
  return [
    'From: "Shop, Inc." <shop@sender.test>',
    'To: Ada Lovelace <ada@inbox.test>, grace@inbox.test',
    'Cc: =?UTF-8?Q?J=C3=BCrgen?= <juergen@inbox.test>',
    'Reply-To: help@sender.test',
    `Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_from_${name}?=`,
    `Message-ID: <${name}@sender.test>`,
    'Date: Fri, 20 Nov 2026 15:55:21 +0100',
    'List-Unsubscribe: <https://shop.test/u/1>, <mailto:leave@shop.test>',
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary="b0"',
    '',
    '--b0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Your code is 481516. =E2=9C=93',
    '--b0',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(html.match(/.{1,76}/g) ?? []),
    '--b0--',
    '',
  ].join('\r\n');
}

/** Sends the mails one after the other, so that their order is the same on every server. Rejects if one is refused. */
export async function sendAll(port: number, mails: readonly Sent[]): Promise<void> {
  const refused = (await offerAll(port, mails)).find(({ reply }) => !reply.startsWith('250'));
  if (refused !== undefined) throw new Error(`the mail ${refused.mail.name} got the reply ${refused.reply}`);
}

/** A mail, and what a server replied after its last line. */
interface Offered {
  readonly mail: Sent;
  readonly reply: string;
}

/** Sends the mails likewise and returns each with its reply: some servers refuse mail that they can't read. */
export async function offerAll(port: number, mails: readonly Sent[]): Promise<readonly Offered[]> {
  const offered: Offered[] = [];
  for (const mail of mails) {
    const { mailFrom, rcptTo, bytes } = mail;
    const wire = await Wire.hello(port);
    await expected(wire.say(`MAIL FROM:<${mailFrom}>`), '250');
    for (const recipient of rcptTo) await expected(wire.say(`RCPT TO:<${recipient}>`), '250');
    await expected(wire.say('DATA'), '354');
    wire.write(Buffer.from(bytes.toString('latin1').replace(/^\./gm, '..'), 'latin1'));
    offered.push({ mail, reply: await wire.say('.') });
    wire.socket.destroy();
  }
  return offered;
}

async function expected(reply: Promise<string>, code: string): Promise<void> {
  const line = await reply;
  if (!line.startsWith(code)) throw new Error(`${code} was expected, and the server said ${line}`);
}
