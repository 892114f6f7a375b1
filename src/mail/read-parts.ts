import type { Readable } from 'node:stream';
import type { AttachmentStream } from 'mailparser';
import { loadMailparser } from './mailparser.ts';
import { capSlowCharsets, type Decoders } from './slow-charsets.ts';
import { type MailSplitter, obeyOuterDelimiters, readUndividedAsText } from './splitting.ts';
import { MAX_PARTS } from './structure.ts';

export interface Parts {
  readonly textBody: string | null;
  readonly htmlBody: string | null;
  readonly attachments: readonly AttachedFile[];
  /** The reason why a text was not read to its end. Null if all were. */
  readonly unread: string | null;
}

export interface AttachedFile {
  readonly head: AttachmentStream;
  readonly content: Buffer;
}

/** The undocumented parts of MailParser that this file uses. */
interface Inside {
  readonly tree: TreeNode;
  readonly splitter: MailSplitter;
  readonly decoder: Decoders;
  createNode(node: { readonly messageNode?: boolean }): { readonly decoder?: Readable };
}

interface TreeNode {
  readonly node: object;
  readonly contentType: string | false;
  readonly textContent?: string;
  readonly children: readonly TreeNode[];
}

const OPTIONS = {
  // MailParser derives nothing: no text from HTML, no HTML from text, and no links.
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  // MailParser passes this to mailsplit. The scan has found at most this many parts.
  maxChildNodes: MAX_PARTS,
};

const EMPTY_HEADER = Buffer.from('\r\n');

/**
 * Reads the bodies and attachments of a mail with mailparser. It rejects if mailparser does. `undivided` are the
 * numbers of the multiparts that are read as one text. `isHeaderless` means that the whole mail is text.
 */
export async function readParts(
  raw: Buffer,
  undivided: ReadonlySet<number> = new Set(),
  isHeaderless = false,
): Promise<Parts> {
  const { MailParser } = await loadMailparser();
  const parser = new MailParser(OPTIONS);
  // These members are not in its types. The tests of this file fail if a release changes them.
  const inside = parser as unknown as Inside;
  drainHolders(inside);
  obeyOuterDelimiters(inside.splitter);
  const texts = readUndividedAsText(inside.splitter, undivided);
  const charsets = capSlowCharsets(inside.decoder);
  const files: Promise<AttachedFile>[] = [];
  await new Promise<void>((resolve, reject) => {
    parser.on('error', reject);
    parser.on('end', resolve);
    parser.on('data', (data) => {
      if (data.type === 'attachment') files.push(collect(data, reject));
    });
    if (isHeaderless) parser.write(EMPTY_HEADER);
    parser.end(raw);
  });
  // A multipart without parts may hold nothing but line breaks.
  const says = ({ node, textContent = '' }: TreeNode) => (texts.has(node) ? textContent.trim() : textContent) !== '';
  // MailParser's own text mixes both kinds of body. The tree keeps them apart.
  return {
    textBody: joined(inside.tree, says, ['text/plain', 'message/delivery-status'], '\n'),
    htmlBody: joined(inside.tree, says, ['text/html'], '<br/>\n'),
    attachments: await Promise.all(files),
    unread: charsets.unread,
  };
}

/**
 * Drains the parts that hold an inline mail. Nobody reads them, and MailParser 3.9 would wait forever for the last of
 * them.
 */
function drainHolders(inside: Inside): void {
  const create = inside.createNode.bind(inside);
  inside.createNode = (node) => {
    const made = create(node);
    if (node.messageNode) made.decoder?.resume();
    return made;
  };
}

function collect(head: AttachmentStream, fail: (error: Error) => void): Promise<AttachedFile> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    head.content.on('data', (chunk: Buffer) => chunks.push(chunk));
    head.content.on('error', fail);
    head.content.on('end', () => {
      resolve({ head, content: Buffer.concat(chunks) });
      head.release?.();
    });
  });
}

/** Joins the texts of these types as mailparser does. Returns null if there is none. */
function joined(
  tree: TreeNode,
  says: (node: TreeNode) => boolean,
  types: readonly string[],
  between: string,
): string | null {
  const texts: string[] = [];
  const walk = (node: TreeNode) => {
    if (node.textContent && says(node) && node.contentType && types.includes(node.contentType)) {
      texts.push(node.textContent);
    }
    node.children.forEach(walk);
  };
  walk(tree);
  return texts.length === 0 ? null : texts.join(between);
}
