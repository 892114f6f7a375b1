import type { Readable } from 'node:stream';
import type { AttachmentStream } from 'mailparser';
import { loadMailparser } from './mailparser.ts';
import { capSlowCharsets, type Decoders } from './slow-charsets.ts';
import { obeyOuterDelimiters, readUndividedAsText, type Splitter } from './splitting.ts';
import { MAX_PARTS } from './structure.ts';

export interface Parts {
  readonly textBody: string | null;
  readonly htmlBody: string | null;
  readonly attachments: readonly AttachedFile[];
  /** Why a text was not read to its end, null where all were. */
  readonly unread: string | null;
}

export interface AttachedFile {
  readonly head: AttachmentStream;
  readonly content: Buffer;
}

/** What is leaned on of MailParser beyond its types. */
interface Inside {
  readonly tree: TreeNode;
  readonly splitter: Splitter;
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
  // Nothing is derived: no text from HTML, no HTML from text, no links in either.
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  // mailsplit's, to which it is handed on: the scan has counted no more.
  maxChildNodes: MAX_PARTS,
};

const EMPTY_HEADER = Buffer.from('\r\n');

/**
 * The bodies and attachments of a mail, by mailparser. Rejects where it does.
 * `undivided` are the multiparts that are one text, by their number. `isHeaderless`: all of the mail is its text.
 */
export async function readParts(
  raw: Buffer,
  undivided: ReadonlySet<number> = new Set(),
  isHeaderless = false,
): Promise<Parts> {
  const { MailParser } = await loadMailparser();
  const parser = new MailParser(OPTIONS);
  // Not in its types; the tests of this file fail where a release changes it.
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
  // A multipart without parts may hold no more than the line breaks between them.
  const says = ({ node, textContent = '' }: TreeNode) => (texts.has(node) ? textContent.trim() : textContent) !== '';
  // Its own text joins to each body what stands for the other kind; the tree has them apart.
  return {
    textBody: joined(inside.tree, says, ['text/plain', 'message/delivery-status'], '\n'),
    htmlBody: joined(inside.tree, says, ['text/html'], '<br/>\n'),
    attachments: await Promise.all(files),
    unread: charsets.unread,
  };
}

/** Nobody reads the part that holds an inline mail. Where that is the last of all, MailParser 3.9 waits for its end for ever. */
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
      head.release();
    });
  });
}

/** The texts of those types, as mailparser joins them; null where there is none. */
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
