import { SHARED_SIGNS } from '../src/extract/words/find-words.ts';
import { ALL_MEANINGS, EXTRA_MEANINGS, type Language, LINK_MEANINGS, MEANINGS } from '../src/extract/words/language.ts';

// The client has the words of all languages in its copy of the finders. This module writes them in little room: without
// the names of meanings, each word once. `npm run docs` writes the result, and test/extract/words compares it.

export const ALL_WORDS_FILE = 'src/extract/words/all-words.ts';

/** The tags of the languages (BCP 47), each the name of a file. Related ones stand together: their words compress together. */
export const FAMILIES = [
  // Romance languages.
  'pt es gl ca ro fr it',
  // Germanic languages.
  'en nl af fy lb de da nb sv is',
  // Slavic and Baltic languages in Latin letters.
  'hr sl sk cs pl lv lt',
  // Languages in Latin letters of other families.
  'sq hu et fi tr az uz vi ga cy eo eu zu sw fil ms id',
  // Languages in Cyrillic letters.
  'sr mk bg ru uk be kk mn',
  // Languages in Greek, Arabic, Hebrew, Georgian and Armenian letters.
  'el fa ur ar he ka hy',
  // Languages of India and its neighbours.
  'hi ne mr pa gu bn as or si ml te ta kn',
  // Languages of East Asia.
  'th lo km my ja zh ko',
].map((family) => family.split(' '));

/** Reads the words of a language. Its file exports nothing else. */
export async function languageOf(tag: string): Promise<Language> {
  const [language] = Object.values<Language>(await import(`../src/extract/words/${tag}.ts`));
  if (language === undefined) throw new Error(`src/extract/words/${tag}.ts exports no language`);
  return language;
}

/** Invisible characters within words of Persian and of languages of India. */
const JOINERS = /[\u200c\u200d]/g;

/** The source of {@link ALL_WORDS_FILE}. */
export async function allWordsModule(): Promise<string> {
  const languages = await Promise.all(FAMILIES.map((family) => Promise.all(family.map(languageOf))));
  const lines = [
    '// Written by npm run docs from the files of the languages: a line for each family, with its words by meaning in the',
    '// order of ALL_MEANINGS. A word stands once in each meaning, and only if no stem says the same.',
    '',
    `export const ALL_WORDS = \`${allWords(languages)}\`;`,
  ];
  return `${lines.join('\n')}\n`;
}

type Meanings = (typeof ALL_MEANINGS)[number];

function allWords(languages: readonly (readonly Language[])[]): string {
  const known = new Set<string>();
  const isNew = (meaning: string, word: string) => known.size !== known.add(`${meaning} ${word}`).size;
  const families = languages.map((family) =>
    ALL_MEANINGS.map((meaning) =>
      family
        .flatMap((language) => (language[meaning]?.split('|') ?? []).flatMap(spellings))
        .filter((word) => isNew(meaning, word)),
    ),
  );
  const needed = [MEANINGS, LINK_MEANINGS, EXTRA_MEANINGS].map((meanings) => neededOf(families, meanings));
  const written = (words: readonly string[]) => inOrder(words.filter((word) => needed.some((some) => some.has(word))));
  return inTwoBytes(families.map((family) => family.map(written).join(';')).join('\n'));
}

/** Writes words in order, each without the first letters that it has in common with the word before it. */
function inOrder(words: readonly string[]): string {
  return words
    .toSorted()
    .map((word, at, sorted) => {
      if (at === 0) return word;
      const before = sorted[at - 1] ?? '';
      let shared = 0;
      while (shared < SHARED_SIGNS.length - 1 && shared < word.length && word[shared] === before[shared]) shared++;
      return SHARED_SIGNS[shared] + word.slice(shared);
    })
    .join('');
}

/**
 * Writes letters that take three bytes, and others of their scripts, with two: as the letters from À on, behind a capital
 * that names their block of 128. The words themselves have no capitals. find-words.ts reads it.
 */
function inTwoBytes(words: string): string {
  let current = 0;
  return words.replace(/[^\0-\x7f]/g, (letter) => {
    const code = letter.charCodeAt(0);
    const block = code >= 0x380 && code < 0x1100 ? code >> 7 : 0;
    const mark =
      block === current || (block === 0 && code > 0x13f) ? '' : String.fromCharCode(block === 0 ? 0x40 : 0x3a + block);
    if (mark !== '') current = block;
    return mark + (block === 0 ? letter : String.fromCharCode(0xc0 + (code & 0x7f)));
  });
}

/** Returns the words of some meanings without those that a stem says as well: `codes` beside `code*`. */
function neededOf(families: readonly (readonly (readonly string[])[])[], meanings: readonly Meanings[]): Set<string> {
  const said = new Map<string, string>();
  for (const family of families) {
    for (const meaning of meanings) {
      for (const word of family[ALL_MEANINGS.indexOf(meaning)] ?? [])
        said.set(word, `${said.get(word) ?? ''} ${meaning}`);
    }
  }
  const isSaid = (word: string) => {
    // A word and its own stem share their meanings.
    if (!ONE_WORD.test(word) || said.has(word.slice(0, word.endsWith('*') ? -1 : 0))) return false;
    for (let end = word.endsWith('*') ? word.length - 2 : word.length; end > 1; end--) {
      const stem = said.get(`${word.slice(0, end)}*`);
      // The longest one decides.
      if (stem !== undefined) return stem === said.get(word);
    }
    return false;
  };
  return new Set([...said.keys()].filter((word) => !isSaid(word)));
}

/** Letters of scripts that separate words by spaces, so that a stem reaches to the end of a word. */
const ONE_WORD = /^[a-z0-9\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u058f\u1e00-\u1fff]+\*?$/;

/**
 * Returns a word as the finders read texts: without joiners, and composed. Where a joiner divides a word, many write a
 * space.
 */
function spellings(written: string): string[] {
  const word = written.normalize();
  const joined = word.replace(JOINERS, '');
  return word.includes('\u200c') ? [joined, word.replaceAll('\u200c', ' ').replace(JOINERS, '')] : [joined];
}
