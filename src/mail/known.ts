import { comparableAddress } from '../domain/address.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import { readAddresses } from '../text/addresses.ts';
import { type Field, headerBlock, MAX_FIELDS, MAX_HEADER_BYTES, readFields } from './header-block.ts';
import { decodeHeader } from './header-text.ts';
import { lastText, listText, summaryTexts } from './summary-headers.ts';
import { WordBudget } from './word-budget.ts';

/** Reads the facts in the header of a mail. They are all that is known if its parts cannot be read. */
export function readKnown(raw: Buffer, parseError: string | null = null): ParsedMail {
  const { block, truncated } = headerBlock(raw);
  const read = readFields(block, null);
  const { fields } = read;
  const summary = summaryTexts(fields);
  const budget = new WordBudget();
  return {
    ...summary,
    bcc: listText(fields, 'bcc', budget),
    replyTo: lastText(fields, 'reply-to', budget),
    textBody: null,
    htmlBody: null,
    headers: headersOf(fields),
    toAndCc: addressesIn([summary.to, summary.cc]),
    attachments: [],
    parseError: parseError ?? whyTruncated(truncated, read.truncated),
  };
}

function whyTruncated(bytes: boolean, fields: boolean): string | null {
  if (bytes) return `The header is larger than ${MAX_HEADER_BYTES / 1024} KiB: the rest of it was not read.`;
  if (fields) return `The header has more than ${MAX_FIELDS} fields: the rest of them were not read.`;
  return null;
}

/** Groups the fields by name. The object has no prototype, because a sender may use names such as `__proto__`. */
function headersOf(fields: readonly Field[]): Record<string, string | readonly string[]> {
  const byName = new Map<string, string[]>();
  const budget = new WordBudget();
  for (const { name, value } of fields) {
    const text = decodeHeader(name, value, budget) ?? '';
    const texts = byName.get(name);
    if (texts === undefined) byName.set(name, [text]);
    else texts.push(text);
  }
  const headers: Record<string, string | readonly string[]> = Object.create(null);
  for (const [name, texts] of byName) headers[name] = texts.length === 1 ? (texts[0] ?? '') : texts;
  return headers;
}

/** Returns the different addresses of the lists. A header of 250 KB may repeat one 50,000 times. */
function addressesIn(lists: readonly (string | null)[]): string[] {
  const addresses = lists
    .flatMap((list) => (list === null ? [] : readAddresses(list)))
    .flatMap(({ address }) => (address === '' ? [] : [comparableAddress(address)]));
  return [...new Set(addresses)];
}
