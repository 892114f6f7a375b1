// Where mailsplit, mailparser's splitter, falls short of RFC 2046 it is helped from outside, over what its classes show.

/** What is leaned on of mailsplit beyond its types; the tests of the parse fail where a release changes it. */
export interface Splitter {
  node: SplitNode;
  newNode(parent?: SplitNode | false): void;
  /** 1 and 2: the delimiter of the node's own parts, opening or closing; 3 and 4: that of its owner; false: none. */
  checkBoundary(line: Buffer): number | false;
}

interface SplitNode {
  headers: object | false;
  multipart: string | false;
  contentType: string | false;
  disposition: string | false;
  _boundary: Buffer | false;
  /** That of the owner. */
  _parentBoundary: Buffer | false;
  _parentBoundaryOwner: SplitNode | false;
  parseHeaders(): void;
}

const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;

/** A delimiter of any multipart around ends all within it (RFC 2046 5.1.2); mailsplit asks for the innermost two alone. */
export function obeyOuterDelimiters(splitter: Splitter): void {
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
      // It goes on from the owner of the delimiter, as for one of the node's own owner.
      node._parentBoundaryOwner = inner._parentBoundaryOwner;
      return found;
    }
    return false;
  };
}

/**
 * What no delimiter divides is read as one text. `undivided` are the numbers of such multiparts in the order of the mail,
 * from 1; the nodes they are read into are in the set that is given back, once they are there.
 */
export function readUndividedAsText(splitter: Splitter, undivided: ReadonlySet<number>): ReadonlySet<object> {
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
