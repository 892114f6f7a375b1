import { Tokenizer } from 'htmlparser2';

/** The receiver of the elements and texts of an HTML walk. */
export interface HtmlSink {
  /** An element opens. `attributes` holds only the relevant ones; the first value counts if one repeats. */
  open(name: string, attributes: ReadonlyMap<string, string>, isVoid: boolean): void;
  /** The innermost open element ends. It is called once for each element that was opened and is not void. */
  close(name: string): void;
  text(data: string): void;
}

const ATTRIBUTES = new Set(['hidden', 'style', 'href', 'alt', 'size']);
/** The nesting limit of browsers. Deeper elements count as children of the last allowed level. */
const MAX_DEPTH = 512;
const MAX_ATTRIBUTE_CHARACTERS = 16 * 1024;

const VOID = new Set(
  'area base basefont br col command embed frame hr img input keygen link meta param source track wbr'.split(' '),
);
const HEAD_CONTENT = new Set('title meta link base style script noscript template basefont'.split(' '));
const ENDS_P = new Set(
  'address article aside blockquote center details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul'.split(
    ' ',
  ),
);
/** The elements that a start tag closes implicitly, because their end tag may be omitted (HTML 13.1.2.4). */
const ENDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['li', new Set(['li'])],
  ['dt', new Set(['dt', 'dd'])],
  ['dd', new Set(['dt', 'dd'])],
  ['td', new Set(['td', 'th'])],
  ['th', new Set(['td', 'th'])],
  ['tr', new Set(['td', 'th', 'tr'])],
  ['tbody', new Set(['td', 'th', 'tr', 'thead', 'tbody'])],
  ['tfoot', new Set(['td', 'th', 'tr', 'thead', 'tbody'])],
  ['body', new Set(['head'])],
]);
const P = new Set(['p']);

// It uses only the tokenizer. htmlparser2's Parser shifts and searches an array of open elements, which takes quadratic
// time for a mail with a million elements.

/** Walks over HTML in linear time. */
export function walkHtml(html: string, sink: HtmlSink): void {
  const stack: string[] = [];
  const open = new Map<string, number>();
  let tooDeep = 0;
  let name = '';
  let attribute = '';
  let value = '';
  let attributes = new Map<string, string>();

  const pop = () => {
    const last = stack.pop();
    if (last === undefined) return;
    open.set(last, (open.get(last) ?? 1) - 1);
    sink.close(last);
  };
  const popWhile = (names: ReadonlySet<string>) => {
    for (let top = stack.at(-1); top !== undefined && names.has(top); top = stack.at(-1)) pop();
  };
  const start = () => {
    if (stack.at(-1) === 'head' && !HEAD_CONTENT.has(name)) pop();
    const ended = ENDS.get(name) ?? (ENDS_P.has(name) ? P : undefined);
    if (ended !== undefined) popWhile(ended);
    if (VOID.has(name)) sink.open(name, attributes, true);
    else if (stack.length >= MAX_DEPTH) tooDeep++;
    else {
      stack.push(name);
      open.set(name, (open.get(name) ?? 0) + 1);
      sink.open(name, attributes, false);
    }
    attributes = new Map();
  };
  const end = (closed: string) => {
    if (closed === 'br') sink.open('br', new Map(), true);
    else if (tooDeep > 0) tooDeep--;
    else if ((open.get(closed) ?? 0) > 0) {
      while (stack.at(-1) !== closed) pop();
      pop();
    }
  };
  const say = (data: string) => {
    if (stack.at(-1) === 'head' && data.trim() !== '') pop();
    sink.text(data);
  };
  const keep = (data: string) => {
    if (ATTRIBUTES.has(attribute) && value.length < MAX_ATTRIBUTE_CHARACTERS) value += data;
  };

  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      ontext: (from, to) => say(html.slice(from, to)),
      ontextentity: (codepoint) => say(String.fromCodePoint(codepoint)),
      onopentagname: (from, to) => {
        name = html.slice(from, to).toLowerCase();
      },
      onattribname: (from, to) => {
        attribute = to - from > 10 ? '' : html.slice(from, to).toLowerCase();
        value = '';
      },
      onattribdata: (from, to) => keep(html.slice(from, to)),
      onattribentity: (codepoint) => keep(String.fromCodePoint(codepoint)),
      onattribend: () => {
        if (ATTRIBUTES.has(attribute) && !attributes.has(attribute)) attributes.set(attribute, value);
      },
      onopentagend: start,
      onselfclosingtag: start,
      onclosetag: (from, to) => end(html.slice(from, to).toLowerCase()),
      oncdata: () => {},
      oncomment: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  while (stack.length > 0) pop();
}
