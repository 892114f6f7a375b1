/**
 * Folds a text for comparison: full width and half width, upper and lower case, ß and ss, and both small sigmas are the
 * same. Invisible characters are left out, and any run of white space and control characters is one space. Folding a
 * folded text changes nothing.
 */
export function fold(text: string): string {
  if (BEYOND_ASCII.test(text)) return foldUnicode(text);
  return (IRREGULAR.test(text) ? text.replace(ASCII_SPACE, ' ') : text).toLowerCase();
}

/**
 * Folds a text that comes in pieces. The folded pieces together are the folded text, wherever it was cut, so that a long
 * text needs no single step.
 */
export function* foldPieces(pieces: Iterable<string>): Generator<string, void, void> {
  let rest = '';
  let endsInSpace = false;
  const next = (text: string) => {
    const folded = fold(text);
    const piece = endsInSpace && folded.startsWith(' ') ? folded.slice(1) : folded;
    if (piece !== '') endsInSpace = piece.endsWith(' ');
    return piece;
  };
  for (const piece of pieces) {
    const text = rest + piece;
    const end = lastCut(text);
    rest = text.slice(end);
    yield next(text.slice(0, end));
  }
  if (rest !== '') yield next(rest);
}

/**
 * Finds the first place in a text whose folded form is `part`, which is folded. Returns null if there is none. The place
 * is in characters of the text itself.
 */
export function findFolded(text: string, part: string): { readonly start: number; readonly end: number } | null {
  if (part === '' || !fold(text).includes(part)) return null;
  let folded = '';
  // The ends of what each folded character was in the text.
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (letters: string, from: number, to: number) => {
    const piece = letters.startsWith(' ') && (folded === '' || folded.endsWith(' ')) ? letters.slice(1) : letters;
    for (let at = 0; at < piece.length; at++) {
      starts.push(from);
      ends.push(to);
    }
    folded += piece;
  };
  for (const { 0: cluster, index } of text.matchAll(CLUSTERS)) {
    const end = index + cluster.length;
    if (!ASCII_RUN.test(cluster)) add(fold(cluster), index, end);
    else for (let at = index; at < end; at++) add(text.charAt(at).toLowerCase(), at, at + 1);
  }
  const at = folded.indexOf(part);
  const [start, end] = [starts[at], ends[at + part.length - 1]];
  return at < 0 || start === undefined || end === undefined ? null : { start, end };
}

/** A run of ASCII characters with which no mark joins, or a character with those that join with it. */
const CLUSTERS = /[ -~]+(?=[ -~])|.[\p{M}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\uff9e\uff9f]*/gsu;
const ASCII_RUN = /^[ -~]+$/;

const BEYOND_ASCII = /\P{ASCII}/u;
const IRREGULAR = /\p{Cc}| {2}/u;
const ASCII_SPACE = /\p{Cc}[\p{Cc} ]*| [\p{Cc} ]+/gu;
/** The characters that show nothing: soft hyphens, joiners, direction marks and variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;
const HALF_PAIR = /\p{Surrogate}/gu;
const SPACE = /[\s\p{Cc}]+/gu;
/** What lower case leaves apart: the dots of Turkish, the sharp s, and the sigma at the end of a word. */
const CASES = /ı\u0307*|i\u0307+|ß|ς/g;
const CASE: Readonly<Record<string, string>> = { ß: 'ss', ς: 'σ' };

function foldUnicode(text: string): string {
  const letters = text.replace(HALF_PAIR, '\ufffd').replace(INVISIBLE, '').normalize('NFKC').toLowerCase();
  // Lower case may leave a letter and its mark that have a single character.
  const lower = letters.replace(CASES, (found: string) => CASE[found] ?? 'i').normalize('NFKC');
  return lower.replace(SPACE, ' ');
}

/** The longest search for a place to cut, in characters. */
const LOOK_BACK = 1_024;
/** A character that may join with the one before it: a mark, a vowel or final of Korean, an invisible one, half a pair. */
const JOINING = /[\p{M}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\uff9e\uff9f\ud800-\udfff]/u;

/** Returns the last place at which a text can be cut, so that both parts fold alone as they do together. */
function lastCut(text: string): number {
  const least = Math.max(0, text.length - LOOK_BACK);
  // No character joins with an ASCII character after it.
  for (let at = text.length - 1; at > least; at--) if (text.charCodeAt(at) < 0x80) return at;
  for (let at = text.length - 1; at > least; at--)
    if (!JOINING.test(String.fromCodePoint(text.codePointAt(at) ?? 0))) return at;
  return text.length > 2 * LOOK_BACK ? least : 0;
}
