import { readCodesAndLinks, readParsed } from '../../src/actions/read-message.ts';
import type { Context } from '../../src/context.ts';
import type { MessageId } from '../../src/domain/ids.ts';
import { documentOf, type SearchDocument } from '../../src/domain/search/document.ts';
import { QueryMatcher } from '../../src/domain/search/match-query.ts';
import { textPieces } from '../../src/extract/text-pieces.ts';
import type { MessageTexts, TextHit, TextStretch } from '../../src/ports/store.ts';
import { momentNow } from '../../src/ports/system.ts';

/** The state of a text in {@link listedTexts}: prepared, prepared but unsure, or missing. */
export type TextState = 'sure' | 'unsure' | 'missing';

/**
 * Prepared texts in a list: the simplest implementation of the port. `stateOf` tells which messages have a text, and `cut`
 * how many messages each stretch covers.
 */
export async function listedTexts(
  ctx: Context,
  stateOf: (index: number) => TextState,
  cut: () => number,
): Promise<MessageTexts> {
  const { messages } = await ctx.store.read.messages.walk({
    rows: 10_000,
    wanted: () => true,
    now: momentNow(ctx.clock),
  });
  const documents = new Map<MessageId, SearchDocument | null>();
  for (const message of messages) {
    const parsed = await readParsed(ctx, message);
    const { codes, links } = await readCodesAndLinks(ctx, parsed);
    const htmlText = () => textPieces(parsed.htmlBody ?? '');
    const findings = { htmlText, hasCode: codes.length > 0, hasLink: links.length > 0 };
    documents.set(message.id, documentOf(message, parsed, findings));
  }
  const states = new Map(messages.map(({ id }, index) => [id, stateOf(index)]));
  return {
    missing: async () => [],
    add: async () => {},
    async *find(query, { before }): AsyncGenerator<TextStretch> {
      const matcher = new QueryMatcher(query);
      const rest = messages.map(({ id }) => id).filter((id) => before === undefined || id < before);
      while (rest.length > 0) {
        const part = rest.splice(0, cut());
        const isMissing = (id: MessageId) => states.get(id) === 'missing';
        const first = isMissing(part[0] as MessageId);
        const end = part.findIndex((id) => isMissing(id) !== first);
        if (end > 0) rest.unshift(...part.splice(end));
        const found: TextHit[] = [];
        for (const id of part) {
          const document = documents.get(id) ?? null;
          const isSure = states.get(id) === 'sure' && document !== null;
          if (document === null || !isSure || matcher.matchesTexts(document)) found.push({ id, isSure });
        }
        const downTo = rest.length === 0 ? null : (part.at(-1) ?? null);
        yield { downTo, found: first ? null : found };
      }
    },
    progress: async () => {
      const missing = [...states.values()].filter((state) => state === 'missing').length;
      return { prepared: states.size - missing, missing };
    },
  };
}
