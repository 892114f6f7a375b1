import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Growing, hostileInputs } from './linear/hostile-inputs.ts';
import { type Pattern, patternsOf } from './linear/patterns.ts';

// A text from outside must not make a regular expression slow: its time may grow with the text, not with its square.

/** The patterns that take more than linear time and meet no long text from outside, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/config/file.ts /^ParseError: (.*?)\\s*\\n\\s*(\\S.*):(\\d+):(\\d+)\\s*$/s':
    "jiti's error about the config file of the person who starts the server",
  'ui/terminal/views/mail-lines.ts /^"?([^"<]*?)"?\\s*<[^>]*>\\s*$/': 'a line of 200 characters, no more',
  'ui/web/mail/Row.tsx /^"?([^"<]+?)"?\\s*<[^>]*>$/': 'a line of 600 characters, no more',
};

const AT_IMPORT = 'at import';

/**
 * The patterns that a program makes: from constants when the file is loaded, or else examples of them, or the reason why
 * no text from outside can make one slow.
 */
const MADE: Readonly<Record<string, typeof AT_IMPORT | readonly RegExp[] | { readonly reason: string }>> = {
  'src/adapters/s3-storage.ts': [/<Key>([^<]*)<\/Key>/],
  'src/adapters/spamd.ts': AT_IMPORT,
  'src/checks/rules/placeholders.ts': AT_IMPORT,
  'src/cli/mail/search-words.ts': AT_IMPORT,
  'src/client/mailbox/choose.ts': { reason: 'the pattern of the person who writes the test' },
  'src/client/mailbox/arrivals.ts': [/\.name(\+[^@\s]{0,255})?@shop\.mailcap\.test/i],
  'src/client/options/check-options.ts': { reason: 'the pattern of the person who writes the test' },
  'src/config/mail-rules.ts': { reason: 'the pattern of the person who configures the server' },
  'src/domain/webhook.ts': AT_IMPORT,
  'src/extract/autolinks.ts': AT_IMPORT,
  'src/extract/code-evidence.ts': AT_IMPORT,
  'src/extract/code-words.ts': AT_IMPORT,
  'src/extract/words/find-words.ts': AT_IMPORT,
  'src/http/compat/mailpit-search.ts': AT_IMPORT,
  'src/mail/header-text.ts': AT_IMPORT,
  'src/adapters/spf.ts': [/[.]/, /[-.+,/_=]/],
  'src/text/unreached.ts': AT_IMPORT,
  'src/text/width.ts': [/.{1,80}/g],
  'ui/web/mail/mail-source.ts': [/(?:^|\s)from\s+(<[^<>]*>|[^\s;()]+)/i],
  'ui/terminal/text/find.ts': [/a\s+a/gi, /one\s+two\s+three/gi],
  'ui/web/mail/Found.tsx': [/(.{4})(?=.)/g],
};

/** A pattern that takes longer than this on a text of 6,000 characters hangs. */
const HANGS_MS = 5_000;

let literals: Pattern[];
let made: Pattern[];
let filesWithCalls: string[];

beforeAll(async () => {
  const found = patternsOf('src', 'plugins', 'ui');
  literals = found.literals;
  filesWithCalls = [...new Set(found.calls.map(({ path }) => path))].sort();
  const examples = Object.entries(MADE).flatMap(([path, how]) =>
    Array.isArray(how) ? how.map(({ source, flags }: RegExp) => ({ name: `${path} ${source}`, source, flags })) : [],
  );
  made = [...examples, ...(await madeAtImport())];
});

/** Loads the files that make patterns from constants, and records what they make. */
async function madeAtImport(): Promise<Pattern[]> {
  const recorded: Pattern[] = [];
  let path = '';
  vi.stubGlobal(
    'RegExp',
    new Proxy(RegExp, {
      construct: (target, [source, flags]: [string | RegExp, string | undefined]) => {
        const pattern = new target(source, flags);
        if (new Error().stack?.includes(path))
          recorded.push({ name: `${path} ${pattern}`, source: pattern.source, flags: pattern.flags });
        return pattern;
      },
    }),
  );
  for (const [file, how] of Object.entries(MADE)) {
    if (how !== AT_IMPORT) continue;
    // An earlier file may have loaded it.
    vi.resetModules();
    path = file;
    await import(/* @vite-ignore */ `../../${file}`);
  }
  vi.unstubAllGlobals();
  return recorded;
}

afterAll(() => vi.unstubAllGlobals());

test('every regular expression that meets text from outside takes linear time', async () => {
  const slow = await slowOnes([...literals, ...made]);
  const names = [...slow.keys()].filter((name) => EXCEPTIONS[name] === undefined);
  expect(names.map((name) => `${name} on ${slow.get(name)}`)).toEqual([]);
});

test('every exception is in the sources', () => {
  const names = new Set(literals.map(({ name }) => name));
  expect(Object.keys(EXCEPTIONS).filter((name) => !names.has(name))).toEqual([]);
});

test('every file that builds patterns is in the table, and its constant patterns were recorded', () => {
  expect(filesWithCalls).toEqual(Object.keys(MADE).sort());
  const atImport = Object.keys(MADE).filter((path) => MADE[path] === AT_IMPORT);
  expect(atImport.filter((path) => !made.some(({ name }) => name.startsWith(`${path} `)))).toEqual([]);
});

test.each([
  ['\\s+$', ''],
  ['^a*a*$', ''],
  ['(a+)+b', ''],
  ['(?<=^\\S*)\\d', 'g'],
  ['<[^>]*>', 'g'],
  ['^"?([^"]+?)"?\\s*<', ''],
])('a superlinear pattern is found: %s', async (source, flags) => {
  const pattern = { name: source, source, flags };
  expect([...(await slowOnes([pattern], 1_000)).keys()]).toEqual([source]);
});

test('patterns are collected from every kind of source file', () => {
  const folders = ['src/domain/', 'src/extract/', 'src/mail/', 'plugins/', 'ui/model/', 'ui/terminal/', 'ui/web/'];
  for (const folder of folders) expect(literals.some(({ name }) => name.startsWith(folder))).toBe(true);
  expect(literals.length).toBeGreaterThan(500);
});

/** Returns the patterns that take more than linear time, each with the text on which it does. */
async function slowOnes(patterns: readonly Pattern[], hangsMs = HANGS_MS): Promise<Map<string, string>> {
  const slow = new Map<string, string>();
  let left = patterns
    .map((pattern) => ({ ...pattern, inputs: hostileInputs(pattern) }))
    .filter(({ inputs }) => inputs.length > 0);
  while (left.length > 0) {
    const hanging = await measured(left, slow, hangsMs);
    if (hanging === null) break;
    slow.set(hanging, 'a text on which it does not end');
    left = left.slice(left.findIndex(({ name }) => name === hanging) + 1);
  }
  return slow;
}

type Said = { readonly name: string; readonly slow?: Growing } | { readonly done: true };

/** Measures patterns in a thread. Resolves with the name of one that hangs, or with null when all are measured. */
async function measured(
  patterns: readonly (Pattern & { readonly inputs: readonly Growing[] })[],
  slow: Map<string, string>,
  hangsMs: number,
): Promise<string | null> {
  const worker = new Worker(new URL('./linear/measure.js', import.meta.url));
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      worker.on('error', reject);
      worker.on('message', (said: Said) => {
        clearTimeout(timer);
        if ('done' in said) return resolve(null);
        if (said.slow !== undefined) slow.set(said.name, JSON.stringify(said.slow));
        timer = setTimeout(resolve, hangsMs, said.name);
      });
      worker.postMessage(patterns);
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
