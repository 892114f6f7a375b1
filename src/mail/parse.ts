import type { ParsedAttachment, ParsedMail } from '../domain/parsed-mail.ts';
import { holdsEicar } from './eicar.ts';
import { withoutControls } from './header-text.ts';
import { readKnown } from './known.ts';
import { libmime } from './libmime.ts';
import { type Leaf, outlineOf } from './outline.ts';
import { readParts } from './read-parts.ts';
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
  const known = readKnown(raw);
  onKnown?.(known);
  const { limit, leaves } = outlineOf(raw);
  if (limit !== null) return { mail: { ...known, parseError: WHY[limit] }, contents: [] };
  try {
    const { contents, unread } = await readParts(leaves);
    const files = leaves.flatMap((leaf, index) => {
      const content = contents[index];
      return Buffer.isBuffer(content) ? [{ described: describe(leaf, content), content }] : [];
    });
    const mail = {
      ...known,
      textBody: joined(leaves, contents, 'text', '\n'),
      htmlBody: joined(leaves, contents, 'html', '<br/>\n'),
      parseError: unread ?? known.parseError,
      attachments: files.map(({ described }) => described),
    };
    return { mail, contents: files.map(({ content }) => content) };
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

/** Joins the texts of a kind. Returns null if all are empty. */
function joined(
  leaves: readonly Leaf[],
  contents: readonly (string | Buffer)[],
  role: 'text' | 'html',
  between: string,
): string | null {
  const texts = leaves.flatMap((leaf, index) => {
    const content = contents[index];
    if (leaf.role !== role || typeof content !== 'string') return [];
    // A multipart that nothing divides may hold nothing but line breaks.
    return content === '' || (leaf.isUndivided && content.trim() === '') ? [] : [content];
  });
  return texts.length === 0 ? null : texts.join(between);
}

function describe({ head, isRelated }: Leaf, content: Buffer): ParsedAttachment {
  // A name is written in one of two forms, which look alike. Only one of them can be compared with a typed name.
  const filename = textOrNull(head.filename()?.normalize('NFC') ?? null);
  const contentId = textOrNull(head.contentId());
  return {
    filename,
    contentType: textOrNull(typeOf(head.type, filename)),
    contentId,
    isInline: head.disposition === 'inline' || (isRelated && contentId !== null && head.disposition !== 'attachment'),
    sizeBytes: content.length,
    virusScanStatus: holdsEicar(content) ? 2 : 0,
  };
}

/** Returns the type that the name of a file tells, if the part says no more than that it has bytes. */
function typeOf(type: string, filename: string | null): string {
  return type === 'application/octet-stream' && filename !== null ? libmime().detectMimeType(filename) || type : type;
}

function textOrNull(text: string | null): string | null {
  return text === null ? null : withoutControls(text) || null;
}
