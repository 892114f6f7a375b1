import type { Element } from '../page/element.ts';

const ELEMENTS: Readonly<Record<string, string>> = {
  acronym: 'html-acronym',
  audio: 'html-audio',
  base: 'html-base',
  dialog: 'html-dialog',
  embed: 'html-object',
  form: 'html-form',
  map: 'html-image-maps',
  marquee: 'html-marquee',
  meter: 'html-meter',
  object: 'html-object',
  picture: 'html-picture',
  progress: 'html-progress',
  ruby: 'html-ruby',
  select: 'html-select',
  style: 'html-style',
  svg: 'html-svg',
  textarea: 'html-textarea',
  video: 'html-video',
};
const SEMANTICS = new Set(
  'article aside details figcaption figure footer header main mark nav section summary time'.split(' '),
);
const INPUTS = new Set(['checkbox', 'hidden', 'radio', 'reset', 'submit', 'text']);
const IMAGES = /\.(apng|avif|bmp|gif|hdr|heif|heic|ico|jpe?g|mp4|png|svg|tiff?|webp)$/i;
const SAME: Readonly<Record<string, string>> = { heic: 'heif', jpeg: 'jpg', tif: 'tiff' };

/** A feature that an element uses, and the attribute that uses it. */
export interface UsedFeature {
  readonly slug: string;
  readonly attribute: string | null;
}

/** Returns the features that an element uses. */
export function featuresOfElement({ name, attributes, parent }: Element): UsedFeature[] {
  const used: UsedFeature[] = [];
  const use = (slug: string, attribute: string | null = null) => used.push({ slug, attribute });
  const own = ELEMENTS[name];
  if (own !== undefined) use(own);
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
