import { type Imported, importedPlaces, importGraph, namedImports, placeOf, type Sources } from './boundaries.ts';

// The map of the code, ARCHITECTURE.md, makes its claims in a few forms of sentences. This module reads them and
// compares them with the imports. A file that the map names in no such form is a violation too, so that no claim about
// a file stands unchecked.

const FILE = '`((?:src|ui|plugins)/[^`]+\\.tsx?)`';
/** "`takerOf` and `checkRoom` in `src/actions/receive-message.ts`" */
const NAMES_IN_FILE = new RegExp(`((?:\`\\w+\`(?:, | and )?)+) in ${FILE}`, 'g');
/** Places that everybody may import, so the map does not list them: text, and files beside the folders. */
const FOR_ALL = [
  'text',
  'make-directory',
  'own-files',
  'ownership',
  'process-start',
  'lazily',
  'semaphore',
  'version',
  'documentation',
  'clipboard',
];

/** Sentences about a file whose truth no import shows. */
const NOT_OF_IMPORTS = [/^- Only `[^`]+` writes an error answer/, /`src\/mailcap\.ts` connects their implementations/];

/** The verbs of a claim about two files. The first file of the sentence is its subject. */
type Verb = 'calls' | 'creates' | 'imports' | 'implements';

/** The sources, and their imports. */
export interface Code {
  readonly files: Sources;
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly all: ReadonlyMap<string, readonly string[]>;
  readonly places: ReadonlyMap<string, Imported>;
}

/** Reads the imports of sources. */
export function codeOf(files: Sources): Code {
  return {
    files,
    values: importGraph(files, 'values'),
    all: importGraph(files),
    places: importedPlaces(files),
  };
}

/** Returns the claims of a page that are not true of the code, each with what was found instead. */
export function falseClaims(page: string, code: Code): string[] {
  return [
    ...falseRows(page, code),
    ...sentencesOf(page).flatMap((sentence) => falseSentence(sentence, code)),
    ...unchecked(page),
  ];
}

/** Returns the sentences outside of tables. "It calls" gets the subject of the sentence before. */
function sentencesOf(page: string): string[] {
  const lines = page.split('\n').filter((line) => !line.startsWith('|') && !line.startsWith('#'));
  return lines.flatMap((line) => {
    let subject = '';
    return line.split(/(?<=[.:])\s+(?=[A-Z`])/).map((sentence) => {
      const whole = sentence.replace(/^It calls /, `\`${subject}\` calls `);
      subject = filesOf(whole)[0] ?? subject;
      return whole;
    });
  });
}

function falseSentence(sentence: string, code: Code): string[] {
  return [
    ...falseLinks(sentence, code),
    ...falseOnly(sentence, code),
    ...falseNothing(sentence, code),
    ...falseActions(sentence, code),
    ...falseAnswer(sentence, code),
  ];
}

/** "`a.ts` calls `f` in `b.ts`", "`a.ts` imports `b.ts`", "`a.ts` implements `port.ts`" */
function falseLinks(sentence: string, { files, values, all }: Code): string[] {
  const subject = new RegExp(`${FILE}(?:.*?) (calls|creates|imports|implements) `).exec(sentence);
  if (subject === null || /^(?:- )?Only /.test(sentence)) return [];
  const [, from = '', found = ''] = subject;
  const verb = found as Verb; // the expression has no others
  const text = files.get(from);
  if (text === undefined) return [`${from} is not there`];
  if (verb === 'calls' || verb === 'creates') {
    const pairs = [...sentence.matchAll(NAMES_IN_FILE)];
    if (pairs.length === 0) return [`${from} ${verb} nothing that has a name: ${sentence}`];
    return pairs.flatMap(([, names = '', to = '']) =>
      namesOf(names)
        .filter((name) => !namedImports(from, text, to).includes(name) || !new RegExp(`\\b${name}[(<]`).test(text))
        .map((name) => `${from} ${verb} no ${name} of ${to}`),
    );
  }
  const graph = verb === 'imports' ? values : all;
  return filesOf(sentence)
    .filter((to) => to !== from && !graph.get(from)?.includes(to))
    .map((to) => `${from} imports no ${to}`);
}

