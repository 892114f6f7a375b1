import { A_WORD, type Lexeme, type Shape } from './code-shapes.ts';
import type { CodeWord } from './code-words.ts';
import { firstIndex } from './first-index.ts';

// A number in a sentence is a code only if the sentence says so: `code: N`, `code is N`, `code N`, `enter N`, `N is
// your code`. After "sent to", "such as" or "at" it is something else.

/** The way in which a word introduces the number after it. */
export type Introduced = 'explicitly' | 'at once' | 'not';

const OPENERS = String.raw`[\s"'“”„«»*_([\]{【「『]*`;
const COPULA =
  'is|are|was|ist|lautet|lauten|sind|est|sont|es|son|é|è|jest|är|er|ir|yra|on|είναι|là|je|este|e|adalah|ialah|da|ni|dir|byl|byla|это|является|คือ|है|हैं|است|هو|هي|הוא|היא|这是|是|为|為|は|が|은|는|이|가';
const EXPLICIT = new RegExp(
  String.raw`(?:[:：=→>–—]|\s-|(?:^|[\s\p{P}]|[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])(?:${COPULA}))${OPENERS}$`,
  'iu',
);
const AT_ONCE = new RegExp(
  `^${OPENERS}(?:(?:number|no\\.?|nr\\.?|nummer|numéro|número|numero|شما|الخاص بك|שלך|आपका|ของคุณ)${OPENERS})?$`,
  'iu',
);
/** Words after which an address, a phone number or a time follows, not a code. */
const LEADS_ELSEWHERE =
  /(?:^|\s)(?:to|at|by|via|from|until|till|such as|e\.g\.|for example|like|an|bei|bis|wie|z\. ?b\.|à|au|chez|jusqu'à|par exemple|al|hasta|por ejemplo|até|fino|do|на|до)(?:\s*:)?\s*$/iu;
const POLISH = /^(?:kod|hasło|jednorazow|token)/;
const POLISH_IS = new RegExp(String.raw`\sto:?${OPENERS}$`, 'u');
const ASIDE = /\([^()\n]{0,80}\)/g;

/**
 * Tells whether the text between a word for a code and a number, in the same line or not, introduces the number as the
 * code.
 */
export function introducedBy(word: CodeWord, between: string): Introduced {
  const plain = between.replace(ASIDE, ' ');
  if (AT_ONCE.test(plain)) return 'at once';
  if (POLISH.test(word.words) && POLISH_IS.test(plain)) return 'explicitly';
  return EXPLICIT.test(plain) && !leadsElsewhere(word, plain) ? 'explicitly' : 'not';
}

/** Tells whether at most two words of the same sentence separate the word and the number. */
export function leadsDirectly(between: string): boolean {
  return /^[^.!?。！？\p{L}]*(?:\p{L}+[^.!?。！？\p{L}]+){0,2}$/u.test(between.replace(ASIDE, ' '));
}

/** Tells whether something other than a code follows, as in `The code was sent to:`. */
export function leadsElsewhere(word: CodeWord | null, between: string): boolean {
  return LEADS_ELSEWHERE.test(between) && !(word !== null && POLISH.test(word.words));
}

const AS =
  /^["'“”»)\]*_.]*\s*(?:[:(–—-]\s*|(?:is|ist|est|es|é|è|as|als|comme|como|come|jako|jest|är|er|это|—|to be)\s+)(?:[\p{L}\p{N}'’.&+-]+\s+){0,5}["'“„«(]*$/iu;
/** A short text in a script that uses no or few spaces. */
const OTHER_SCRIPT = /^[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}0-9\n]{0,16}$/u;

/** Tells whether the text after a number makes it the code, as in `481516 is your code`. */
export function namedBy(between: string): boolean {
  return /^\s*$/.test(between) || OTHER_SCRIPT.test(between) || AS.test(between);
}

const ENTERS =
  /(?:^|[^\p{L}])(enter|use|type|input|type in|saisissez|entrez|utilisez|introduce|ingresa|ingrese|insira|digite|inserisci|wpisz|введите|输入|請輸入)\s*["'“„«*_([]*$/iu;

/** The signs and the words between a label and its number. */
const LABEL_SIGNS = /[\s"'#№.:：=(［[„“«*_-]+/g;
const LABEL_ENDS = new Set(
  'number|no|nr|n°|nº|nummer|numéro|número|numero|номер|номера|број|broj|číslo|numer|szám|száma|numărul|numeris|numurs|numri|numru|αριθμός|رقم|מספר|番号|번호|号|號|หมายเลข|số|nomor|नंबर|क्रमांक|संख्या|নম্বর|നമ്പർ|எண்|id|is|ist|est|es|é|è|jest|är|er|has|to'.split(
    '|',
  ),
);
const LABEL_WORDS = 2;

/** Tells whether a word is the label of the number after it: `Order 4711`, `Order no.: 4711`, `Order for March: 4711`. */
export function isLabelOf(between: string, isAlone: boolean): boolean {
  const said = between.replace(LABEL_SIGNS, ' ').trim().toLowerCase();
  if (said === '' || LABEL_ENDS.has(said)) return true;
  const plain = between.replace(ASIDE, ' ');
  const words = plain.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
  return words <= (isAlone ? 1 : LABEL_WORDS) && EXPLICIT.test(plain) && !SENTENCE.test(plain);
}

const SENTENCE = /[.!?。！？](?:\s|$)/;

/** Tells whether a number ends its sentence or its line. */
export function endsSentence(text: string, end: number): boolean {
  return /^["'”»)\]*_]{0,4}(?:[.!。！]["'”»)*]{0,4})?[ \t]{0,8}(?:\n|$)|^["'”»)\]*_]{0,4}[.!。！]\s/.test(
    text.slice(end, end + 16),
  );
}

/** Returns the verb right before a number that asks to enter it, or null. */
export function enteringVerb(text: string, start: number): string | null {
  return ENTERS.exec(text.slice(Math.max(0, start - 24), start))?.[1]?.toLowerCase() ?? null;
}

const RETIRED =
  /^[^\n]{0,80}?(?<!\b(?:it|they) )\b(?:(?:has|have|had) (?:now |already |just )?(?:expired|been (?:replaced|revoked|used))|(?:is|are) (?:now |already )?(?:expired|invalid|no longer valid)|no longer (?:works|valid)|ist (?:abgelaufen|ungültig)|a expiré|n'est plus valable|ha caducado|expirou|è scaduto|is verlopen|wygasł)/iu;

/** Tells whether the sentence after a number says that the code is no longer valid. */
export function isRetired(text: string, end: number): boolean {
  const after = text.slice(end, end + 120);
  const stop = after.search(/[.!?](?:\s|$)/);
  return RETIRED.test(stop < 0 ? after : after.slice(0, stop));
}

/** The text between the numbers of a list: commas, "or", or the count of the next item. */
const LISTED = /^(?:[\s,;/|•*·–-]|or|and|und|oder|ou|et|o|y|e|[0-9]{1,2}[.):])*$/i;

export function isListed(between: string): boolean {
  return between.length < 24 && /[^ \u00A0]/.test(between) && LISTED.test(between);
}

/** Tells whether a word introduces another number before the shape. The word then belongs to that number. */
export function isTaken(text: string, lexemes: readonly Lexeme[], word: CodeWord, shape: Shape): boolean {
  const first = lexemes[firstIndex(lexemes.length, (i) => (lexemes[i]?.start ?? 0) >= word.end)];
  if (first === undefined || first.start >= shape.start || first.text.length < 4) return false;
  const between = text.slice(word.end, first.start);
  return introducedBy(word, between) !== 'not' && !isListed(text.slice(first.end, shape.start));
}

/** Letters without digits are a code only if a colon or "is" introduces them and their sentence ends after them. */
const LETTERS_AFTER =
  /[ \u00A0]*(?::\s*|[ \u00A0](?:is|ist|lautet|est|es|é|è|jest|är|er):?\s+)["'“„«*]*([A-Z]{4,10}|[A-Z]{3}-[A-Z]{3}|[A-Z]{4}-[A-Z]{4})(?=["'”»*]*(?:[.,!]?\s*(?:\n|$)|\.\s|\t))/uy;

/** Finds codes without digits. */
export function introducedLetters(text: string, words: readonly CodeWord[]): Shape[] {
  const shapes: Shape[] = [];
  for (const { saying, end } of words) {
    if (saying !== 'strong' && saying !== 'medium') continue;
    // In a text in capitals, any word could follow.
    if (text.slice(end - 4, end) === text.slice(end - 4, end).toUpperCase()) continue;
    LETTERS_AFTER.lastIndex = end;
    const match = LETTERS_AFTER.exec(text);
    const written = match?.[1];
    if (match === null || written === undefined) continue;
    const start = end + match[0].lastIndexOf(written);
    const shape = {
      code: written,
      written,
      start,
      end: start + written.length,
      kind: 'loose',
    } as const;
    shapes.push(readsLikeWord(written) ? { ...shape, refused: A_WORD } : shape);
  }
  return shapes;
}

function readsLikeWord(written: string): boolean {
  const vowels = written.replace(/[^AEIOUY]/g, '').length;
  return !written.includes('-') && vowels > 0 && vowels * 6 > written.length;
}
