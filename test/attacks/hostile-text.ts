import { once } from 'node:events';
import { request } from 'node:http';
import { createTransport } from 'nodemailer';

/** What a stranger writes to steer a CI runner, a terminal or a reader: commands, escapes and bidi controls. */
export const HOSTILE = [
  '::error title=a::one',
  '::stop-commands::two\r  ::set-output name=a::three',
  '\t::add-mask::4',
  '\u200d::warning::five',
  '##[error]six #\u200b#[group]seven ##vso[task.setvariable variable=a]eight',
  "##teamcity[buildStop comment='nine']",
  '\u001b[31mred\u001b[2J \u009b2J \u202egnp.exe \u2066a',
].join('\r\n');

/** The same without line breaks, for a place where there can be none. */
const LINE = HOSTILE.replace(/[\r\n]+/g, ' ');

const word = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;

/** Returns a mail with the hostile text in its headers, both bodies, a link and the name of an attachment. */
function hostileMail(to: string): string {
  const html = `<h1>${HOSTILE}</h1><a href="https://shop.test/##[error]?a=::b">${HOSTILE}</a><p>Your code is 481516</p>`;
  return [
    `From: ${word(HOSTILE)} <app@shop.test>`,
    `To: ${word(HOSTILE)} <${to}>`,
    `Reply-To: ${word(LINE)} <app@shop.test>`,
    `Subject: ${word(HOSTILE)}`,
    `X-Hostile: ${word(HOSTILE)}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=a',
    '',
    '--a',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(`${HOSTILE}\r\nYour code is 481516. Your other code is 234815.\r\n`).toString('base64'),
    '--a',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(html).toString('base64'),
    '--a',
    `Content-Type: text/x; name="${word(LINE)}"`,
    `Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(HOSTILE).replaceAll("'", '%27')}`,
    '',
    'x',
    '--a--',
    '',
  ].join('\r\n');
}

/** Sends the hostile mail to an address by SMTP. */
export async function sendHostileMail(smtp: { readonly host: string; readonly port: number }, to: string) {
  const transport = createTransport({ ...smtp, ignoreTLS: true });
  await transport.sendMail({ envelope: { from: 'app@shop.test', to }, raw: hostileMail(to) });
  transport.close();
}

/** Sends a request with the hostile text in its path, query, headers and body to a webhook URL. */
export async function sendHostileRequest(url: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const path = `${pathname}/::error::a/##[group]?##vso[a]=::b&c=%0A::d`;
  const headers = { 'content-type': 'text/plain;##[error]', 'x-a': '::error::a ##[group]b', '##': '[c ##vso[d]' };
  const sent = request({ hostname, port, path, method: 'POST', headers }).end(HOSTILE);
  const [answer] = await once(sent, 'response');
  await once(answer.resume(), 'end');
}
