import type { ParsedAttachment, ParsedMail } from '../domain/parsed-mail.ts';
import { holdsEicar } from './eicar.ts';
import { withoutControls } from './header-text.ts';
import { readKnown } from './known.ts';
import { type AttachedFile, readParts } from './read-parts.ts';
import { scanMail } from './scan.ts';
import { MAX_DEPTH, MAX_PARTS } from './structure.ts';

export interface Parse {
  readonly mail: ParsedMail;
  /** The bytes of `mail.attachments`, in their order. */
  readonly contents: readonly Buffer[];
}

/** Reads all of a mail. Never rejects because of what it says: what is known comes with `parseError`. */
export async function parseMail(raw: Buffer): Promise<Parse> {
  const { limit } = scanMail(raw);
  if (limit !== null) return { mail: await readKnown(raw, WHY[limit]), contents: [] };
  try {
    const { attachments, ...bodies } = await readParts(raw);
    const mail = { ...(await readKnown(raw)), ...bodies, attachments: attachments.map(describe) };
    return { mail, contents: attachments.map(({ content }) => content) };
  } catch (error) {
    return { mail: await readKnown(raw, reasonOf(error)), contents: [] };
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
