import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sourceFiles } from './support/boundaries.ts';
import { pages } from './support/pages.ts';

const ROOT = join(import.meta.dirname, '..');
const EXPORT =
  /^export (?:async )?(?:abstract )?(?:function\*?|class|const|interface|type|enum) (?<name>[A-Za-z_]\w*)/gm;

/**
 * The places that name one thing alike on purpose. A name may stand in all the places of one rule, once in each file.
 */
const TWINS: readonly { readonly why: string; readonly places: readonly RegExp[] }[] = [
  {
    why: 'The client and the page name a resource as the server does.',
    places: [/^src\/client\//, /^src\/(?:domain|http|actions|ports|webhooks|extract)\//, /^ui\/web\/app\/api\.ts$/],
  },
  {
    why: 'A command and a tool are named as the action or the call that they run.',
    places: [/^src\/actions\//, /^src\/cli\//, /^src\/mcp\//, /^src\/client\/webhook\/send-webhook\.ts$/],
  },
  {
    why: 'The stores implement one interface, each in its own way.',
    places: [/^src\/store\/postgres\//, /^src\/store\/(?:tables|file)\//],
  },
  {
    why: 'Each edge reads clock, chance and variables of its own environment.',
    places: [/^src\/cli\/(?:clock|connect|tools\/webhook-send)\.ts$/, /^src\/client\/environment\.ts$/],
  },
  {
    why: 'Every test runner gets the fixtures and the options by the same names.',
    places: [/^plugins\//, /^src\/index\.ts$/],
  },
  { why: 'Each UI has its root.', places: [/^ui\/(?:terminal\/views|web)\/App\.tsx$/] },
];

/** Returns the files that export each name. */
function exportsOf(files: Iterable<string>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of files) {
    const names = [...readFileSync(join(ROOT, file), 'utf8').matchAll(EXPORT)].map(({ groups }) => groups?.['name']);
    // A value and its type share a name in one file, and so do overloads.
    for (const name of new Set(names)) if (name !== undefined) found.set(name, [...(found.get(name) ?? []), file]);
  }
  return found;
}

test('no two exported things share a name, except where they are one thing seen from two sides', () => {
  const files = ['src', 'ui', 'plugins'].flatMap((folder) => [...sourceFiles(ROOT, folder).keys()]);
  const found = exportsOf(files);
  expect(found.size).toBeGreaterThan(1_500);
  const clashes = [...found]
    .filter(([, where]) => where.length > 1)
    .filter(([, where]) => !TWINS.some(({ places }) => where.every((file) => places.some((place) => place.test(file)))))
    .map(([name, where]) => `${name}: ${where.join(', ')}`);
  expect(clashes).toEqual([]);
});

/** Past participles of the irregular verbs that programs are named with. */
const IRREGULAR =
  'Begun|Born|Bound|Broken|Built|Chosen|Cut|Done|Drawn|Felt|Found|Given|Gone|Grown|Heard|Held|Hidden|Kept|Known|Laid|Left|Lent|Lost|Made|Meant|Met|Paid|Put|Read|Said|Seen|Sent|Shown|Shut|Sold|Spent|Split|Spoken|Stuck|Taken|Told|Torn|Undone|Woken|Worn|Written';
const PARTICIPLE = new RegExp(`^(?:[A-Z][a-z]+(?:ed|ing)|${IRREGULAR})$`);
/** Nouns of the field that only end like participles. */
const NOUNS = ['Accounting', 'Feed', 'Finding', 'Meaning', 'Put', 'Reading', 'Recording', 'Setting', 'Thing'];
/**
 * Returns the types of sources whose name is a participle alone. It says what happened to a thing, and not what the thing
 * is: `RecoveredStore` does.
 */
function participlesIn(files: Iterable<string>): string[] {
  const type = /^export (?:declare )?(?:abstract )?(?:class|interface|type|enum) (?<name>[A-Z]\w*)/gm;
  return [...files].flatMap((text) =>
    [...text.matchAll(type)]
      .map(({ groups }) => groups?.['name'] ?? '')
      .filter((name) => PARTICIPLE.test(name) && !NOUNS.includes(name)),
  );
}

test('no exported type is a participle alone', () => {
  const sources = ['src', 'ui', 'plugins'].flatMap((folder) => [...sourceFiles(ROOT, folder).values()]);
  expect(participlesIn(sources)).toEqual([]);
});

test.each(['export interface Given {', 'export class Held<Row> {', 'export type Loaded =', 'export type Missing ='])(
  'a planted participle is found: %s',
  (line) => {
    expect(participlesIn([line])).toHaveLength(1);
  },
);

test.each(['export interface FoundMessage {', 'export class Feed {', 'export function held() {', 'interface Held {'])(
  'a name that is no participle, or not exported, passes: %s',
  (line) => {
    expect(participlesIn([line])).toEqual([]);
  },
);

/** The two places that name the words of the API document which mailcap does not use. */
// docs/providers.md calls a part of axios by its name.
const SYNONYMS = ['src/context.ts', 'docs/contract.md', 'docs/providers.md'];

test('people read one word: only the lists of words name an interceptor or a capture URL', () => {
  const texts = new Map([...pages(), ...['src', 'ui', 'plugins'].flatMap((folder) => [...sourceFiles(ROOT, folder)])]);
  texts.delete('CHANGELOG.md');
  expect(texts.size).toBeGreaterThan(700);
  const named = [...texts].filter(([, text]) => /\binterceptor|\bcapture URL/i.test(text)).map(([path]) => path);
  expect(named.sort()).toEqual([...SYNONYMS].sort());
});
