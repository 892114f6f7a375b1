import { type CSSToken, TokenType } from '@csstools/css-tokenizer';
import { type Color, contrastOf, parseColor, WHITE, writeColor } from '../../extract/color.ts';
import type { ReportAt } from '../finding.ts';
import type { Element, Visitor } from '../page.ts';
import { cssText, type Declaration, type StyleListener, type Where } from '../styles.ts';

/** The colours inside an element. Null stands for an unknown colour. */
interface Colors {
  readonly text: Color | null;
  readonly background: Color | null;
  readonly large: boolean;
  /** The depths of the elements that set them. */
  readonly textDepth: number;
  readonly backgroundDepth: number;
}

interface Shown {
  readonly colors: Colors;
  readonly start: number;
  readonly end: number;
  /** The element of the text and its ancestors. A style sheet could select each of them. */
  readonly path: Path | null;
}

/** An element and its ancestors. */
interface Path {
  readonly element: Element;
  readonly depth: number;
  readonly outer: Path | null;
}

/** The depths of the elements of a path that style sheets colour. */
interface Reach {
  readonly selectedDepth: number;
  readonly isImportant: boolean;
}

const NO_REACH: Reach = { selectedDepth: 0, isImportant: false };
const COLOR = /^(?:color|background(?:-color|-image)?|opacity|filter|mix-blend-mode)$/;
const ROOT: Colors = { text: null, background: WHITE, large: false, textDepth: 0, backgroundDepth: 0 };
const MAX_TEXTS = 5_000;

/**
 * Reports text with too little contrast. It checks only colours in attributes, and skips text that a style sheet could
 * colour differently: a false alarm is worse than no finding.
 */
export class Contrast implements Visitor, StyleListener {
  readonly #report: ReportAt;
  readonly #stack: { readonly element: Element; readonly colors: Colors; readonly path: Path | null }[] = [];
  readonly #shown: Shown[] = [];
  /** The tags, classes and ids that a style sheet colours. */
  readonly #selected = new Set<string>();
  /** The tags, classes and ids that a style sheet colours with `!important`. */
  readonly #important = new Set<string>();
  readonly #reached = new Map<Path, Reach>();
  #own: { element: Element; declared: Map<string, string> } | null = null;

  constructor(report: ReportAt) {
    this.#report = report;
  }

