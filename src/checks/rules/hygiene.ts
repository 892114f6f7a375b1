import type { Reporter } from '../finding.ts';
import { type CheckedMail, fieldNamed, type HeaderField, type Lines, placeOfField, reportIn } from '../mail.ts';
import type { RuleId } from '../rules.ts';

/** The header fields that may occur only once (RFC 5322 3.6, RFC 2045). */
const ONCE = new Set(
  'date from sender reply-to to cc bcc message-id in-reply-to references subject mime-version content-type content-transfer-encoding'.split(
    ' ',
  ),
);
/** A date as in RFC 5322 3.3 and 4.3: day, month, year, time, zone. Comments are removed before the match. */
const DATE =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\s*(?:,\s*)?)?\d{1,2}\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\s+\d{2,4}\s+\d{1,2}:\d{2}(?::\d{2})?(?:\s*(?:[+-]\d{4}|[a-z]{1,5}))?$/i;
const MESSAGE_ID = /^<[^<>\s@]+@[^<>\s]+>$/;

/** Reports faults in the header of a mail. */
export function checkHeader(mail: CheckedMail, reporter: Reporter): void {
  const from = fieldNamed(mail, 'from');
  const report = (rule: RuleId, message: string, field: HeaderField | null, detail: string | null = null) =>
    reporter.add({ rule, message, detail, place: placeOfField(mail, field) });
  if (from === null || from.value.trim() === '') report('from-missing', 'The mail has no From header.', from);
  if ((mail.subject ?? '').trim() === '')
    report('subject-missing', 'The mail has no subject.', fieldNamed(mail, 'subject'));
  const date = fieldNamed(mail, 'date');
  if (date === null) report('date-invalid', 'The mail has no Date header.', date);
  else if (!DATE.test(withoutComments(date.value)))
    report('date-invalid', 'Mail programs can’t read the Date header.', date);
  const id = fieldNamed(mail, 'message-id');
  if (id === null) report('message-id-invalid', 'The mail has no Message-ID header.', id);
  else if (!MESSAGE_ID.test(withoutComments(id.value)))
    report('message-id-invalid', 'The Message-ID does not have the form <unique@domain>.', id);
  const seen = new Set<string>();
  for (const field of mail.fields) {
    if (seen.has(field.name) && ONCE.has(field.name))
      report('header-repeated', `The header ${field.name} occurs more than once.`, field, field.name);
    seen.add(field.name);
  }
}

function withoutComments(value: string): string {
  return value
    .slice(0, 1_000)
    .replace(/\([^()]*\)/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ?([:@.]) ?/g, '$1')
    .trim();
}

/** Reports lines that are too long, and bytes that are not declared. */
export function checkSource({ source }: CheckedMail, reporter: Reporter): void {
  const { longLines, eightBit, lines } = source;
  const report = reportIn(lines, reporter);
  if (longLines !== null) {
    const { start, end, count } = longLines;
    const message = `A line has ${(end - start).toLocaleString('en-US')} bytes, but only 998 are allowed.`;
    report({ rule: 'line-length', message, count }, longLines);
  }
  if (eightBit !== null) {
    const message = 'A header or part contains non-ASCII bytes although only ASCII is declared.';
    report({ rule: 'eight-bit', message, count: eightBit.count }, eightBit);
  }
}

const VIEW_IN_BROWSER =
  /^(?:view|read|open|see|having trouble|trouble|can'?t|problems?|if you|click here|im browser|ansicht|voir|ver)\b.{0,60}\b(?:browser|online|web ?version|webversion|navigateur|navegador|images?|viewing|reading|correctly|properly|displayed)\b/i;
/** The smallest number of words for a comparison. With fewer words the result would be chance. */
const FEW_WORDS = 12;
const MIN_SHARED = 0.3;

/**
 * Reports faults of the bodies: a missing text part, one with other content, and a poor preview. `seen` is the visible
 * text of the HTML.
 */
export function checkBodies(
  { text, html }: CheckedMail,
  seen: string,
  lines: { text: Lines | null; html: Lines | null },
  reporter: Reporter,
): void {
  if (html === null || lines.html === null) return;
  if (text === null || text.trim() === '') {
    const message = 'The mail has HTML but no text part.';
    const place = text === null ? null : (lines.text?.at(0, text.length) ?? null);
    if (seen.trim() !== '') reporter.add({ rule: 'text-missing', message, place });
  } else {
    const shared = sharedWords(seen, text);
    if (shared !== null && shared < MIN_SHARED && lines.text !== null) {
      const message = `The text part contains only ${Math.round(shared * 100)} % of the words of the HTML.`;
      const place = lines.text.at(0, Math.min(text.length, 200));
      reporter.add({ rule: 'text-differs', message, place });
    }
  }
  const first = seen.split('\n', 3).find((line) => line.trim() !== '') ?? '';
  if (VIEW_IN_BROWSER.test(first.trim().slice(0, 200)) || /^https?:\/\//i.test(first.trim())) {
    const message = `The preview in a list begins with “${first.trim().slice(0, 60)}”.`;
    reporter.add({ rule: 'preheader', message, place: placeOf(html, first.trim(), lines.html) });
  }
}

function placeOf(html: string, text: string, lines: Lines) {
  const at = html.indexOf(text.slice(0, 20));
  return at < 0 ? null : lines.at(at, at + Math.min(20, text.length));
}

/** Returns the share of the HTML's words that the text has; null if there are too few to tell. */
function sharedWords(html: string, text: string): number | null {
  const ofHtml = wordsOf(html);
  if (ofHtml.size < FEW_WORDS) return null;
  const ofText = wordsOf(text);
  let shared = 0;
  for (const word of ofHtml) if (ofText.has(word)) shared++;
  return shared / ofHtml.size;
}

function wordsOf(text: string): Set<string> {
  const bare = text.slice(0, 64 * 1024).replace(/https?:\/\/\S{1,2000}/gi, ' ');
  return new Set(bare.toLowerCase().match(/[\p{L}\p{N}]{3,30}/gu) ?? []);
}
