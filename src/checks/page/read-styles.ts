import type { CSSToken } from '@csstools/css-tokenizer';
import { type Declaration, readCss } from '../css/read-css.ts';
import type { Element, Visitor } from './element.ts';

/** The receiver of all styles of a page. Positions are those of the HTML. */
export interface StyleListener {
  declaration(declaration: Declaration, where: Where): void;
  atRule?(name: string, prelude: readonly CSSToken[], where: Where): void;
  rule?(selectors: readonly CSSToken[], isNested: boolean, where: Where): void;
}

export interface Where {
  readonly start: number;
  readonly end: number;
  /** The element with the style attribute, or the style element. */
  readonly element: Element;
  /** Tells whether the style applies only under a condition, such as a width. */
  readonly isConditional: boolean;
}

/** The number of style attributes whose parsed declarations are cached. */
const MAX_KNOWN = 500;
/** Media queries that match in every mail program. */
const ANY_MEDIA = /^\s*(?:(?:all|screen)\s*)?$/i;

/** Reads style elements and style attributes, and passes their rules and declarations to the listeners. */
export class StyleReader implements Visitor {
  readonly #listeners: readonly StyleListener[];
  readonly #known = new Map<string, readonly Declaration[]>();
  #sheet: { readonly element: Element; readonly start: number; css: string[] } | null = null;

  constructor(listeners: readonly StyleListener[]) {
    this.#listeners = listeners;
  }

  open(element: Element): void {
    if (element.name === 'style') this.#sheet = { element, start: element.end, css: [] };
    const style = element.attributes.get('style');
    const place = element.places.get('style');
    if (style === undefined || style === '' || place === undefined) return;
    // The positions of a value with entities are not known.
    const isExact = place.end - place.value <= style.length + 1 && place.end - place.value >= style.length;
    this.#read(style, element, isExact ? place.value : null, place, true);
  }

  text(data: string): void {
    this.#sheet?.css.push(data);
  }

  close(element: Element): void {
    const sheet = this.#sheet;
    if (sheet === null || element.name !== 'style') return;
    this.#sheet = null;
    this.#read(sheet.css.join(''), element, sheet.start, element, false);
  }

  #read(
    css: string,
    element: Element,
    offset: number | null,
    whole: { readonly start: number; readonly end: number },
    isAttribute: boolean,
  ): void {
    const underMedia = !isAttribute && !ANY_MEDIA.test(element.attributes.get('media') ?? '');
    const where = (start: number, end: number, isConditional: boolean): Where => ({
      start: offset === null ? whole.start : offset + start,
      end: offset === null ? whole.end : offset + end,
      element,
      isConditional: isConditional || underMedia,
    });
    const listeners = this.#listeners;
    const sink = {
      declaration: (declaration: Declaration) => {
        const at = where(declaration.start, declaration.end, declaration.isConditional);
        for (const listener of listeners) listener.declaration(declaration, at);
      },
      atRule: (name: string, prelude: readonly CSSToken[], start: number, end: number) => {
        for (const listener of listeners) listener.atRule?.(name, prelude, where(start, end, true));
      },
      rule: (selectors: readonly CSSToken[], isConditional: boolean, isNested: boolean, start: number, end: number) => {
        for (const listener of listeners) listener.rule?.(selectors, isNested, where(start, end, isConditional));
      },
    };
    if (!isAttribute) {
      readCss(css, sink);
      return;
    }
    // Mails repeat the same styles again and again.
    const known = this.#known.get(css) ?? declarationsOf(css);
    if (this.#known.size < MAX_KNOWN) this.#known.set(css, known);
    for (const declaration of known) sink.declaration(declaration);
  }
}

function declarationsOf(css: string): readonly Declaration[] {
  const declarations: Declaration[] = [];
  const sink = {
    declaration: (declaration: Declaration) => void declarations.push(declaration),
    atRule: () => {},
    rule: () => {},
  };
  readCss(css, sink, true);
  return declarations;
}
