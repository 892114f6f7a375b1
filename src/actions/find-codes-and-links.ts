import { setImmediate } from 'node:timers/promises';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import type { FoundCode } from '../extract/codes.ts';
import type { FoundLink } from '../extract/links.ts';

/** What a person would take from a mail: its codes and its links (contract 5). */
export interface Found {
  readonly codes: readonly FoundCode[];
  readonly links: readonly FoundLink[];
}

/** For whoever asks next. */
const known = new WeakMap<ParsedMail, Found>();

/** Of a large mail the first half mebibyte of each body is read, which keeps nobody waiting for long. */
export async function findCodesAndLinks(mail: ParsedMail): Promise<Found> {
  const kept = known.get(mail);
  if (kept !== undefined) return kept;
  // The HTML parser is not needed to start.
  const [{ findCodes }, { findLinks }] = await Promise.all([
    import('../extract/codes.ts'),
    import('../extract/links.ts'),
  ]);
  const { subject, textBody: text, htmlBody: html } = mail;
  const codes = findCodes({ subject, text, html });
  await setImmediate();
  const found = { codes, links: findLinks({ text, html }) };
  known.set(mail, found);
  return found;
}
