import { unreachable } from '../domain/unreachable.ts';
import { AFTER_BOUNDARY, type Delimiter, delimiterLine, nextDelimiter } from './delimiter.ts';
import { type Field, isBlank, readFields } from './header-block.ts';
import { HeaderBytes } from './header-bytes.ts';
import { readPart } from './part.ts';

const LF = 0x0a;
const STEP_BYTES = 64 * 1024;
const NO_BYTES = Buffer.alloc(0);

/** Parts read, the mail itself included. */
export const MAX_PARTS = 10_000;
export const MAX_DEPTH = 100;

/** Where reading stopped short. */
export type Limit = 'parts' | 'depth';

interface Node {
  readonly parent: Node | null;
  readonly depth: number;
  /** The delimiter of the parts inside, known from the end of the header. */
  inner: Buffer | null;
  /** The delimiter that ends this part, and the part it belongs to. */
  readonly outer: Buffer | null;
  readonly owner: Node | null;
}

/** The bytes a wanted field may begin with. White space before a name is passed over, as mailsplit does. */
const WHITE_SPACE = ' \t\r\v\f\xa0';
const ROOT_NAMES: ReadonlySet<number> = new Set(Buffer.from(`CcFfSsTt${WHITE_SPACE}`, 'latin1'));
const PART_NAMES: ReadonlySet<number> = new Set(Buffer.from(`Cc${WHITE_SPACE}`, 'latin1'));

/**
 * Finds the parts of a mail in one pass over its bytes, however they are cut. It follows mailsplit, mailparser's splitter,
 * line by line, but for the lines of bodies, which it leaps over: at any place only two delimiters end anything, that of
 * the part's own parts and that of its owner.
 */
export class StructureReader {
  readonly #onRoot: (fields: readonly Field[]) => void;
  readonly #header = new HeaderBytes();
  #node: Node = { parent: null, depth: 0, inner: null, outer: null, owner: null };
  #inHeader = true;
  #inEpilogue = false;
  #held = NO_BYTES;
  /** The bytes to come continue a line too long to be a delimiter. */
  #midLine = false;
  /** Nothing that may follow changes what is known. */
  #done = false;
  #at = 0;
  attachments = 0;
  parts = 1;
  limit: Limit | null = null;

  /** `onRoot` is told the mail's own header, as views that live no longer than the call. */
  constructor(onRoot: (fields: readonly Field[]) => void) {
    this.#onRoot = onRoot;
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

  /** Up to the end of the header, or of the part; false when more bytes are needed. */
  #readHeader(data: Buffer, final: boolean): boolean {
    const from = this.#at;
    let at = from;
    for (;;) {
      const lf = data.indexOf(LF, at);
      const end = lf < 0 ? data.length : lf + 1;
      if (lf < 0 && !final) break;
      if (!this.#midLine) {
        const what = delimiterLine(data, at, end, this.#node.outer);
        if (what !== null) {
          this.#header.add(data.subarray(from, at));
          return this.#pass(what, end);
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

  /** Up to the next delimiter; false when more bytes are needed. */
  #readBody(data: Buffer, final: boolean): boolean {
    const { outer } = this.#node;
    const inner = this.#inEpilogue ? null : this.#node.inner;
    if (inner === null && outer === null) {
      this.#done = true;
      return false;
    }
    const found = nextDelimiter(data, this.#at, { inner, outer, midLine: this.#midLine, final });
    if (found === null) {
      this.#holdLastLine(data);
      return false;
    }
    if (found.what !== 'more') return this.#pass(found.what, found.end);
    this.#at = found.start;
    this.#midLine = false;
    return false;
  }

  /** Goes on behind a delimiter's line, in what it opens or closes. */
  #pass(passed: Delimiter, end: number): true {
    this.#at = end;
    this.#midLine = false;
    switch (passed) {
      case 'child':
        this.#open(this.#node);
        break;
      case 'children end':
        // Before the first of them: more may come.
        break;
      case 'sibling':
        // A header without a body, which mailparser passes over.
        if (this.#inHeader) this.#header.take(NO_BYTES);
        this.#open(this.#node.owner);
        break;
      case 'end':
        if (this.#inHeader) this.#endHeader(NO_BYTES, true);
        this.#node = this.#node.owner ?? this.#node;
        this.#inHeader = false;
        this.#inEpilogue = true;
        break;
      default:
        unreachable(passed);
    }
    return true;
  }

  /** `isClosed`: the part ends with its header, and holds nothing. */
  #endHeader(last: Buffer, isClosed = false): void {
    const isRoot = this.#node.parent === null;
    const { fields } = readFields(this.#header.take(last), isRoot ? ROOT_NAMES : PART_NAMES);
    if (isRoot) this.#onRoot(fields);
    const part = readPart(fields, isRoot);
    const holdsMail = part.holdsMail && !isClosed;
    if (part.isAttachment && !holdsMail) this.attachments++;
    this.#node.inner = part.delimiter;
    this.#inHeader = false;
    if (holdsMail) this.#openMail(this.#node);
  }

  #open(parent: Node | null): void {
    this.#enter({
      parent,
      depth: (parent?.depth ?? 0) + 1,
      inner: null,
      outer: parent?.inner ?? null,
      owner: parent,
    });
  }

  /** A mail inside goes on in its container, whose delimiters end it too. */
  #openMail(holder: Node): void {
    const owner = holder.parent ?? holder;
    this.#enter({ parent: holder, depth: holder.depth + 1, inner: null, outer: owner.inner, owner });
  }

  #enter(node: Node): void {
    this.#node = node;
    this.#inHeader = true;
    this.#inEpilogue = false;
    if (++this.parts > MAX_PARTS) this.#stop('parts');
    else if (node.depth > MAX_DEPTH) this.#stop('depth');
  }

  #stop(limit: Limit): void {
    this.limit = limit;
    this.#done = true;
  }

  /** A line that may yet turn out to be a delimiter waits for the rest of it. */
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

  #longestLine(): number {
    return 1 + Math.max(this.#node.inner?.length ?? 0, this.#node.outer?.length ?? 0) + AFTER_BOUNDARY;
  }
}
