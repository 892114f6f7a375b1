import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALL_WORDS_FILE, allWordsModule, FAMILIES, languageOf } from '../../.build/all-words.ts';
import { linkWordsIn, wordsIn } from '../../src/extract/words/find-words.ts';
import { EXTRA_MEANINGS, LINK_MEANINGS, MEANINGS } from '../../src/extract/words/language.ts';

const FOLDER = join(import.meta.dirname, '../../src/extract/words');
const RULES = ['all-words.ts', 'find-words.ts', 'language.ts'];
const TAGS = FAMILIES.flat();

test('every file of a language is in the list', () => {
  const files = readdirSync(FOLDER).filter((name) => !RULES.includes(name));
  expect(TAGS.map((tag) => `${tag}.ts`).sort()).toEqual(files.sort());
});

test('the finders have the words of all languages; npm run docs writes them anew', async () => {
  expect(readFileSync(ALL_WORDS_FILE, 'utf8')).toBe(await allWordsModule());
});

test.each(TAGS)('the words of %s are whole: each meaning has some, in lower case, each once', async (tag) => {
  expect(Intl.getCanonicalLocales(tag)).toEqual([tag]);
  const language = await languageOf(tag);
  for (const meaning of [...MEANINGS, ...LINK_MEANINGS]) {
    const terms = language[meaning].split('|');
    for (const term of terms) {
      expect(term.replace(/^\*|\*$/g, ''), meaning).toMatch(/^[^*\s][^*]*[^*\s]$/);
      expect(term, meaning).toBe(term.toLowerCase().replace(/[‘’ʼ]/g, "'"));
    }
    expect(terms, meaning).toEqual([...new Set(terms)]);
  }
});

test.each(TAGS)('the words of %s that only codes need are in lower case, each once', async (tag) => {
  const language = await languageOf(tag);
  for (const meaning of EXTRA_MEANINGS) {
    const terms = language[meaning]?.split('|') ?? [];
    for (const term of terms) expect(term, meaning).toMatch(/^(?=\S)(?!\*)[^\p{Lu}|;]+$/u);
    expect(terms, meaning).toEqual([...new Set(terms)]);
  }
});

test.each([
  ['Ihr Bestätigungscode', 'bestätigungscode', ['oneTime', 'verify']],
  ['an unknown compound with a known beginning: Anmeldungscode', 'anmeldungscode', ['oneTime', 'signIn']],
  ['a compound of another kind stays what it is: Gutscheincode', 'gutscheincode', ['offer']],
  ['Naudokite vienkartinį slaptažodį', 'slaptažodį', ['password']],
  ['ログインコード', 'ログインコード', ['oneTime']],
  ['ご注文番号', '注文番号', ['number']],
  ['Code d’accès', "code d'accès", ['oneTime']],
  ['the longest words win: 2FA code', '2fa code', ['oneTime']],
  ['Tek Kullanımlık OTP', 'otp', ['oneTime']],
  ['Ձեր կոդը՝ 481516', 'կոդը', ['code']],
] as const)('%s: %s is found', (text, words, meanings) => {
  const found = wordsIn(text).find((word) => word.words === words);
  expect(found?.meanings).toEqual(meanings);
  expect(text.slice(found?.start, found?.end).length).toBe(words.length);
});

test('a word that says only that something is used or paid once means no code', () => {
  const texts = [
    'Vienkartinis mokėjimas',
    'Jednorázová platba',
    'Одноразовый платёж',
    'One-time',
    '일회용',
    'ワンタイム',
  ];
  expect(texts.flatMap((text) => wordsIn(text)).filter(({ meanings }) => meanings.includes('oneTime'))).toEqual([]);
});

test('a word inside a longer word is not found', () => {
  expect(wordsIn('your foOTPath, a pinball, an author')).toEqual([]);
});

test.each([
  ['Odblokovat účet', 'odblokovat', 'unlock'],
  ['Аккаунтыңызды бұғаттан шығару', 'бұғаттан шығару', 'unlock'],
  ['Keeldun kutsest', 'keeldun', 'decline'],
  ['आमंत्रण अस्वीकार करें', 'अस्वीकार', 'decline'],
  ['Ellenőrizze rendelését', 'ellenőrizze', 'look'],
  ['メールアドレスを確認', '確認', 'look'],
  ['Đăng ký', 'đăng ký', 'signUp'],
  ['Creați un cont', 'creați un cont', 'signUp'],
  ['пређите на везу', 'везу', 'link'],
  ['Kundenkonto', 'kundenkonto', 'account'],
  ['Staðfestu netfangið', 'netfangið', 'address'],
  ['Hyväksy tai hylkää', 'tai', 'or'],
  ['Cliquez ici', 'cliquez ici', 'here'],
] as const)('%s: %s is found for links', (text, words, meaning) => {
  expect(linkWordsIn(text).find((word) => word.words === words)?.meanings).toContain(meaning);
});
