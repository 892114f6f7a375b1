import { type CSSToken, TokenType } from '@csstools/css-tokenizer';
import { cssText, type Declaration } from '../css/read-css.ts';

/** Properties that stand for a feature with another name. */
const PROPERTIES: Readonly<Record<string, string>> = {
  left: 'css-left-right-top-bottom',
  right: 'css-left-right-top-bottom',
  top: 'css-left-right-top-bottom',
  bottom: 'css-left-right-top-bottom',
  'column-gap': 'css-gap',
  'row-gap': 'css-gap',
  'block-size': 'css-block-inline-size',
  'inline-size': 'css-block-inline-size',
  'margin-block': 'css-margin-inline-block',
  'margin-inline': 'css-margin-inline-block',
  'margin-block-start': 'css-margin-block-start-end',
  'margin-block-end': 'css-margin-block-start-end',
  'margin-inline-start': 'css-margin-inline-start-end',
  'margin-inline-end': 'css-margin-inline-start-end',
  'padding-block': 'css-padding-inline-block',
  'padding-inline': 'css-padding-inline-block',
  'padding-block-start': 'css-padding-block-start-end',
  'padding-block-end': 'css-padding-block-start-end',
  'padding-inline-start': 'css-padding-inline-start-end',
  'padding-inline-end': 'css-padding-inline-start-end',
  'border-inline': 'css-border-inline-block',
  'border-block': 'css-border-inline-block',
};
/** Slugs that begin like a property but do not name one. */
const NO_PROPERTY =
  /^css-(?:at|function|pseudo|selector|unit)-|^css-(?:comments|important|intrinsic-size|modern-color|nesting|variables|rgba?|display-.*|linear-gradient|radial-gradient|conic-gradient|sytem-ui)$/;
const FUNCTIONS: Readonly<Record<string, string>> = {
  var: 'css-variables',
  calc: 'css-unit-calc',
  clamp: 'css-function-clamp',
  max: 'css-function-max',
  min: 'css-function-min',
  'light-dark': 'css-function-light-dark',
  lch: 'css-modern-color',
  oklch: 'css-modern-color',
  lab: 'css-modern-color',
  oklab: 'css-modern-color',
  'linear-gradient': 'css-linear-gradient',
  'radial-gradient': 'css-radial-gradient',
  'conic-gradient': 'css-conic-gradient',
  rgb: 'css-rgb',
  rgba: 'css-rgba',
};
const UNITS = new Set(['ch', 'cm', 'em', 'ex', 'in', 'mm', 'pc', 'pt', 'px', 'rem', 'vh', 'vmax', 'vmin', 'vw']);
const OFF_FLOW = new Set(['absolute', 'fixed', 'sticky']);
const PSEUDO_ELEMENTS = new Set(['after', 'before', 'first-letter', 'first-line', 'marker', 'placeholder']);

const known = new WeakMap<readonly CSSToken[], readonly string[]>();

/** Returns the slugs of the features that a declaration uses. They may be unknown to the data. */
export function featuresOfDeclaration({ property, value }: Declaration): readonly string[] {
  const kept = known.get(value);
  if (kept !== undefined) return kept;
  const slugs = slugsOf(property, value);
  known.set(value, slugs);
  return slugs;
}

function slugsOf(property: string, value: readonly CSSToken[]): string[] {
  const slugs: string[] = [];
  const text = value.length <= 20 ? cssText(value).replace(/(?<!\s)\s*!important$/, '') : '';
  const own = propertySlug(property, text);
  if (own !== null) slugs.push(own);
  for (const token of value) {
    if (token[0] === TokenType.Function) slugs.push(FUNCTIONS[token[4].value.toLowerCase()] ?? '');
    else if (token[0] === TokenType.Percentage) slugs.push('css-unit-percent');
    else if (token[0] === TokenType.Dimension) {
      const unit = token[4].unit.toLowerCase();
      if (UNITS.has(unit)) slugs.push(`css-unit-${unit}`);
    } else if (token[0] === TokenType.Ident && token[4].value.toLowerCase() === 'initial') {
      slugs.push('css-unit-initial');
    }
  }
  return [...new Set(slugs)].filter((slug) => slug !== '');
}

function propertySlug(property: string, value: string): string | null {
  if (property === 'display') {
    if (/^(?:inline-)?flex$/.test(value)) return 'css-display-flex';
    if (/^(?:inline-)?grid$/.test(value)) return 'css-display-grid';
    return value === 'none' ? 'css-display-none' : 'css-display';
  }
  // In the normal flow the property only sets the origin of others.
  if (property === 'position') return OFF_FLOW.has(value) ? 'css-position' : null;
  if (property === 'flex-direction') return value.startsWith('column') ? 'css-flex-direction' : null;
  if (property === 'flex-wrap') return value.startsWith('wrap') ? 'css-flex-wrap' : null;
  if (property.startsWith('--')) return null;
  if (/^grid-template(?:-|$)/.test(property)) return 'css-grid-template';
  const slug = PROPERTIES[property] ?? `css-${property}`;
  return NO_PROPERTY.test(slug) ? null : slug;
}

/** Returns the slugs of the features that an at-rule uses. */
export function featuresOfAtRule(name: string, prelude: readonly CSSToken[]): string[] {
  if (name !== 'media') return [`css-at-${name.replace(/^-\w+-/, '')}`];
  const text = cssText(prelude);
  const condition = MEDIA.find(([pattern]) => pattern.test(text));
  return ['css-at-media', ...(condition === undefined ? [] : [condition[1]])];
}

const MEDIA: readonly (readonly [RegExp, string])[] = [
  [/prefers-color-scheme/, 'css-at-media-prefers-color-scheme'],
  [/prefers-reduced-motion/, 'css-at-media-prefers-reduced-motion'],
  [/orientation/, 'css-at-media-orientation'],
  [/device-pixel-ratio/, 'css-at-media-device-pixel-ratio'],
  [/\((?:any-)?hover/, 'css-at-media-hover'],
];

/** Returns the slugs of the pseudo-classes and pseudo-elements in selectors. */
export function featuresOfSelectors(selectors: readonly CSSToken[]): string[] {
  const slugs = new Set<string>();
  for (const [at, token] of selectors.entries()) {
    if (selectors[at - 1]?.[0] !== TokenType.Colon) continue;
    if (token[0] !== TokenType.Ident && token[0] !== TokenType.Function) continue;
    const name = token[4].value.toLowerCase();
    slugs.add(PSEUDO_ELEMENTS.has(name) ? `css-pseudo-element-${name}` : `css-pseudo-class-${name}`);
  }
  return [...slugs];
}
