import { authenticateMail, type Verification } from '../mail/authenticate.ts';
import { parseMail } from '../mail/parse.ts';
import { type Checked, type CheckScope, checkMail } from './check-mail.ts';
import { readHeaderFields, readSource } from './read-source.ts';

/** The scope of a check, and the DNS records for the verification of signatures. */
export interface RawCheckOptions extends Verification, CheckScope {}

/** Parses a mail and checks it. It makes no request, and rejects only if something unexpected fails. */
export async function checkRaw(raw: Buffer, { clients, reach, ...verification }: RawCheckOptions): Promise<Checked> {
  const { mail } = await parseMail(raw);
  const fields = readHeaderFields(raw);
  const { subject, textBody: text, htmlBody: html, parseError } = mail;
  const source = readSource(raw, fields);
  const authentication = await authenticateMail(raw, verification);
  const checked = checkMail({ subject, text, html, fields, source, authentication }, { clients, reach });
  return parseError === null ? checked : { ...checked, notChecked: [parseError, ...checked.notChecked] };
}
