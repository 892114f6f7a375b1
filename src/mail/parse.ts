import type { AttachmentStream } from 'mailparser';
import type { ParsedAttachment, ParsedMail } from '../domain/parsed-mail.ts';
import { holdsEicar } from './eicar.ts';
import { withoutControls } from './header-text.ts';
import { readKnown } from './known.ts';
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

interface Parts {
  readonly textBody: string | null;
  readonly htmlBody: string | null;
  readonly attachments: readonly AttachedFile[];
}

interface AttachedFile {
  readonly head: AttachmentStream;
  readonly content: Buffer;
}

/** A node of the tree that MailParser builds. */
interface TreeNode {
  readonly contentType: string | false;
  readonly textContent?: string;
  readonly children: readonly TreeNode[];
}

// Nothing is derived: no text from HTML, no HTML from text, no links in either.
const OPTIONS = { skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true, skipImageLinks: true };

async function readParts(raw: Buffer): Promise<Parts> {
  const { MailParser } = await import('mailparser');
  // mailsplit's bound on parts, which mailparser hands on: the scan has counted no more than these.
  const options = { ...OPTIONS, maxChildNodes: MAX_PARTS };
  const parser = new MailParser(options);
  const files: Promise<AttachedFile>[] = [];
  await new Promise<void>((resolve, reject) => {
    parser.on('error', reject);
    parser.on('end', resolve);
    parser.on('data', (data) => {
      if (data.type === 'attachment') files.push(collect(data, reject));
    });
    parser.end(raw);
  });
  // Its own text joins to each body what stands for the other kind; the tree has them apart. Not in its types.
  const { tree } = parser as unknown as { readonly tree: TreeNode };
  return {
    textBody: joined(tree, ['text/plain', 'message/delivery-status'], '\n'),
    htmlBody: joined(tree, ['text/html'], '<br/>\n'),
    attachments: await Promise.all(files),
  };
}

function collect(head: AttachmentStream, fail: (error: Error) => void): Promise<AttachedFile> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    head.content.on('data', (chunk: Buffer) => chunks.push(chunk));
    head.content.on('error', fail);
    head.content.on('end', () => {
      resolve({ head, content: Buffer.concat(chunks) });
      head.release();
    });
  });
}

/** The texts of those types, as mailparser joins them; null where there is none. */
function joined(tree: TreeNode, types: readonly string[], between: string): string | null {
  const texts: string[] = [];
  const walk = (node: TreeNode) => {
    if (node.textContent && node.contentType && types.includes(node.contentType)) texts.push(node.textContent);
    node.children.forEach(walk);
  };
  walk(tree);
  return texts.length === 0 ? null : texts.join(between);
}

function describe({ head, content }: AttachedFile, index: number): ParsedAttachment {
  return {
    id: String(index),
    filename: textOrNull(head.filename),
    contentType: textOrNull(head.contentType),
    contentId: textOrNull(head.cid),
    isInline: head.contentDisposition === 'inline' || head.related === true,
    sizeBytes: content.length,
    virusScanStatus: holdsEicar(content) ? 2 : 0,
  };
}

function textOrNull(text: string | false | undefined): string | null {
  return text ? withoutControls(text) || null : null;
}