  // The style reader passes the styles of an element before the element is opened here.
  declaration({ property, value, important, selectors }: Declaration, { element }: Where): void {
    if (selectors !== null) {
      if (!COLOR.test(property)) return;
      const names = important ? this.#important : this.#selected;
      for (const name of namesIn(selectors)) names.add(name);
      return;
    }
    if (this.#own?.element !== element) this.#own = { element, declared: new Map() };
    if (value.length <= 40) this.#own.declared.set(property, cssText(value));
  }

  open(element: Element): void {
    const outer = this.#stack.at(-1);
    const declared = this.#own?.element === element ? this.#own.declared : null;
    const depth = this.#stack.length + 1;
    const path = { element, depth, outer: outer?.path ?? null };
    const colors = colorsOf(element, depth, declared, outer?.colors ?? ROOT);
    this.#stack.push({ element, colors, path });
  }

  close(element: Element): void {
    if (this.#stack.at(-1)?.element === element) this.#stack.pop();
  }

  text(data: string, start: number, within: Element | null): void {
    const words = data.trim();
    if (words.length < 2 || within === null || !within.isShown || this.#shown.length >= MAX_TEXTS) return;
    const top = this.#stack.at(-1);
    if (top === undefined || top.colors.text === null || top.colors.background === null) return;
    const from = start + data.indexOf(words[0] ?? '');
    this.#shown.push({ colors: top.colors, start: from, end: from + words.length, path: top.path });
  }

  end(): void {
    for (const shown of this.#shown) this.#judge(shown);
  }

  #judge(shown: Shown): void {
    const { colors, path } = shown;
    const { text, background, large, textDepth, backgroundDepth } = colors;
    if (text === null || background === null) return;
    const ratio = contrastOf(text, background);
    // The same colour on both is a trick to hide text.
    if (ratio >= (large ? 3 : 4.5) || ratio < 1.05) return;
    if (this.#isSelected(path, Math.min(textDepth, backgroundDepth))) return;
    const severity = ratio < (large ? 2 : 3) ? 'warning' : 'note';
    const pair = `${writeColor(text)} on ${writeColor(background)}`;
    const message = `Text is ${pair}. Its contrast is ${ratio.toFixed(1)}:1, and WCAG AA requires ${large ? '3' : '4.5'}:1.`;
    this.#report({ rule: 'contrast', severity, detail: pair.replaceAll(' ', '-'), message }, shown);
  }

  /** Tells whether a style sheet may colour an element of the chain that is deeper than the attributes' colours. */
  #isSelected(path: Path | null, above: number): boolean {
    if (this.#selected.size + this.#important.size === 0 || path === null) return false;
    const { selectedDepth, isImportant } = this.#reach(path);
    return isImportant || selectedDepth > above;
  }

  /** Returns the depth of the deepest element that a style sheet colours. Each element is looked at once. */
  #reach(path: Path): Reach {
    const known = this.#reached.get(path);
    if (known !== undefined) return known;
    const outer = path.outer === null ? NO_REACH : this.#reach(path.outer);
    const names = namesOf(path.element);
    const reach = {
      isImportant: outer.isImportant || names.some((name) => this.#important.has(name)),
      selectedDepth: names.some((name) => this.#selected.has(name)) ? path.depth : outer.selectedDepth,
    };
    this.#reached.set(path, reach);
    return reach;
  }
}

/** Returns the names by which a selector may mean an element. */
function namesOf({ name, attributes }: Element): string[] {
  const id = attributes.get('id');
  const classes = (attributes.get('class') ?? '').slice(0, 500).toLowerCase().split(/\s+/);
  return ['*', name, ...(id === undefined ? [] : [`#${id.toLowerCase()}`]), ...classes.map((one) => `.${one}`)];
}

function colorsOf(
  { name, attributes, look }: Element,
  depth: number,
  declared: ReadonlyMap<string, string> | null,
  outer: Colors,
): Colors {
  const { large } = look;
  if (declared?.has('opacity') || declared?.has('filter')) return { ...outer, text: null, background: null, large };
  // Programs colour links and buttons themselves.
  const inherited = name === 'a' || name === 'button' ? null : outer.text;
  const written = declared?.get('color') ?? (name === 'font' ? attributes.get('color') : undefined);
  const setsText = written !== undefined && written !== 'inherit';
  const text = setsText ? parseColor(written) : written === 'inherit' ? outer.text : inherited;
  const background = backgroundOf(attributes, declared, outer.background);
  return {
    text,
    background,
    large,
    textDepth: setsText ? depth : outer.textDepth,
    backgroundDepth: background === outer.background ? outer.backgroundDepth : depth,
  };
}

function backgroundOf(
  attributes: ReadonlyMap<string, string>,
  declared: ReadonlyMap<string, string> | null,
  outer: Color | null,
): Color | null {
  const image = declared?.get('background-image');
  const shorthand = declared?.get('background');
  if (attributes.has('background') || (image !== undefined && image !== 'none')) return null;
  if (shorthand !== undefined && /url\(|gradient\(|var\(/.test(shorthand)) return null;
  const written = declared?.get('background-color') ?? shorthand ?? attributes.get('bgcolor');
  if (written === undefined || /^(?:none|transparent|inherit|initial)$/.test(written)) return outer;
  const [first = ''] = written.split(/\s+(?![^(]*\))/, 1);
  return parseColor(first);
}

/** Returns the last names of the selectors, which are those of the elements that they select. */
function namesIn(selectors: readonly CSSToken[]): string[] {
  const names: string[] = [];
  let own: string[] = [];
  const take = () => {
    names.push(...own);
    own = [];
  };
  for (const [at, token] of selectors.entries()) {
    const [type, raw] = token;
    const before = selectors[at - 1];
    if (type === TokenType.Comma) take();
    else if (type === TokenType.Whitespace || (type === TokenType.Delim && /[>+~]/.test(raw))) {
      const next = selectors[at + 1]?.[0];
      if (next !== undefined && next !== TokenType.Comma) own = [];
    } else if (type === TokenType.Delim && raw === '*') own.push('*');
    else if (type === TokenType.Hash) own.push(`#${token[4].value.toLowerCase()}`);
    else if (type === TokenType.Ident && before?.[0] !== TokenType.Colon) {
      own.push((before?.[1] === '.' ? '.' : '') + token[4].value.toLowerCase());
    }
  }
  take();
  return names;
}
