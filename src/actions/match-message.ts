import type { Context } from '../context.ts';
import type { Message } from '../domain/message.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import type { QueryMatcher } from '../domain/search/match-query.ts';
import { textPieces } from '../extract/text-pieces.ts';
import { betweenOthers } from './between-others.ts';
import { readCodesAndLinks } from './find-codes-and-links.ts';
import { readParsed, unlessGone } from './read-message.ts';

/**
 * Tells whether a message matches when its row alone cannot decide. Returns false if the message was deleted meanwhile.
 * It yields to the event loop between steps.
 */
export async function matchesMail(ctx: Context, matcher: QueryMatcher, message: Message): Promise<boolean> {
  const matches = await unlessGone(ctx, message, async () => {
    const parsed = await readParsed(ctx, message);
    const hasCode = matcher.needsCodes && (await readCodesAndLinks(ctx, parsed)).codes.length > 0;
    return betweenOthers(matcher.matchesMail(message, { parsed, pieces: piecesOf(parsed), hasCode }));
  });
  return matches ?? false;
}

const PIECE_CHARACTERS = 16 * 1024;

/** Yields the text of both bodies in pieces. A separator keeps a match from spanning the two bodies. */
function* piecesOf({ textBody, htmlBody }: ParsedMail): Generator<string, void, void> {
  const text = textBody ?? '';
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) yield text.slice(at, at + PIECE_CHARACTERS);
  if (htmlBody === null) return;
  if (text !== '') yield BETWEEN;
  yield* textPieces(htmlBody);
}

/** A separator that no search text can contain. */
const BETWEEN = '\u0000';
