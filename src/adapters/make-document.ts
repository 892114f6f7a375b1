import type { Message } from '../domain/message.ts';
import { documentOf, type SearchDocument } from '../domain/search/document.ts';
import { findCodesAndLinks } from '../extract/find.ts';
import { textPieces } from '../extract/text-pieces.ts';
import { parseMail } from '../mail/parse.ts';

/** Makes the document of a mail that searches read. Null if they have to read the mail itself. */
export async function makeDocument(message: Message, raw: Buffer): Promise<SearchDocument | null> {
  const { mail } = await parseMail(raw);
  const { subject, textBody, htmlBody } = mail;
  const { codes, links } = findCodesAndLinks({ subject, text: textBody, html: htmlBody });
  return documentOf(message, mail, {
    htmlText: () => textPieces(htmlBody ?? ''),
    hasCode: codes.length > 0,
    hasLink: links.length > 0,
  });
}
