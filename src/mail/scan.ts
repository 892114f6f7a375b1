import { AFTER_BOUNDARY, type DelimiterLine, delimiterLine, nextDelimiter } from './delimiter.ts';
import { type Field, HeaderBytes, isBlank, isHeaderless, readFields } from './header-block.ts';
import { type SummaryTexts, summaryTexts } from './header-text.ts';
import { type PartHead, type PartPlace, ROOT, readPart } from './part.ts';

/** The facts that a summary needs, found without parsing the mail. */
export interface Scan extends SummaryTexts {
  readonly sizeBytes: number;
  readonly attachmentCount: number;
  /** The number of parts, including the mail itself. */
  readonly parts: number;
  /** The limit at which reading stopped. Null if it did not. */
  readonly limit: Limit | null;
}

export interface MailScanner {
  /** Reads a chunk and keeps no reference to it. */
  write(chunk: Buffer): void;
  finish(): Scan;
}

/**
 * Creates a scanner that reads a mail in one pass and in bounded memory, however it is split into chunks. It never
 * throws.
 */
export function createMailScanner(): MailScanner {
  let sizeBytes = 0;
  let texts: SummaryTexts = { from: null, to: null, cc: null, subject: null };
  const structure = new StructureReader({
    onRoot: (fields) => {
      texts = summaryTexts(fields);
    },
  });
  return {
    write(chunk) {
      sizeBytes += chunk.length;
      structure.write(chunk);
    },
    finish() {
      structure.end();
      return {
        sizeBytes,
        attachmentCount: structure.attachments,
        ...texts,
        parts: structure.parts,
        limit: structure.limit,
      };
    },
  };
}

/** Scans a mail in memory. */
export function scanMail(raw: Buffer): Scan {
  const scanner = createMailScanner();
  scanner.write(raw);
  return scanner.finish();
}

const LF = 0x0a;
const DASH = 0x2d;
const STEP_BYTES = 64 * 1024;
const NO_BYTES = Buffer.alloc(0);

/** The largest number of parts, including the mail itself. */
export const MAX_PARTS = 10_000;
export const MAX_DEPTH = 100;

/** The limit at which reading stopped. */
export type Limit = 'parts' | 'depth';

/** A part of a mail, and the bytes of its body. */
export interface Part {
  readonly parent: Part | null;
  /** Its header. It is known when the reader has read it. */
  readonly head: PartHead | null;
  /** Where the body starts, counted from the start of the mail. */
  readonly from: number;
  /** Where the delimiter or the end of the mail ends it. */
  readonly to: number;
  /** Tells whether a delimiter ends it. The line break before a delimiter belongs to the delimiter (RFC 2046 5.1.1). */
  readonly isEnded: boolean;
  /** Tells whether a delimiter of its own was found in it. */
  readonly isDivided: boolean;
}

/** The multiparts with a boundary that enclose a place, innermost first, with their delimiters. */
interface Around {
  readonly nodes: readonly Node[];
  readonly delimiters: readonly Buffer[];
  readonly longest: number;
}

interface Node extends Part {
  readonly parent: Node | null;
  readonly index: number;
  readonly depth: number;
  /** The delimiters of the enclosing multiparts, which end this part. */
  readonly around: Around;
  /** The delimiters that may occur in its body, with its own. They are known after the header. */
  inside: Around;
  head: PartHead | null;
  from: number;
  to: number;
  isEnded: boolean;
  isDivided: boolean;
  /** The number of its parts so far. */
  children: number;
}

/** The first bytes of the wanted fields. White space before a name is skipped, as mailsplit does. */
const WHITE_SPACE = ' \t\r\v\f\xa0';
const ROOT_NAMES: ReadonlySet<number> = new Set(Buffer.from(`CcFfSsTt${WHITE_SPACE}`, 'latin1'));
const PART_NAMES: ReadonlySet<number> = new Set(Buffer.from(`Cc${WHITE_SPACE}`, 'latin1'));

const NOWHERE: Around = { nodes: [], delimiters: [], longest: 0 };

/** The number of lines in a header that are compared with the boundary that the header itself names. */
const MAX_EARLY_LINES = 4;

export interface StructureListener {
  /** Gets the header fields of the mail. They are views that are valid only during the call. */
  onRoot?(fields: readonly Field[]): void;
  /** Gets each part when it begins. Its members are set while the mail is read. */
  onPart?(part: Part): void;
}

/**
 * Finds the parts of a mail in one pass, however its bytes are split (RFC 2046 5.1). It skips body lines that cannot be
 * delimiters, and never looks into an attached mail.
 */
export class StructureReader {
  readonly #listener: StructureListener;
  readonly #header = new HeaderBytes();
  #node: Node;
  #inHeader = true;
  #inEpilogue = false;
  #held = NO_BYTES;
  /** Tells whether the next bytes continue a line that is too long to be a delimiter. */
  #midLine = false;
  /** Tells whether further bytes cannot change the result. */
  #done = false;
  #at = 0;
  /** The position of the current data in the mail. */
  #base = 0;
  #earlyLines = 0;
  attachments = 0;
  parts = 0;
  limit: Limit | null = null;

