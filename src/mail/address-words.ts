// An encoded word replaces a word of a phrase or comment, never a part of an address (RFC 2047 5). The decoded text
// stays one word: it is quoted if it holds RFC 5322 specials, so a comma in a name does not split the list.

const WORD = String.raw`=\?[\w\-*]+\?[QqBb]\?[^?]*\?=`;
const WORDS = new RegExp(`${WORD}(?:\\s*${WORD})*`, 'y');
const SPECIALS = /[()<>[\]:;@\\,"]/;

type Place = 'phrase' | 'quoted' | 'comment' | 'address';

/** Decodes the encoded words of an address list with `decode`. Its cost is linear in the length. */
export function decodeAddressWords(text: string, decode: (words: string) => string): string {
  let place: Place = 'phrase';
  let depth = 0;
  let out = '';
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const char = text[at];
    if (char === '=' && place !== 'address') {
      WORDS.lastIndex = at;
      const words = WORDS.exec(text);
      if (words !== null) {
        out += text.slice(from, at) + written(decode(words[0]), place);
        at = from = WORDS.lastIndex;
        continue;
      }
    } else if (char === '\\' && (place === 'quoted' || place === 'comment')) {
      at++;
    } else if (char === '"' && (place === 'phrase' || place === 'quoted')) {
      place = place === 'phrase' ? 'quoted' : 'phrase';
    } else if (char === '(' && (place === 'phrase' || place === 'comment')) {
      place = 'comment';
      depth++;
    } else if (char === ')' && place === 'comment') {
      if (--depth === 0) place = 'phrase';
    } else if (char === '<' && place === 'phrase') {
      place = 'address';
    } else if (char === '>' && place === 'address') {
      place = 'phrase';
    }
    at++;
  }
  return out + text.slice(from);
}

function written(decoded: string, place: Place): string {
  if (place === 'comment') return decoded.replace(/[()\\]/g, '\\$&');
  if (place === 'phrase' && !SPECIALS.test(decoded)) return decoded;
  const escaped = decoded.replace(/["\\]/g, '\\$&');
  return place === 'quoted' ? escaped : `"${escaped}"`;
}