/** "Only `a` and `b` import `c`", "In `src/store`, only `a.ts` imports `node:fs`" */
function falseOnly(sentence: string, { files, all }: Code): string[] {
  const claim = /^(?:- )?(?:In `([^`]+)`, o|O)nly ((?:`[^`]+`(?:, | and )?)+) imports? `([^`]+)`/.exec(sentence);
  if (claim === null) return [];
  const [, within = '', subjects = '', to = ''] = claim;
  const importers = [...files.keys()].filter((path) => {
    if (!path.startsWith(within) || isWithin(path, to.replace(/\/[^/]*\.ts$/, ''))) return false;
    if (to.startsWith('node:')) return new RegExp(`from '${to}(?:/promises)?'`).test(files.get(path) ?? '');
    return all.get(path)?.some((target) => isWithin(target, to)) ?? false;
  });
  const named = namesOf(subjects);
  const others = importers.filter((path) => !named.some((name) => isWithin(path, name)));
  const idle = named.filter((name) => !importers.some((path) => isWithin(path, name)));
  return [...others.map((path) => `${path} imports ${to} too`), ...idle.map((name) => `${name} imports no ${to}`)];
}

/** "Nothing in `src/domain` imports from another folder", "`ui/a` and `ui/b` import `ui/c`" */
function falseNothing(sentence: string, { all, places }: Code): string[] {
  const alone = /[Nn]othing in `([^`]+)` imports from another folder/.exec(sentence)?.[1];
  const { values = [], types = [] } = places.get(alone ?? '') ?? {};
  const [, subjects = '', to = ''] = /^(?:- )?((?:`[^`]+`(?:, | and )?){2,}) import `([^`]+)`/.exec(sentence) ?? [];
  const idle = namesOf(subjects).filter(
    (name) => ![...all].some(([path, targets]) => isWithin(path, name) && targets.some((one) => isWithin(one, to))),
  );
  return [
    ...[...values, ...types].map((target) => `${alone} imports from ${target}`),
    ...idle.map((name) => `${name} imports no ${to}`),
  ];
}

/** "`src/actions` has one file for each thing": then each file is called from outside of the folder. */
function falseActions(sentence: string, { files, all }: Code): string[] {
  const folder = /`([^`]+)` has one file for each/.exec(sentence)?.[1];
  if (folder === undefined) return [];
  const called = new Set([...all].filter(([path]) => !isWithin(path, folder)).flatMap(([, targets]) => targets));
  return [...files.keys()]
    .filter((path) => isWithin(path, folder) && !called.has(path))
    .map((path) => `only files of ${folder} import ${path}`);
}

/** "`a.ts` answers 250" */
function falseAnswer(sentence: string, { files }: Code): string[] {
  const [, path = '', code = ''] = new RegExp(`${FILE} answers (\\d+)`).exec(sentence) ?? [];
  return path === '' || new RegExp(`code: ${code}\\b`).test(files.get(path) ?? '')
    ? []
    : [`${path} answers no ${code}`];
}

/**
 * The rows of the table of folders: the places, and what they import, no more and no less. "types of" means that they
 * import nothing else of these.
 */
function falseRows(page: string, { files, places }: Code): string[] {
  const above = new Set<string>();
  const rows = [...page.matchAll(/^\| (`(?:src|ui|plugins)[^|]*) \| [^|]+ \| ([^|]+) \|$/gm)];
  const told = rows.flatMap(([, subjects = '', text = '']) => {
    const named = namesOf(subjects);
    const own = [...places.keys()].filter((place) => named.some((name) => isWithin(place, name)));
    const inside = own.map(placeOf);
    const found = own.map((place): Imported => places.get(place) ?? { values: [], types: [] });
    const outside = (target: string) => !inside.includes(target) && !FOR_ALL.includes(target);
    const values = new Set(found.flatMap((one) => one.values).filter(outside));
    const all = new Set([...values, ...found.flatMap((one) => one.types).filter(outside)]);
    const allowed = text === 'all above';
    const [, listed = '', listedTypes = ''] = /^(.*?)(?:(?:^|; )types of (.*))?$/.exec(text) ?? [];
    const wrong = allowed
      ? [...all].filter((one) => !above.has(one) && !files.has(`src/${one}.ts`))
      : [
          ...differences([...namesOf(listed), ...namesOf(listedTypes)], all),
          ...namesOf(listedTypes)
            .filter((one) => values.has(one))
            .map((one) => `imports more than types of ${one}`),
        ];
    for (const place of inside) above.add(place);
    return [
      ...named.filter((name) => !own.some((place) => isWithin(place, name))).map((name) => `${name} is not there`),
      ...wrong.map((one) => `${named.join(', ')}: ${one}`),
    ];
  });
  const rowed = rows.flatMap(([, subjects = '']) => namesOf(subjects));
  const folders = [...places.keys()].filter((place) => !place.endsWith('.ts'));
  const missing = rows.length === 0 ? [] : folders.filter((place) => !rowed.some((name) => isWithin(place, name)));
  return [...told, ...missing.map((place) => `${place} has no row`)];
}

function differences(listed: readonly string[], found: ReadonlySet<string>): string[] {
  return [
    ...[...found].filter((one) => !listed.includes(one)).map((one) => `imports ${one} too`),
    ...listed.filter((one) => !found.has(one)).map((one) => `imports no ${one}`),
  ];
}

/** The files that the page names in a form of sentence that nothing compares. */
function unchecked(page: string): string[] {
  const checked = new RegExp(
    `${FILE}.* (?:calls|creates|imports?|implements) |${FILE} answers \\d|^(?:- )?(?:In .*, o|O)nly .* imports? `,
  );
  return sentencesOf(page)
    .filter((sentence) => filesOf(sentence).length > 0 && !checked.test(sentence))
    .filter((sentence) => !NOT_OF_IMPORTS.some((form) => form.test(sentence)))
    .map((sentence) => `nothing compares: ${sentence}`);
}

function filesOf(text: string): string[] {
  return [...text.matchAll(new RegExp(FILE, 'g'))].map(([, path = '']) => path);
}

function namesOf(list: string): string[] {
  return [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** Tells whether a path is a place, or below it. */
function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}
