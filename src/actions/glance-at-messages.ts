import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { ParsedMail } from '../domain/parsed-mail.ts';
import { snippetOf } from '../domain/snippet.ts';
import { momentNow } from '../ports/clock.ts';
import { readCodesAndLinks } from './find-codes-and-links.ts';
import { readParsed, unlessGone } from './read-message.ts';

/** The facts that a list shows about a message besides its summary. */
export interface Glance {
  readonly id: MessageId;
  readonly snippet: string;
  /** The best code, or all candidates if several are equally likely. */
  readonly codes: readonly string[];
}

/** The number of HTML characters that are searched for a snippet. It keeps lists fast when a mail is large. */
const HTML_CHARACTERS = 16 * 1024;

/** Reads the glances of messages by id. It leaves out messages that no longer exist. */
export async function glanceAtMessages(ctx: Context, ids: readonly MessageId[]): Promise<Glance[]> {
  const glances = await Promise.all(ids.map((id) => glanceAt(ctx, id)));
  return glances.filter((glance) => glance !== null);
}

async function glanceAt(ctx: Context, id: MessageId): Promise<Glance | null> {
  const message = await ctx.store.read.messages.get(id, momentNow(ctx.clock));
  if (message === null) return null;
  return unlessGone(ctx, message, async () => {
    const parsed = await readParsed(ctx, message);
    const { codes } = await readCodesAndLinks(ctx, parsed);
    const told = codes[0]?.ambiguous ? codes.filter(({ ambiguous }) => ambiguous) : codes.slice(0, 1);
    return { id, snippet: snippetOf(await textOf(parsed)), codes: told.map(({ code }) => code) };
  });
}

async function textOf({ textBody, htmlBody }: ParsedMail): Promise<string> {
  const text = textBody?.trim();
  if (text || htmlBody === null) return text ?? '';
  const { visibleText } = await import('../extract/visible-text.ts');
  return visibleText(htmlBody.slice(0, HTML_CHARACTERS)).text;
}
