import { AFTER_BOUNDARY, type DelimiterLine, delimiterLine, nextDelimiter } from './delimiter.ts';
import { type Field, isBlank, isHeaderless, readFields } from './header-block.ts';
import { HeaderBytes } from './header-bytes.ts';
import { readPart } from './part.ts';

const LF = 0x0a;
const STEP_BYTES = 64 * 1024;
const NO_BYTES = Buffer.alloc(0);

/** The largest number of parts, including the mail itself. */
export const MAX_PARTS = 10_000;
export const MAX_DEPTH = 100;

/** The limit at which reading stopped. */
export type Limit = 'parts' | 'depth';

/** The multiparts with a boundary that enclose a place, innermost first, with their delimiters. */
interface Around {
  readonly nodes: readonly Node[];
  readonly delimiters: readonly Buffer[];
  readonly longest: number;
}

interface Node {
  /** The number of the part in the order of the mail, from 1. */
  readonly number: number;
  readonly parent: Node | null;
  readonly depth: number;
  /** The delimiters of the enclosing multiparts, which end this part. */
  readonly around: Around;
  /** The delimiters that may occur in its body, with its own. It is known after the header. */
  inside: Around;
}

/** The first bytes of the wanted fields. White space before a name is skipped, as mailsplit does. */
const WHITE_SPACE = ' \t\r\v\f\xa0';
const ROOT_NAMES: ReadonlySet<number> = new Set(Buffer.from(`CcFfSsTt${WHITE_SPACE}`, 'latin1'));
const PART_NAMES: ReadonlySet<number> = new Set(Buffer.from(`Cc${WHITE_SPACE}`, 'latin1'));

const NOWHERE: Around = { nodes: [], delimiters: [], longest: 0 };

/**
 * Finds the parts of a mail in one pass, however its bytes are split. It follows mailsplit, mailparser's splitter, line
 * by line, but skips body lines that cannot be delimiters.
 */
export class StructureReader {
  readonly #onRoot: (fields: readonly Field[]) => void;
  readonly #header = new HeaderBytes();
  #node: Node = { number: 1, parent: null, depth: 0, around: NOWHERE, inside: NOWHERE };
  #inHeader = true;
  #inEpilogue = false;
  #held = NO_BYTES;
  /** Tells whether the next bytes continue a line that is too long to be a delimiter. */
  #midLine = false;
  /** Tells whether further bytes cannot change the result. */
  #done = false;
  #at = 0;
  attachments = 0;
  parts = 1;
  limit: Limit | null = null;
  readonly #undivided = new Set<number>();

  /** `onRoot` gets the header fields of the mail. They are views that are valid only during the call. */
  constructor(onRoot: (fields: readonly Field[]) => void) {
    this.#onRoot = onRoot;
  }

  /** The numbers of the multiparts in which no own delimiter occurs. The first part is 1. */
  get undivided(): ReadonlySet<number> {
    return this.#undivided;
  }

  write(chunk: Buffer): void {
    for (let from = 0; from < chunk.length && !this.#done; from += STEP_BYTES) {
      const step = chunk.length <= STEP_BYTES ? chunk : chunk.subarray(from, from + STEP_BYTES);
      const data = this.#held.length === 0 ? step : Buffer.concat([this.#held, step]);
      this.#read(data, false);
      this.#held = this.#at < data.length && !this.#done ? Buffer.from(data.subarray(this.#at)) : NO_BYTES;
    }
  }

