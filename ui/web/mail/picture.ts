import { COLOURS, type Colours, viewIn } from './mail-look.ts';

// A picture of a mail is drawn by the browser, as an SVG image that holds the mail's HTML. Such an image runs no script
// and loads nothing, so what other hosts would give is missing. The policy of this page allows no styles in its own
// documents, so the server gives the HTML in an inert form, and the styles become styles again in the text of the SVG.

/** The greatest height of a picture. Browsers draw no larger one. */
const MAX_HEIGHT = 16_000;
/** The height of the window that a mail may ask for. */
const WINDOW_HEIGHT = 800;
/** Marks the end of the mail. It is looked for in a first drawing. */
const END_HEIGHT = 4;
const END_COLOUR = [254, 1, 253] as const;
const XHTML = 'http://www.w3.org/1999/xhtml';

/** A drawn mail. */
export interface MailPicture {
  readonly canvas: HTMLCanvasElement;
  /** The things that are missing in it, as the end of a sentence. Null if nothing is. */
  readonly missing: string | null;
}

/** Draws a mail at its whole height. Throws if the browser can't. */
export async function drawMail(
  url: string,
  { width, colours }: { readonly width: number; readonly colours: Colours },
): Promise<MailPicture> {
  const isDark = COLOURS.some((one) => one.isDark && one.id === colours);
  const at = viewIn(url, colours, true);
  const page = await loadDocument(at);
  const remote = remoteIn(page);
  prepare(page, isDark);
  const markup = await embedded(serialized(page), partsIn(page), new URL(at, location.href));
  const ground = isDark && colours === 'dark' && /color-scheme[^;}]{0,60}dark/i.test(markup) ? 'dark' : 'light';
  const draw = (height: number) => imageOf(svgOf(markup, { width, height, ground }));
  const tall = await draw(MAX_HEIGHT);
  const end = endOf(tall);
  const height = Math.max(1, end ?? MAX_HEIGHT);
  const canvas = canvasOf(width, height);
  const context = contextOf(canvas);
  context.fillStyle = ground === 'dark' ? '#121212' : '#fff';
  context.fillRect(0, 0, width, height);
  context.drawImage(tall, 0, 0);
  const missing = [
    ...(remote > 0 ? [`without its remote content (${remote})`] : []),
    ...(end === null ? [`cut at ${MAX_HEIGHT.toLocaleString('en-US')} pixels`] : []),
  ];
  return { canvas, missing: missing.length === 0 ? null : missing.join(', ') };
}

/** Returns a canvas as a PNG file. */
export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the browser wrote no picture')) : resolve(blob))),
  );
}

/** Parses a page without a sink of Trusted Types, which the policy of this page closes. */
function loadDocument(url: string): Promise<Document> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', url);
    request.responseType = 'document';
    request.onload = () =>
      request.status === 200 && request.response instanceof Document
        ? resolve(request.response)
        : reject(new Error('the server no longer shows this mail; open it again.'));
    request.onerror = () => reject(new Error('the server does not answer.'));
    request.send();
  });
}

