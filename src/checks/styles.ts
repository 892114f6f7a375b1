import { type CSSToken, TokenType, tokenize } from '@csstools/css-tokenizer';
import type { Element, Visitor } from './page.ts';

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

/** A declaration of a style sheet or of a style attribute. */
export interface Declaration {
  /** The property in lower case. */
  readonly property: string;
  readonly value: readonly CSSToken[];
  readonly important: boolean;
  readonly start: number;
  readonly end: number;
  /** Tells whether it is in a block of an at-rule such as `@media`. */
  readonly isConditional: boolean;
  /** Tells whether the same block set the property before, as a fallback for clients that do not know this value. */
  readonly hasFallback: boolean;
  /** The selectors of its rule; null in a style attribute. */
  readonly selectors: readonly CSSToken[] | null;
}

/** The receiver of the parts of a style sheet. */
interface CssSink {
  declaration(declaration: Declaration): void;
  /** An at-rule begins. Its name is in lower case and has no `@`. */
  atRule(name: string, prelude: readonly CSSToken[], start: number, end: number): void;
  /** The selectors of a rule. `isNested` tells whether the rule is inside another rule. */
  rule(selectors: readonly CSSToken[], isConditional: boolean, isNested: boolean, start: number, end: number): void;
}

interface Block {
  readonly kind: 'rule' | 'at';
  readonly selectors: readonly CSSToken[] | null;
  readonly isConditional: boolean;
  readonly set: Set<string>;
}

/** Deeper blocks count as children of the last allowed one. */
const MAX_DEPTH = 50;
/** At-rules whose blocks hold declarations of their own, or frames. */
const NO_RULES = new Set(['font-face', 'keyframes', '-webkit-keyframes', 'page', 'property', 'counter-style']);

/**
 * Reads a style sheet, or with `isAttribute` the value of a style attribute, in linear time. It uses the tokenizer of
 * the CSS specification, and keeps a stack of blocks instead of a tree, so depth costs nothing. It never throws.
 */
function readCss(css: string, sink: CssSink, isAttribute = false): void {
  const stack: Block[] = [];
  let skipped = 0;
  let pending: CSSToken[] = [];
  let brackets = 0;
  const own = new Set<string>();

  const top = () => stack.at(-1);
  const finish = () => {
    const tokens = pending;
    pending = [];
    brackets = 0;
    const block = top();
    const first = tokens[0];
    if (first === undefined) return;
    if (first[0] === TokenType.AtKeyword)
      return sink.atRule(first[4].value.toLowerCase(), tokens, first[2], endOf(tokens));
    if (block === undefined && !isAttribute) return;
    if (block?.kind === 'at' && block.selectors === null && !isAttribute) return;
    const declared = declarationOf(tokens);
    if (declared === null) return;
    const set = block?.set ?? own;
    sink.declaration({
      ...declared,
      isConditional: block?.isConditional ?? false,
      hasFallback: set.has(declared.property),
      selectors: block?.selectors ?? null,
    });
    if (set.size < 1_000) set.add(declared.property);
  };
  const open = () => {
    const tokens = pending;
    pending = [];
    brackets = 0;
    if (stack.length >= MAX_DEPTH) {
      skipped++;
      return;
    }
    const outer = top();
    const first = tokens[0];
    if (first?.[0] === TokenType.AtKeyword) {
      const name = first[4].value.toLowerCase();
      sink.atRule(name, tokens, first[2], endOf(tokens));
      const selectors = NO_RULES.has(name) ? null : (outer?.selectors ?? null);
      stack.push({ kind: 'at', selectors, isConditional: true, set: new Set() });
      return;
    }
    const isConditional = outer?.isConditional ?? false;
    const isNested = outer?.selectors !== null && outer !== undefined;
    if (first !== undefined) sink.rule(tokens, isConditional, isNested, first[2], endOf(tokens));
    stack.push({ kind: 'rule', selectors: tokens, isConditional, set: new Set() });
  };

  for (const token of tokenize({ css })) {
    switch (token[0]) {
      case TokenType.Whitespace:
      case TokenType.Comment:
      case TokenType.CDO:
      case TokenType.CDC:
        if (pending.length > 0 && token[0] === TokenType.Whitespace) pending.push(token);
        break;
      case TokenType.OpenCurly:
        open();
        break;
      case TokenType.CloseCurly:
        finish();
        if (skipped > 0) skipped--;
        else stack.pop();
        break;
      case TokenType.Semicolon:
        if (brackets > 0) pending.push(token);
        else finish();
        break;
      case TokenType.EOF:
        finish();
        break;
      case TokenType.OpenParen:
      case TokenType.Function:
        brackets++;
        pending.push(token);
        break;
      case TokenType.CloseParen:
        brackets = Math.max(0, brackets - 1);
        pending.push(token);
        break;
      default:
        pending.push(token);
    }
  }
}

function declarationOf(
  tokens: readonly CSSToken[],
): Pick<Declaration, 'property' | 'value' | 'important' | 'start' | 'end'> | null {
  const [first] = tokens;
  if (first?.[0] !== TokenType.Ident) return null;
  const colon = tokens[1]?.[0] === TokenType.Whitespace ? 2 : 1;
  if (tokens[colon]?.[0] !== TokenType.Colon) return null;
  const value = tokens.slice(colon + 1);
  const important = value.some(([type, raw], at) => type === TokenType.Delim && raw === '!' && isImportant(value, at));
  return { property: first[4].value.toLowerCase(), value, important, start: first[2], end: endOf(tokens) };
}

function isImportant(value: readonly CSSToken[], at: number): boolean {
  const next = value[at + 1]?.[0] === TokenType.Whitespace ? value[at + 2] : value[at + 1];
  return next?.[0] === TokenType.Ident && next[4].value.toLowerCase() === 'important';
}

/** Returns the position after the last token. The tokenizer's own end is the last unit. */
function endOf(tokens: readonly CSSToken[]): number {
  return (tokens.at(-1)?.[3] ?? -1) + 1;
}

/** Returns tokens as text in lower case, without white space at the ends. */
export function cssText(tokens: readonly CSSToken[]): string {
  return tokens
    .map(([, raw]) => raw)
    .join('')
    .trim()
    .toLowerCase();
}
