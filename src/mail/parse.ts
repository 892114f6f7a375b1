import type { ParsedAttachment, ParsedMail } from '../domain/parsed-mail.ts';
import { holdsEicar } from './eicar.ts';
import { isHeaderless } from './header-block.ts';
import { withoutControls } from './header-text.ts';
import { readKnown } from './known.ts';
import { outlineOf } from './outline.ts';
import { type AttachedFile, readParts } from './read-parts.ts';
import { MAX_DEPTH, MAX_PARTS } from './structure.ts';

export interface Parse {
  readonly mail: ParsedMail;
  /** The bytes of `mail.attachments`, in the same order. */
  readonly contents: readonly Buffer[];
}

/**
 * Parses a mail in full. It never rejects because of the content: it then returns the known facts with `parseError`.
 * `onKnown` gets the facts of the header at once, in case the rest takes too long.
 */
export async function parseMail(raw: Buffer, onKnown?: (known: ParsedMail) => void): Promise<Parse> {
  const known = await readKnown(raw);
  onKnown?.(known);
  const { limit, undivided } = outlineOf(raw);
  if (limit !== null) return { mail: { ...known, parseError: WHY[limit] }, contents: [] };
  try {
    const { attachments, unread, ...bodies } = await readParts(raw, undivided, isHeaderless(raw));
    const parseError = unread ?? known.parseError;
    const mail = { ...known, ...bodies, parseError, attachments: attachments.map(describe) };
    return { mail, contents: attachments.map(({ content }) => content) };
  } catch (error) {
    return { mail: { ...known, parseError: reasonOf(error) }, contents: [] };
  }
}

const WHY = {
  parts: `The mail has more than ${MAX_PARTS} parts.`,
  depth: `The mail is nested more than ${MAX_DEPTH} levels deep.`,
} as const;

function reasonOf(error: unknown): string {
  return withoutControls(error instanceof Error ? error.message : String(error)).slice(0, 1_000);
}

function describe({ head, content }: AttachedFile): ParsedAttachment {
  return {
    filename: textOrNull(head.filename),
    contentType: textOrNull(head.contentType),
    contentId: textOrNull(head.cid),
    isInline:
      head.contentDisposition === 'inline' || (head.related === true && head.contentDisposition !== 'attachment'),
    sizeBytes: content.length,
    virusScanStatus: holdsEicar(content) ? 2 : 0,
  };
}

function textOrNull(text: string | false | undefined): string | null {
  return text ? withoutControls(text) || null : null;
}