/** Counts what would be loaded from other hosts. */
function remoteIn(page: Document): number {
  const addresses = new Set<string>();
  for (const element of page.querySelectorAll('[src], [background], link[href], [srcset]'))
    for (const name of ['src', 'background', 'href', 'srcset']) {
      const value = element.getAttribute(name) ?? '';
      if (/^https?:/i.test(value)) addresses.add(value);
    }
  for (const css of stylesOf(page))
    for (const [address] of css.matchAll(/https?:[^\s"')]{1,2000}/gi)) addresses.add(address);
  return addresses.size;
}

function stylesOf(page: Document): string[] {
  return [...page.querySelectorAll('[data-style]')].map((element) =>
    element.localName === 'noframes' ? (element.textContent ?? '') : (element.getAttribute('data-style') ?? ''),
  );
}

/** Makes of the page what an SVG image draws as a frame would. */
function prepare(page: Document, isDark: boolean): void {
  for (const element of page.querySelectorAll('*')) {
    // XML knows no names with an unknown prefix, as those that Word writes.
    for (const { name } of [...element.attributes])
      if (name.includes(':') || name === 'xmlns') element.removeAttribute(name);
    if (element.localName === 'noframes') element.textContent = adapted(element.textContent ?? '', isDark);
    else if (element.hasAttribute('data-style'))
      element.setAttribute('data-style', adapted(element.getAttribute('data-style') ?? '', isDark));
  }
  // Without the modern document type, a line that holds a picture alone is as high as the picture.
  if (page.compatMode === 'CSS1Compat' && !/transitional|frameset/i.test(page.doctype?.publicId ?? '')) return;
  for (const cell of page.querySelectorAll('td, th'))
    if (cell.querySelector('img') !== null && cell.textContent?.trim() === '' && cell.querySelector('table') === null)
      cell.setAttribute('data-style', `${cell.getAttribute('data-style') ?? ''};line-height:0`);
}

/** Answers what a style sheet asks: the image has no window, and its scheme is not that of the frame. */
function adapted(css: string, isDark: boolean): string {
  return css
    .replace(/\(\s{0,9}prefers-color-scheme\s{0,9}:\s{0,9}(dark|light)\s{0,9}\)/gi, (_all, scheme: string) =>
      (scheme.toLowerCase() === 'dark') === isDark ? '(min-width: 0)' : '(max-width: 0)',
    )
    .replace(
      /(?<![\w.])(\d{1,5}(?:\.\d{1,4})?)[dsl]?vh\b/gi,
      (_all, share: string) => `${(Number(share) * WINDOW_HEIGHT) / 100}px`,
    );
}

/** The addresses of the mail's own pictures, relative to the view. */
function partsIn(page: Document): readonly string[] {
  const found = new Set<string>();
  const note = (text: string) => {
    for (const [part] of text.matchAll(/parts\/[\w.]{1,80}/g)) found.add(part);
  };
  for (const element of page.querySelectorAll('[src], [background], [srcset], [poster]'))
    for (const name of ['src', 'background', 'srcset', 'poster']) note(element.getAttribute(name) ?? '');
  for (const css of stylesOf(page)) note(css);
  // A longer address can begin with a shorter one.
  return [...found].sort((one, other) => other.length - one.length);
}

/** Writes the page as XML, in which its styles are styles again. */
function serialized(page: Document): string {
  return (
    new XMLSerializer()
      .serializeToString(page.documentElement)
      .replaceAll('<noframes data-style=""', '<style')
      .replaceAll('</noframes>', '</style>')
      .replaceAll(' data-style="', ' style="')
      .replace(/<(\/?[\w.-]{1,100}):([\w.-]{1,100})/g, '<$1-$2')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has none of these characters
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
  );
}

async function embedded(markup: string, parts: readonly string[], base: URL): Promise<string> {
  let whole = markup;
  for (const part of parts) {
    const answer = await fetch(new URL(part, base));
    if (answer.ok) whole = whole.replaceAll(part, await dataUrlOf(await answer.blob()));
  }
  return whole;
}

function dataUrlOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error('a picture of the mail could not be read'));
    reader.readAsDataURL(blob);
  });
}

function svgOf(
  markup: string,
  { width, height, ground }: { readonly width: number; readonly height: number; readonly ground: 'light' | 'dark' },
): string {
  const scheme =
    ground === 'dark' ? 'color-scheme:dark;color:#fff;background:#121212' : 'color-scheme:light;color:#000';
  // With forced colours the mail keeps its own, and the mark of its end is found.
  const own = 'forced-color-adjust:none';
  const end = `<div style="clear:both;height:${END_HEIGHT}px;background:rgb(${END_COLOUR.join()})"></div>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
    `<foreignObject width="${width}" height="${height}"><div xmlns="${XHTML}" style="display:flow-root;${own};${scheme}">` +
    `${markup}${end}</div></foreignObject></svg>`
  );
}

async function imageOf(svg: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  try {
    await image.decode();
  } catch {
    throw new Error('this browser can’t draw the mail as a picture.');
  }
  return image;
}

/** Finds the mark at the end of the mail. Null if the mail is higher than the drawing. */
function endOf(image: HTMLImageElement): number | null {
  const column = canvasOf(1, MAX_HEIGHT);
  const context = contextOf(column);
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, 1, MAX_HEIGHT);
  for (let row = MAX_HEIGHT - 1; row >= 0; row--)
    if (END_COLOUR.every((part, at) => data[4 * row + at] === part)) return row + 1 - END_HEIGHT;
  return null;
}

function canvasOf(width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return canvas;
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('this browser draws no pictures.');
  return context;
}
