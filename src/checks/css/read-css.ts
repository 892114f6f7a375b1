import { type CSSToken, TokenType, tokenize } from '@csstools/css-tokenizer';

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
export interface CssSink {
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
export function readCss(css: string, sink: CssSink, isAttribute = false): void {
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
