// S3 answers in XML with a few fixed elements without attributes. Only keys, times and tokens are read, so a regular
// expression is enough.

/** The maximum number of objects on a page of ListObjectsV2. */
const MOST_OBJECTS = 1_000;
const BEGINNING = '<Contents>';
const END = '</Contents>';

interface Listed {
  readonly objects: readonly { readonly key: string; readonly modifiedAt: number }[];
  /** The token to request the next page. Null on the last page. */
  readonly next: string | null;
}

/** Parses an answer to ListObjectsV2. */
export function listedIn(xml: string): Listed {
  const objects = contentsIn(xml).map((inner) => ({
    key: textOf('Key', inner),
    modifiedAt: Date.parse(textOf('LastModified', inner)),
  }));
  const isCut = textOf('IsTruncated', xml) === 'true';
  return { objects, next: isCut ? textOf('NextContinuationToken', xml) : null };
}

/** Returns the error code of an answer, or '' if it has none. */
export function problemIn(xml: string): string {
  return /^[A-Za-z]{1,60}$/.exec(textOf('Code', xml))?.[0] ?? '';
}

/** Returns what the elements `Contents` hold. A regular expression would search for each missing end anew. */
function contentsIn(xml: string): string[] {
  const found: string[] = [];
  let end = 0;
  while (found.length < MOST_OBJECTS) {
    const beginning = xml.indexOf(BEGINNING, end);
    if (beginning < 0) break;
    end = xml.indexOf(END, beginning);
    if (end < 0) break;
    found.push(xml.slice(beginning + BEGINNING.length, end));
  }
  return found;
}

function textOf(name: string, xml: string): string {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
  return text.replaceAll(/&(lt|gt|quot|apos|amp|#\d{1,6}|#x[0-9a-f]{1,5});/gi, (whole, entity: string) => {
    if (entity.startsWith('#')) return String.fromCodePoint(Number(entity.slice(1).replace(/^x/i, '0x')));
    return { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }[entity] ?? whole;
  });
}