  end(): void {
    if (!this.#done) this.#read(this.#held, true);
    this.#done = true;
  }

  #read(data: Buffer, final: boolean): void {
    this.#at = 0;
    let goesOn = true;
    while (goesOn && !this.#done) goesOn = this.#inHeader ? this.#readHeader(data, final) : this.#readBody(data, final);
  }

  /** Reads up to the end of the header or part. Returns false if more bytes are needed. */
  #readHeader(data: Buffer, final: boolean): boolean {
    const from = this.#at;
    let at = from;
    for (;;) {
      const lf = data.indexOf(LF, at);
      const end = lf < 0 ? data.length : lf + 1;
      if (lf < 0 && !final) break;
      if (!this.#midLine) {
        const found = delimiterLine(data, at, end, this.#node.around);
        if (found !== null) {
          this.#header.add(data.subarray(from, at));
          return this.#pass(found, this.#node.around);
        }
        if (isBlank(data, at, end)) {
          this.#endHeader(data.subarray(from, at));
          this.#at = end;
          return true;
        }
      }
      this.#midLine = false;
      at = end;
      if (lf >= 0) continue;
      this.#endHeader(data.subarray(from, end));
      this.#done = true;
      return false;
    }
    if (this.#midLine || data.length - at > this.#longestLine()) {
      this.#midLine = true;
      at = data.length;
    }
    this.#header.add(data.subarray(from, at));
    this.#at = at;
    return false;
  }

  /** Reads up to the next delimiter. Returns false if more bytes are needed. */
  #readBody(data: Buffer, final: boolean): boolean {
    const around = this.#around();
    const { delimiters, longest } = around;
    if (delimiters.length === 0) {
      this.#done = true;
      return false;
    }
    const found = nextDelimiter(data, this.#at, { delimiters, longest, midLine: this.#midLine, final });
    if (found === null) {
      this.#holdLastLine(data);
      return false;
    }
    if ('of' in found) return this.#pass(found, around);
    this.#at = found.start;
    this.#midLine = false;
    return false;
  }

  /** Continues after a delimiter in the part it opens or closes. */
  #pass({ of, closes, end }: DelimiterLine, { nodes }: Around): true {
    const owner = nodes[of] ?? this.#node;
    this.#at = end;
    this.#midLine = false;
    this.#undivided.delete(owner.number);
    if (closes) {
      // A close-delimiter before the first part closes nothing, because parts may follow.
      if (owner !== this.#node) this.#close(owner);
    } else {
      // A header without a body, which mailparser ignores.
      if (this.#inHeader) this.#header.take(NO_BYTES);
      this.#open(owner);
    }
    return true;
  }

  #close(owner: Node): void {
    if (this.#inHeader) this.#endHeader(NO_BYTES, true);
    this.#node = owner;
    this.#inHeader = false;
    this.#inEpilogue = true;
  }

  /** Evaluates a complete header. `isClosed` means that the part ends with it and has no body. */
  #endHeader(last: Buffer, isClosed = false): void {
    const node = this.#node;
    const isRoot = node.parent === null;
    const block = this.#header.take(last);
    const { fields } =
      isRoot && isHeaderless(block) ? { fields: [] } : readFields(block, isRoot ? ROOT_NAMES : PART_NAMES);
    if (isRoot) this.#onRoot(fields);
    const part = readPart(fields, isRoot);
    const holdsMail = part.holdsMail && !isClosed;
    if (part.isAttachment && !holdsMail) this.attachments++;
    if (part.isMultipart) this.#undivided.add(node.number);
    node.inside = part.delimiter === null ? node.around : within(node, part.delimiter);
    this.#inHeader = false;
    if (holdsMail) this.#openMail(node);
  }

  #open(parent: Node): void {
    this.#enter(parent, parent.inside);
  }

  /** Opens an inline mail. The delimiters of its container end it too. */
  #openMail(holder: Node): void {
    this.#enter(holder, (holder.parent ?? holder).inside);
  }

  #enter(parent: Node, around: Around): void {
    const number = ++this.parts;
    this.#node = { number, parent, depth: parent.depth + 1, around, inside: around };
    this.#inHeader = true;
    this.#inEpilogue = false;
    if (number > MAX_PARTS) this.#stop('parts');
    else if (this.#node.depth > MAX_DEPTH) this.#stop('depth');
  }

  #stop(limit: Limit): void {
    this.limit = limit;
    this.#done = true;
  }

  /** Keeps back the last line if it may still become a delimiter. */
  #holdLastLine(data: Buffer): void {
    const tail = Math.max(this.#at, data.length - this.#longestLine());
    const lf = data.subarray(tail).lastIndexOf(LF);
    if (lf >= 0) {
      this.#at = tail + lf + 1;
      this.#midLine = false;
    } else if (tail > this.#at || this.#midLine) {
      this.#at = data.length;
      this.#midLine = true;
    }
  }

  /** Returns the multiparts that enclose the current position. */
  #around(): Around {
    return this.#inHeader || this.#inEpilogue ? this.#node.around : this.#node.inside;
  }

  #longestLine(): number {
    return 1 + this.#around().longest + AFTER_BOUNDARY;
  }
}

function within(node: Node, delimiter: Buffer): Around {
  const { nodes, delimiters, longest } = node.around;
  return {
    nodes: [node, ...nodes],
    delimiters: [delimiter, ...delimiters],
    longest: Math.max(longest, delimiter.length),
  };
}