  constructor(listener: StructureListener) {
    this.#listener = listener;
    this.#node = this.#enter(null, NOWHERE);
  }

  write(chunk: Buffer): void {
    for (let from = 0; from < chunk.length && !this.#done; from += STEP_BYTES) {
      const step = chunk.length <= STEP_BYTES ? chunk : chunk.subarray(from, from + STEP_BYTES);
      const data = this.#held.length === 0 ? step : Buffer.concat([this.#held, step]);
      this.#read(data, false);
      this.#held = this.#at < data.length && !this.#done ? Buffer.from(data.subarray(this.#at)) : NO_BYTES;
      this.#base += this.#at;
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
    let from = this.#at;
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
          this.#endHeader(data.subarray(from, at), this.#base + end);
          this.#at = end;
          return true;
        }
        if (this.#earlyLines < MAX_EARLY_LINES && opensWithHyphens(data, at, end)) {
          this.#earlyLines++;
          this.#header.add(data.subarray(from, at));
          from = at;
          if (this.#isOwnDelimiter(data, at, end)) {
            // No empty line comes before the first part. The header ends all the same.
            this.#endHeader(NO_BYTES, this.#base + at);
            this.#at = at;
            return true;
          }
        }
      }
      this.#midLine = false;
      at = end;
      if (lf >= 0) continue;
      this.#endHeader(data.subarray(from, end), this.#base + end);
      this.#at = end;
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

  /** Tells whether a line of the header is a delimiter that the same header names. */
  #isOwnDelimiter(data: Buffer, at: number, end: number): boolean {
    const { delimiters } = readPart(readFields(this.#header.soFar(), PART_NAMES).fields, this.#place());
    return delimiterLine(data, at, end, { delimiters, longest: longestOf(delimiters) }) !== null;
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
  #pass({ of, closes, start, end }: DelimiterLine, { nodes }: Around): true {
    const owner = nodes[of] ?? this.#node;
    const position = this.#base + start;
    this.#at = end;
    this.#midLine = false;
    owner.isDivided = true;
    // A close-delimiter before the first part closes nothing, because parts may follow.
    if (closes && owner === this.#node) return true;
    if (this.#inHeader) this.#endHeader(NO_BYTES, position);
    if (!this.#inEpilogue) {
      this.#node.to = position;
      this.#node.isEnded = true;
    }
    if (closes) {
      this.#node = owner;
      this.#inEpilogue = true;
    } else if (this.limit === null) {
      this.#node = this.#enter(owner, owner.inside);
    }
    return true;
  }

  /** Evaluates a complete header. The body starts at `bodyFrom`. */
  #endHeader(last: Buffer, bodyFrom: number): void {
    const node = this.#node;
    const isRoot = node.parent === null;
    const block = this.#header.take(last);
    const { fields } =
      isRoot && isHeaderless(block) ? { fields: [] } : readFields(block, isRoot ? ROOT_NAMES : PART_NAMES);
    if (isRoot) this.#listener.onRoot?.(fields);
    const head = readPart(fields, this.#place());
    if (head.role === 'attachment') this.attachments++;
    node.head = head;
    node.from = isRoot && isHeaderless(block) ? 0 : bodyFrom;
    node.inside = within(node, head.delimiters);
    this.#inHeader = false;
  }

  #place(): PartPlace {
    const { parent, index } = this.#node;
    return parent?.head ? { multipart: parent.head.type.slice('multipart/'.length), index } : ROOT;
  }

  #enter(parent: Node | null, around: Around): Node {
    const depth = parent === null ? 0 : parent.depth + 1;
    const index = parent === null ? 0 : parent.children++;
    const range = { from: 0, to: Number.POSITIVE_INFINITY, isEnded: false };
    const node = { parent, index, depth, around, inside: around, head: null, ...range, isDivided: false, children: 0 };
    this.#inHeader = true;
    this.#inEpilogue = false;
    this.#earlyLines = 0;
    if (++this.parts > MAX_PARTS) this.#stop('parts');
    else if (depth > MAX_DEPTH) this.#stop('depth');
    else this.#listener.onPart?.(node);
    return node;
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

function opensWithHyphens(data: Buffer, at: number, end: number): boolean {
  return end - at > 2 && data[at] === DASH && data[at + 1] === DASH;
}

function within(node: Node, own: readonly Buffer[]): Around {
  if (own.length === 0) return node.around;
  const nodes: Node[] = own.map(() => node);
  const delimiters = [...own];
  // An inner multipart with the boundary of an outer one hides it.
  node.around.delimiters.forEach((delimiter, index) => {
    const outer = node.around.nodes[index];
    if (outer === undefined || own.some((one) => one.equals(delimiter))) return;
    nodes.push(outer);
    delimiters.push(delimiter);
  });
  return { nodes, delimiters, longest: Math.max(node.around.longest, longestOf(own)) };
}

function longestOf(delimiters: readonly Buffer[]): number {
  return delimiters.reduce((longest, { length }) => Math.max(longest, length), 0);
}
