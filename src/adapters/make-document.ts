import type { Message } from '../domain/message.ts';
import { documentOf, type SearchDocument } from '../domain/search/document.ts';
import { MAX_CHARACTERS } from '../extract/bounds.ts';
import { readCodes } from '../extract/codes.ts';
import { findLinks } from '../extract/links.ts';
import { textPieces } from '../extract/text-pieces.ts';
import { parseMail } from '../mail/parse.ts';

/** Makes the document of a mail that searches read. Null if they have to read the mail itself. */
export async function makeDocument(message: Message, raw: Buffer): Promise<SearchDocument | null> {
  const { mail } = await parseMail(raw);
  const { subject, textBody, htmlBody } = mail;
  const texts = {
    subject,
    text: textBody?.slice(0, MAX_CHARACTERS) ?? null,
    html: htmlBody?.slice(0, MAX_CHARACTERS) ?? null,
  };
  return documentOf(message, mail, {
    htmlText: () => textPieces(htmlBody ?? ''),
    hasCode: readCodes(texts).codes.length > 0,
    hasLink: findLinks(texts, 'every').length > 0,
  });
}
