// mailsplit, mailparser's splitter, deviates from RFC 2046. These functions correct it through the members of its
// classes.

/** The undocumented parts of mailsplit that this file uses. The tests of the parse fail if a release changes them. */
export interface MailSplitter {
  node: SplitNode;
  newNode(parent?: SplitNode | false): void;
  /**
   * Classifies a line: 1 and 2 are the opening and closing delimiter of the node's own parts, 3 and 4 those of its
   * owner. False means none.
   */
  checkBoundary(line: Buffer): number | false;
}

interface SplitNode {
  headers: object | false;
  multipart: string | false;
  contentType: string | false;
  disposition: string | false;
  _boundary: Buffer | false;
  /** The boundary of the owner. */
  _parentBoundary: Buffer | false;
  _parentBoundaryOwner: SplitNode | false;
  parseHeaders(): void;
}

const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;

/**
 * Makes the delimiter of any outer multipart end all inner ones (RFC 2046 5.1.2). mailsplit checks only the innermost
 * two.
 */
export function obeyOuterDelimiters(splitter: MailSplitter): void {
  const check = splitter.checkBoundary.bind(splitter);
  splitter.checkBoundary = (line) => {
    const own = check(line);
    if (own !== false || !mayBeDelimiter(line)) return own;
    const { node } = splitter;
    const owners = node._parentBoundaryOwner;
    const boundary = node._parentBoundary;
    for (let inner = owners; inner !== false; inner = inner._parentBoundaryOwner) {
      if (inner._parentBoundary === false) continue;
      node._parentBoundary = inner._parentBoundary;
      const found = check(line);
      node._parentBoundary = boundary;
      if (found === false) continue;
      // Parsing continues at the owner of the delimiter.
      node._parentBoundaryOwner = inner._parentBoundaryOwner;
      return found;
    }
    return false;
  };
}

/**
 * Reads multiparts without delimiters as one text. `undivided` holds their numbers in the order of the mail, from 1.
 * The returned set gets their nodes as they are created.
 */
export function readUndividedAsText(splitter: MailSplitter, undivided: ReadonlySet<number>): ReadonlySet<object> {
  const nodes = new Set<object>();
  if (undivided.size === 0) return nodes;
  let number = 1;
  const mark = () => {
    if (!undivided.has(number)) return;
    readAsText(splitter.node);
    nodes.add(splitter.node);
  };
  mark();
  const create = splitter.newNode.bind(splitter);
  splitter.newNode = (parent) => {
    create(parent);
    number++;
    mark();
  };
  return nodes;
}

function readAsText(node: SplitNode): void {
  const parse = node.parseHeaders.bind(node);
  node.parseHeaders = () => {
    if (node.headers !== false) return;
    parse();
    node.multipart = false;
    node.contentType = 'text/plain';
    node.disposition = false;
    node._boundary = false;
  };
}

function mayBeDelimiter(line: Buffer): boolean {
  return line[0] === DASH || line[0] === CR || line[0] === LF;
}
