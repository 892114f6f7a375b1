import { Tokenizer } from 'htmlparser2';

/** A range of the HTML in UTF-16 units. `end` is the position after it. */
export interface HtmlSpan {
  readonly start: number;
  readonly end: number;
}

/** The place of a start tag, and of its attributes if the sink wants all of them. */
export interface TagPlace extends HtmlSpan {
  /** The places of the attributes by their names, each from its name to its end. */
  readonly attributes: ReadonlyMap<string, AttributePlace>;
}

export interface AttributePlace extends HtmlSpan {
  /** The position of the value, without its quotation mark. */
  readonly value: number;
}

/** The receiver of the elements and texts that {@link walkHtml} finds. */
export interface HtmlSink {
  /**
   * `true` if the sink needs every attribute with its place. Otherwise only attributes that affect the text are read.
   */
  readonly wantsAll?: true;
  /** An element opens. `attributes` holds only the relevant ones; the first value counts if one repeats. */
  open(name: string, attributes: ReadonlyMap<string, string>, isVoid: boolean, place: TagPlace): void;
  /** The innermost open element ends. It is called once for each element that was opened and is not void. */
  close(name: string): void;
  /**
   * A text, or a part of one. `start` is its position in the HTML; for a decoded entity it is the end of the entity.
   */
  text(data: string, start: number): void;
  /** A comment without its marks. */
  comment?(data: string, start: number): void;
}

const ATTRIBUTES = new Set('aria-label title hidden style href alt size'.split(' '));
/** The nesting limit of browsers. Deeper elements count as children of the last allowed level. */
const MAX_DEPTH = 512;
const MAX_ATTRIBUTE_CHARACTERS = 16 * 1024;
/** The number of attributes that are read of an element if a sink needs all of them. */
const MAX_ATTRIBUTES = 100;
const NO_PLACES: ReadonlyMap<string, AttributePlace> = new Map();

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
  let places = new Map<string, AttributePlace>();
  let tagStart = 0;
  let nameStart = 0;
  let valueStart = 0;
  const { wantsAll = false } = sink;
  const isWanted = (attribute: string) =>
    wantsAll ? attribute !== '' && attributes.size < MAX_ATTRIBUTES : ATTRIBUTES.has(attribute);

  const pop = () => {
    const last = stack.pop();
    if (last === undefined) return;
    open.set(last, (open.get(last) ?? 1) - 1);
    sink.close(last);
  };
  const popWhile = (names: ReadonlySet<string>) => {
    for (let top = stack.at(-1); top !== undefined && names.has(top); top = stack.at(-1)) pop();
  };
  const start = (end: number) => {
    const place = { start: tagStart, end: end + 1, attributes: wantsAll ? places : NO_PLACES };
    if (stack.at(-1) === 'head' && !HEAD_CONTENT.has(name)) pop();
    const ended = ENDS.get(name) ?? (ENDS_P.has(name) ? P : undefined);
    if (ended !== undefined) popWhile(ended);
    if (VOID.has(name)) sink.open(name, attributes, true, place);
    else if (stack.length >= MAX_DEPTH) tooDeep++;
    else {
      stack.push(name);
      open.set(name, (open.get(name) ?? 0) + 1);
      sink.open(name, attributes, false, place);
    }
    attributes = new Map();
    if (wantsAll) places = new Map();
  };
  const end = (closed: string, from: number, to: number) => {
    if (closed === 'br') sink.open('br', new Map(), true, { start: from, end: to, attributes: NO_PLACES });
    else if (tooDeep > 0) tooDeep--;
    else if ((open.get(closed) ?? 0) > 0) {
      while (stack.at(-1) !== closed) pop();
      pop();
    }
  };
  const say = (data: string, from: number) => {
    if (stack.at(-1) === 'head' && data.trim() !== '') pop();
    sink.text(data, from);
  };
  // The tokenizer reports a text in parts, for example each `<` by itself.
  let textFrom = 0;
  let textTo = 0;
  const endText = () => {
    if (textFrom < textTo) say(html.slice(textFrom, textTo), textFrom);
    textFrom = textTo;
  };
  const keep = (data: string, from: number) => {
    if (value === '' && valueStart < 0) valueStart = from;
    if (isWanted(attribute) && value.length < MAX_ATTRIBUTE_CHARACTERS) value += data;
  };

  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      ontext: (from, to) => {
        if (from !== textTo) {
          endText();
          textFrom = from;
        }
        textTo = to;
      },
      ontextentity: (codepoint, to) => {
        endText();
        say(String.fromCodePoint(codepoint), to);
      },
      onopentagname: (from, to) => {
        endText();
        tagStart = from - 1;
        name = html.slice(from, to).toLowerCase();
      },
      onattribname: (from, to) => {
        attribute = to - from > (wantsAll ? 40 : 10) ? '' : html.slice(from, to).toLowerCase();
        value = '';
        nameStart = from;
        valueStart = -1;
      },
      onattribdata: (from, to) => keep(html.slice(from, to), from),
      onattribentity: (codepoint) => keep(String.fromCodePoint(codepoint), -1),
      onattribend: (_quote, to) => {
        if (!isWanted(attribute) || attributes.has(attribute)) return;
        attributes.set(attribute, value);
        if (wantsAll) places.set(attribute, { start: nameStart, end: to, value: valueStart < 0 ? to : valueStart });
      },
      onopentagend: start,
      onselfclosingtag: start,
      onclosetag: (from, to) => {
        endText();
        end(html.slice(from, to).toLowerCase(), from, to);
      },
      oncdata: () => {},
      oncomment: (from, to, marks) => {
        endText();
        sink.comment?.(html.slice(from, Math.max(from, to - marks)), from);
      },
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  endText();
  while (stack.length > 0) pop();
}
