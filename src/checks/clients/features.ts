import { type CSSToken, TokenType } from '@csstools/css-tokenizer';
import type { Element } from '../page.ts';
import { cssText, type Declaration } from '../styles.ts';
import { CLIENT_IDS, type ClientId } from './named.ts';
import { FEATURES } from './support.ts';

/** A feature of HTML, CSS or images, with the letter of each client in the order of CLIENTS. */
export interface Feature {
  readonly slug: string;
  readonly title: string;
  readonly support: string;
}

let features: ReadonlyMap<string, Feature> | null = null;

/** Returns the features by their slugs. The data is read with the first call. */
export function featuresBySlug(): ReadonlyMap<string, Feature> {
  features ??= new Map(
    FEATURES.trim()
      .split('\n')
      .map((line) => {
        const [slug = '', title = '', support = ''] = line.split('|');
        return [slug, { slug, title, support }];
      }),
  );
  return features;
}

/** Returns the clients that do not support a feature. Partial support counts as support. */
export function lacking(feature: Feature, clients: readonly ClientId[]): ClientId[] {
  return clients.filter((id) => feature.support[CLIENT_IDS.indexOf(id)] === 'n');
}

/** Elements that are features of their own. */
const ELEMENTS = new Set(
  'acronym audio base dialog form marquee meter object picture progress ruby select style svg textarea video'.split(
    ' ',
  ),
);
const SEMANTICS = new Set(
  'article aside details figcaption figure footer header main mark nav section summary time'.split(' '),
);
const INPUTS = new Set(['checkbox', 'hidden', 'radio', 'reset', 'submit', 'text']);
const IMAGES = /\.(apng|avif|bmp|gif|hdr|heif|heic|ico|jpe?g|mp4|png|svg|tiff?|webp)$/i;
const SAME: Readonly<Record<string, string>> = { heic: 'heif', jpeg: 'jpg', tif: 'tiff' };

/** A feature that an element uses, and the attribute that uses it. */
interface UsedFeature {
  readonly slug: string;
  readonly attribute: string | null;
}

/** Returns the features that an element uses. */
export function featuresOfElement({ name, attributes, parent }: Element): UsedFeature[] {
  const used: UsedFeature[] = [];
  const use = (slug: string, attribute: string | null = null) => used.push({ slug, attribute });
  if (ELEMENTS.has(name)) use(`html-${name}`);
  if (name === 'embed') use('html-object');
  if (name === 'map') use('html-image-maps');
  if (SEMANTICS.has(name)) use('html-semantics');
  if (name === 'input') use(`html-input-${inputOf(attributes)}`);
  if (name === 'button')
    use(attributes.get('type')?.toLowerCase() === 'reset' ? 'html-button-reset' : 'html-button-submit');
  if (name === 'link' && isStyleSheet(attributes)) use('html-link', 'href');
  if (name === 'a' && /^#./.test(attributes.get('href') ?? '')) use('html-anchor-links', 'href');
  if (attributes.has('srcset')) use('html-srcset', 'srcset');
  if (attributes.has('background')) use('html-background', 'background');
  if (attributes.has('hidden')) use('html-hidden', 'hidden');
  if (attributes.has('popover')) use('html-popover', 'popover');
  // Clients that know the format use the other sources of a picture, so only the format of the img counts.
  if (name === 'img' || (name === 'input' && attributes.get('type') === 'image')) {
    const format = formatOf(attributes.get('src') ?? '');
    if (format !== null) use(`image-${format}`, 'src');
  }
  return parent?.name === 'svg' ? [] : used;
}

function inputOf(attributes: ReadonlyMap<string, string>): string {
  const type = attributes.get('type')?.toLowerCase() ?? 'text';
  return INPUTS.has(type) ? type : 'text';
}

/** Tells whether a link loads styles. A font sheet does not count: without it the text only has another font. */
function isStyleSheet(attributes: ReadonlyMap<string, string>): boolean {
  const href = attributes.get('href') ?? '';
  return (
    /\bstylesheet\b/i.test(attributes.get('rel') ?? '') && !/^(?:https?:)?\/\/(?:fonts\.|use\.typekit\.)/i.test(href)
  );
}

function formatOf(src: string): string | null {
  const trimmed = src.trim();
  if (/^data:image\/svg/i.test(trimmed)) return 'svg';
  if (/^data:/i.test(trimmed)) return 'base64';
  const path = trimmed.slice(0, 2_000).split(/[?#]/, 1)[0] ?? '';
  const ending = IMAGES.exec(path)?.[1]?.toLowerCase();
  return ending === undefined ? null : (SAME[ending] ?? ending);
}

/** Properties that stand for a feature with another name. */
const PROPERTIES = new Map(
  Object.entries({
    left: 'css-left-right-top-bottom',
    right: 'css-left-right-top-bottom',
    top: 'css-left-right-top-bottom',
    bottom: 'css-left-right-top-bottom',
    'column-gap': 'css-gap',
    'row-gap': 'css-gap',
    'block-size': 'css-block-inline-size',
    'inline-size': 'css-block-inline-size',
    'border-inline': 'css-border-inline-block',
    'border-block': 'css-border-inline-block',
  }),
);
/** Properties such as `margin-block` and `padding-inline-start`, which share their features. */
const LOGICAL = /^(margin|padding)-(block|inline)(-(?:start|end))?$/;
/** Slugs that begin like a property but do not name one. */
const NO_PROPERTY =
  /^css-(?:at|function|pseudo|selector|unit)-|^css-(?:comments|important|intrinsic-size|modern-color|nesting|variables|rgba?|display-.*|linear-gradient|radial-gradient|conic-gradient|sytem-ui)$/;
const FUNCTIONS = new Map(
  Object.entries({
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
  }),
);
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
    if (token[0] === TokenType.Function) slugs.push(FUNCTIONS.get(token[4].value.toLowerCase()) ?? '');
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
  const [logical, side, axis, edge] = LOGICAL.exec(property) ?? [];
  if (logical !== undefined) return edge === undefined ? `css-${side}-inline-block` : `css-${side}-${axis}-start-end`;
  const slug = PROPERTIES.get(property) ?? `css-${property}`;
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
