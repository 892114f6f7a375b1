import type { Context } from '../context.ts';
import type { Message } from '../domain/message.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import type { QueryMatcher } from '../domain/search/match-query.ts';
import { textPieces } from '../extract/text-pieces.ts';
import { betweenOthers } from './between-others.ts';
import { findCodesAndLinks } from './find-codes-and-links.ts';
import { readParsed, unlessGone } from './read-message.ts';

/** Tells whether a message whose row leaves it open matches. False for one that went meanwhile. Others are served in between. */
export async function matchesMail(ctx: Context, matcher: QueryMatcher, message: Message): Promise<boolean> {
  const matches = await unlessGone(ctx, message, async () => {
    const parsed = await readParsed(ctx, message);
    const hasCode = matcher.needsCodes && (await findCodesAndLinks(ctx, parsed)).codes.length > 0;
    return betweenOthers(matcher.matchesMail(message, { parsed, pieces: piecesOf(parsed), hasCode }));
  });
  return matches ?? false;
}

const PIECE_CHARACTERS = 16 * 1024;

/** Both bodies; what one ends with and the other begins with is not one text. */
function* piecesOf({ textBody, htmlBody }: ParsedMail): Generator<string, void, void> {
  const text = textBody ?? '';
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) yield text.slice(at, at + PIECE_CHARACTERS);
  if (htmlBody === null) return;
  if (text !== '') yield BETWEEN;
  yield* textPieces(htmlBody);
}

/** No part that is looked for holds it. */
const BETWEEN = '\u0000';
