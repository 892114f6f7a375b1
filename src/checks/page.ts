import { type AttributePlace, type HtmlSink, type HtmlSpan, type TagPlace, walkHtml } from '../extract/html-walk.ts';
import { isShown, type Look, lookOf, PLAIN } from '../extract/look.ts';

/** An element of a mail's HTML, while it is open. */
export interface Element extends HtmlSpan {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly places: ReadonlyMap<string, AttributePlace>;
  readonly parent: Element | null;
  readonly look: Look;
  /** Tells whether the reader sees it. */
  readonly isShown: boolean;
  /** Tells whether a conditional comment hides it from Outlook on Windows. */
  readonly notForOutlook: boolean;
}

/** A visitor of the HTML for a rule. Its methods are called in the order of the document. */
export interface Visitor {
  open?(element: Element): void;
  close?(element: Element): void;
  /** A text between tags. `within` is the innermost open element. */
  text?(data: string, start: number, within: Element | null): void;
  /** The document ends. */
  end?(): void;
}

/** Walks over the HTML once and passes each element and text to all visitors. Its cost is linear. */
export function readPage(html: string, visitors: readonly Visitor[]): void {
  walkHtml(html, new Page(visitors));
  for (const visitor of visitors) visitor.end?.();
}

/** `<!--[if !mso]><!-->` and `<!--[if !mso]>-->` begin content that Outlook on Windows skips. */
const BEGINS_NOT_MSO = /^\s*\[if\s[^\]]{0,60}!\s*(?:\(\s*)?(?:mso|vml)[^\]]{0,60}\]>/i;
const ENDS = /<!\[endif\]\s*$/i;

class Page implements HtmlSink {
  readonly wantsAll = true;
  readonly #visitors: readonly Visitor[];
  readonly #stack: Element[] = [];
  #notForOutlook = false;

  constructor(visitors: readonly Visitor[]) {
    this.#visitors = visitors;
  }

  open(name: string, attributes: ReadonlyMap<string, string>, isVoid: boolean, place: TagPlace): void {
    const parent = this.#stack.at(-1) ?? null;
    const look = lookOf(name, attributes, parent?.look ?? PLAIN);
    const element: Element = {
      name,
      attributes,
      places: place.attributes,
      parent,
      look,
      isShown: isShown(look),
      notForOutlook: this.#notForOutlook,
      start: place.start,
      end: place.end,
    };
    for (const visitor of this.#visitors) visitor.open?.(element);
    if (isVoid) for (const visitor of this.#visitors) visitor.close?.(element);
    else this.#stack.push(element);
  }

  close(): void {
    const element = this.#stack.pop();
    if (element === undefined) return;
    for (const visitor of this.#visitors) visitor.close?.(element);
  }

  text(data: string, start: number): void {
    const within = this.#stack.at(-1) ?? null;
    for (const visitor of this.#visitors) visitor.text?.(data, start, within);
  }

  comment(data: string): void {
    const head = data.slice(0, 200);
    // A comment with both marks shows its content only to Outlook, so it does not count here.
    if (BEGINS_NOT_MSO.test(head) && !ENDS.test(data.slice(-40))) this.#notForOutlook = true;
    else if (ENDS.test(data.slice(-40))) this.#notForOutlook = false;
  }
}
