import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import { snippetOf } from '../domain/snippet.ts';
import { visibleText } from '../extract/visible-text.ts';
import { findCodesAndLinks } from './find-codes-and-links.ts';
import { readParsed } from './read-message.ts';

/** What a list shows of a message beside its summary. */
export interface Glance {
  readonly id: MessageId;
  readonly snippet: string;
  /** The first code; of several candidates that are as good as each other, all. */
  readonly codes: readonly string[];
}

/** As much HTML is looked at for a snippet, so that a large mail costs a list nothing. */
const HTML_CHARACTERS = 16 * 1024;

/** Glances at messages by id; those that are not there are left out. */
export async function glanceAtMessages(ctx: Context, ids: readonly MessageId[]): Promise<Glance[]> {
  const glances = await Promise.all(ids.map((id) => glanceAt(ctx, id)));
  return glances.filter((glance) => glance !== null);
}

async function glanceAt(ctx: Context, id: MessageId): Promise<Glance | null> {
  const isThere = () => ctx.store.read.messages.get(id, ctx.clock.now());
  const message = await isThere();
  if (message === null) return null;
  try {
    const parsed = await readParsed(ctx, message);
    const { codes } = await findCodesAndLinks(ctx, parsed);
    const told = codes[0]?.ambiguous ? codes.filter(({ ambiguous }) => ambiguous) : codes.slice(0, 1);
    const text = parsed.textBody?.trim() || visibleText(parsed.htmlBody?.slice(0, HTML_CHARACTERS) ?? '').text;
    return { id, snippet: snippetOf(text), codes: told.map(({ code }) => code) };
  } catch (error) {
    // Deleted meanwhile: it is left out, and no failure.
    if ((await isThere()) === null) return null;
    throw error;
  }
}
