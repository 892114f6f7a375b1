/** The appearance of an element's text, as far as it matters to a reader. */
export interface Look {
  /** Tells whether it is hidden in a way that no inner element can undo. */
  readonly gone: boolean;
  readonly invisible: boolean;
  readonly tiny: boolean;
  readonly bold: boolean;
  readonly large: boolean;
}

export const PLAIN: Look = { gone: false, invisible: false, tiny: false, bold: false, large: false };

export function isShown(look: Look): boolean {
  return !look.gone && !look.invisible && !look.tiny;
}

const UNSEEN = new Set(
  'head title style script template noscript svg math object iframe audio video canvas noframes datalist'.split(' '),
);
const BOLD = new Set('b strong th h1 h2 h3 h4 h5 h6 code kbd'.split(' '));
const LARGE = new Set('h1 h2 h3 big'.split(' '));
const MAX_DECLARATIONS = 100;

/** Returns the look of an element within a parent that looks like `outer`. */
export function lookOf(name: string, attributes: ReadonlyMap<string, string>, outer: Look): Look {
  const hidden = attributes.get('hidden');
  const style = attributes.get('style');
  const gone = outer.gone || UNSEEN.has(name) || hidden !== undefined;
  const bold = outer.bold || BOLD.has(name);
  const large = outer.large || LARGE.has(name) || Number(attributes.get('size')) >= 5;
  if (style === undefined && gone === outer.gone && bold === outer.bold && large === outer.large) return outer;
  const look = { ...outer, gone, bold, large };
  return style === undefined ? look : styled(style, look);
}

function styled(style: string, given: Look): Look {
  const look = { ...given };
  const declared = declarations(style);
  if (declared.get('display') === 'none') look.gone = true;
  if (declared.has('opacity') && Number.parseFloat(declared.get('opacity') ?? '') === 0) look.gone = true;
  // Senders set the height to 0 to hide a preview text in programs that ignore `display`.
  const height = declared.get('max-height') ?? declared.get('height');
  if (height !== undefined && Number.parseFloat(height) === 0 && declared.get('overflow') === 'hidden') {
    look.gone = true;
  }
  const visibility = declared.get('visibility');
  if (visibility !== undefined) look.invisible = visibility === 'hidden' || visibility === 'collapse';
  const weight = declared.get('font-weight');
  if (weight !== undefined) look.bold = weight.startsWith('bold') || Number(weight) >= 600;
  const pixels = pixelsOf(declared.get('font-size'));
  // A layout often sets the size to 0 around cells that set their own.
  if (pixels !== null) {
    look.tiny = pixels <= 1;
    look.large = pixels >= 20;
  }
  if ((pixelsOf(declared.get('letter-spacing')) ?? 0) >= 2) look.large = true;
  return look;
}

/** The styles read last. A mail repeats few of them many times. */
const READ = new Map<string, ReadonlyMap<string, string>>();
const MOST_READ = 256;
const LONGEST_KEPT = 1_024;

function declarations(style: string): ReadonlyMap<string, string> {
  const known = READ.get(style);
  if (known !== undefined) return known;
  const declared = readDeclarations(style);
  if (style.length > LONGEST_KEPT) return declared;
  if (READ.size >= MOST_READ) READ.clear();
  READ.set(style, declared);
  return declared;
}

function readDeclarations(style: string): Map<string, string> {
  const declared = new Map<string, string>();
  for (const declaration of style.split(';', MAX_DECLARATIONS)) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const value = declaration
      .slice(colon + 1)
      .toLowerCase()
      .replace('!important', '');
    declared.set(declaration.slice(0, colon).trim().toLowerCase(), value.trim());
  }
  return declared;
}

const PIXELS: Readonly<Record<string, number>> = { px: 1, pt: 4 / 3, em: 16, rem: 16, '%': 0.16 };

function pixelsOf(size: string | undefined): number | null {
  if (size === undefined) return null;
  const number = Number.parseFloat(size);
  if (Number.isNaN(number)) return size.endsWith('x-large') ? 24 : null;
  if (number === 0) return 0;
  for (const [unit, pixels] of Object.entries(PIXELS)) if (size.endsWith(unit)) return number * pixels;
  return null;
}
