import { isAbsolute } from 'node:path/posix';
import { inShell } from '../../text/in-shell.ts';
import { jestRoots } from './config.ts';
import { runs } from './manager.ts';
import {
  type Manager,
  type Manifest,
  type PlanPart,
  type Project,
  type RunnerName,
  refusal,
  type TextFile,
} from './project.ts';
import { browserTests, NAMES, PROGRAMS, runnerConfig } from './runner.ts';

interface PlannedTest extends PlanPart {
  /** The path of the first test; null where the project has one that uses mailcap. */
  readonly path: string | null;
  /** The command that runs it; null where there is none. */
  readonly run: string | null;
  /** The packages that it imports beside the package and the runner. */
  readonly needs: readonly string[];
}

interface Place {
  readonly directory: string;
  /** The part between the name and the ending: `.test`, `.spec`, `.cy`. */
  readonly suffix: string;
  readonly ending: 'ts' | 'js' | 'mts' | 'mjs';
}

/** A file that imports or requires an entry point of the package. */
const USES = /['"]mailcap(?:\/(?:playwright|vitest|jest|cypress|client))?['"]|['"]mailcap:mailbox['"]/;

/** The runners whose tests may import nothing of the runner itself. */
const UNIT_RUNNERS: readonly RunnerName[] = ['vitest', 'jest', 'node'];

/** Tells whether a test file is of a runner, by what it imports. */
function isOf(runner: RunnerName, { path, text }: TextFile): boolean {
  const imported: readonly [RunnerName, RegExp][] = [
    ['playwright', /['"](?:mailcap\/playwright|@playwright\/test)['"]/],
    ['vitest', /['"](?:mailcap\/)?vitest['"]/],
    ['jest', /['"](?:mailcap\/jest|@jest\/globals)['"]/],
    ['node', /['"]node:test['"]/],
    ['cypress', /['"]mailcap:\w+['"]/],
  ];
  const [found] = imported.find(([, pattern]) => pattern.test(text)) ?? [];
  return found === undefined ? UNIT_RUNNERS.includes(runner) && !path.startsWith('cypress/') : found === runner;
}

/** Plans the first test of a runner, unless one of its tests uses mailcap already. */
export function planTest(project: Project, runner: RunnerName, manager: Manager): PlannedTest {
  const user = project.tests.find((file) => USES.test(file.text) && isOf(runner, file));
  if (user !== undefined) return { path: null, run: null, steps: [], notes: [], needs: [] };
  const { directory, suffix, ending } = placeOf(project, runner);
  const named = (name: string) => [directory, `${name}${suffix}.${ending}`].filter((part) => part !== '').join('/');
  const path = freeName(project, named);
  const text = firstTestText(runner, languageOf(project, runner, ending));
  return {
    path,
    run: runOf(project, manager, runner, path),
    steps: [{ do: 'create', path, text, why: `a first test with ${NAMES[runner]}` }],
    notes: notesOf(project, runner),
    needs: runner === 'cypress' ? [] : ending.endsWith('ts') ? ['nodemailer', '@types/nodemailer'] : ['nodemailer'],
  };
}

function freeName(project: Project, named: (name: string) => string): string {
  for (let count = 1; ; count += 1) {
    const path = named(count === 1 ? 'mailcap' : count === 2 ? 'mailcap-first' : `mailcap-first-${count - 1}`);
    if (!project.exists(path)) return path;
  }
}

/** Chooses the directory and the name of the first test, to match the existing tests. */
function placeOf(project: Project, runner: RunnerName): Place {
  const config = runnerConfig(project, runner)?.text ?? '';
  switch (runner) {
    case 'playwright': {
      const directory = browserTests(project);
      if (isOutside(directory))
        throw refusal(
          `Playwright's tests are in ${directory}, outside this project: run \`mailcap init\` beside the package.json of those tests.`,
        );
      const inside = project.tests.filter(({ path }) => path.startsWith(`${directory}/`) || directory === '');
      return {
        directory,
        suffix: /\.test\./.test(inside[0]?.path ?? '') ? '.test' : '.spec',
        ending: inModules(project, endingOf(project, inside)),
      };
    }
    case 'vitest':
    case 'jest':
      return besideOthers(project, runner, config);
    case 'cypress': {
      const specs = project.tests.filter(({ path }) => /\.cy\./.test(path));
      return { directory: 'cypress/e2e', suffix: '.cy', ending: endingOf(project, specs) };
    }
    case 'node':
      return { directory: 'test', suffix: '.test', ending: 'mjs' };
  }
}

function isOutside(path: string): boolean {
  return isAbsolute(path) || path === '..' || path.startsWith('../');
}

/** Finds the directory with the most unit tests, and the extension of their names. */
function besideOthers(project: Project, runner: RunnerName, config: string): Place {
  const browser = runnerConfig(project, 'playwright');
  const elsewhere = browser === null ? null : browserTests(project);
  const units = project.tests.filter(
    ({ path }) =>
      /\.(test|spec)\.[cm]?[jt]sx?$/.test(path) &&
      (elsewhere === null || elsewhere === '' || !path.startsWith(`${elsewhere}/`)),
  );
  const counts = new Map<string, number>();
  for (const { path } of units) {
    const directory = path.split('/').slice(0, -1).join('/');
    counts.set(directory, (counts.get(directory) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([one, a], [other, b]) => b - a || one.length - other.length);
  const specs = units.filter(({ path }) => /\.spec\./.test(path)).length;
  // A list of patterns names the places where the runner looks:  `include: ['src/**/*.spec.ts']`
  const [, prefix, rest] =
    /\binclude:\s*\[\s*['"]([\w./-]*?)\/?\*([^'"]*)['"]/.exec(runner === 'vitest' ? config : '') ?? [];
  const patterns = runner === 'jest' ? jestPatterns(project, config) : (rest ?? '');
  const isSpec = units.length > 0 ? specs * 2 > units.length : /\bspec\b/.test(patterns) && !/\btest\b/.test(patterns);
  const usual = prefix?.replace(/^\.\//, '') ?? (project.exists('tests') && elsewhere !== 'tests' ? 'tests' : 'test');
  return {
    directory: most?.[0] ?? (runner === 'jest' ? inRoots(project, usual) : usual),
    suffix: isSpec ? '.spec' : '.test',
    ending: endingOf(project, units, runner),
  };
}

/** Returns what the configuration of Jest says of the names of tests. */
function jestPatterns({ manifest }: Project, config: string): string {
  const written = config === '' ? JSON.stringify(manifest.jest ?? {}) : config;
  return /\btest(?:Regex|Match)\b["']?\s*:\s*(\[[^\]]*\]|[^\n]*)/.exec(written)?.[1] ?? '';
}

/** Returns the usual directory if Jest looks there, or else one in which it looks. */
function inRoots(project: Project, usual: string): string {
  const roots = jestRoots(project);
  if (roots.some((root) => root === '.' || usual === root || usual.startsWith(`${root}/`))) return usual;
  return roots[0] ?? usual;
}

/** Chooses the extension of the existing tests, or else that of the project's language. */
function endingOf(project: Project, tests: readonly TextFile[], runner: RunnerName | null = null): 'ts' | 'js' {
  const { manifest, hasTsconfig } = project;
  if (tests.length > 0) return tests.some(({ path }) => /\.[cm]?tsx?$/.test(path)) ? 'ts' : 'js';
  const has = (name: string) => manifest.dependencies[name] !== undefined;
  // Jest reads TypeScript only with a transformer.
  if (runner === 'jest' && !['ts-jest', '@swc/jest', '@babel/preset-typescript'].some(has)) return 'js';
  return hasTsconfig || has('typescript') ? 'ts' : 'js';
}

/** Under Plug'n'Play a test in CommonJS can't load the fixtures, because Node 20 requires ES modules without its hooks. */
function inModules(project: Project, ending: 'ts' | 'js'): Place['ending'] {
  return project.exists('.pnp.cjs') && project.manifest.type !== 'module' ? `m${ending}` : ending;
}

function languageOf(project: Project, runner: RunnerName, ending: Place['ending']): TestLanguage {
  const { manifest } = project;
  const has = (name: string) => manifest.dependencies[name] !== undefined;
  const isTypeScript = ending.endsWith('ts');
  // Jest supports `import` only with a transformer, or if Node's own modules are switched on.
  const isTranslated = isTypeScript || has('@babel/preset-env') || has('@swc/jest');
  const config = runnerConfig(project, runner)?.text ?? '';
  return {
    isTypeScript,
    imports: runner !== 'jest' || isTranslated || (runsModules(manifest) && manifest.type === 'module'),
    isInBrowser: runner === 'jest' ? true : /environment:\s*['"](jsdom|happy-dom|edge-runtime)/.test(config),
  };
}

/** Tells whether the scripts of a project switch on Node's own modules in Jest. */
function runsModules({ scripts }: Manifest): boolean {
  return Object.values(scripts).some((script) => script.includes('experimental-vm-modules'));
}

/** Jest needs an option of Node for ES modules, which the scripts of a project or a preset tell. */
function jestOptions(project: Project): string {
  const { manifest } = project;
  const config = `${runnerConfig(project, 'jest')?.text ?? ''}${JSON.stringify(manifest.jest ?? {})}`;
  const isNative = runsModules(manifest) || /default-esm|extensionsToTreatAsEsm|useESM/.test(config);
  return isNative ? 'NODE_OPTIONS=--experimental-vm-modules ' : '';
}

function runOf(project: Project, manager: Manager, runner: RunnerName, file: string): string {
  const path = inShell(file);
  if (runner === 'node') return `${PROGRAMS.node} ${path}`;
  const before = runner === 'jest' ? jestOptions(project) : '';
  return before + runs(manager, `${PROGRAMS[runner]} ${runner === 'cypress' ? '--spec ' : ''}${path}`);
}

function notesOf(project: Project, runner: RunnerName): readonly string[] {
  if (runner !== 'vitest') return [];
  const config = runnerConfig(project, runner)?.text ?? '';
  return [
    ...(/\bbrowser:\s*\{/.test(config)
      ? [
          'Vitest runs tests in a browser here. The first test needs Node: add a Vitest project without `browser` for it.',
        ]
      : []),
    ...(project.exists('.pnp.cjs')
      ? ["Vite no longer supports Yarn's Plug'n'Play: Vitest needs `nodeLinker: node-modules` in .yarnrc.yml."]
      : []),
  ];
}

interface TestLanguage {
  readonly isTypeScript: boolean;
  /** `true` for `import`, `false` for `require`. */
  readonly imports: boolean;
  /** `true` if tests run with a browser's globals instead of Node's. */
  readonly isInBrowser: boolean;
}

/** The lines of a test that send a mail by SMTP, as an app does. */
const SENDING = [
  '// Your app sends this instead: to the server at MAILCAP_SMTP_URL, which is set while tests run.',
  'const app = createTransport(process.env.MAILCAP_SMTP_URL);',
  "const mail = { from: 'app@example.com', subject: 'Your code', text: 'Your code is 234815.' };",
  'await app.sendMail({ ...mail, to: mailbox.address });',
];

function firstTestText(runner: RunnerName, language: TestLanguage): string {
  switch (runner) {
    case 'playwright':
    case 'vitest':
      return withFixtures(runner, language);
    case 'jest':
      return withJest(language);
    case 'cypress':
      return cypressTest(language);
    case 'node':
      return withNode();
  }
}

function withFixtures(runner: 'playwright' | 'vitest', language: TestLanguage): string {
  return file([
    ...(language.isInBrowser ? ['// @vitest-environment node'] : []),
    `import { expect, test } from 'mailcap/${runner}';`,
    "import { createTransport } from 'nodemailer';",
    '',
    "test('a code comes by mail', async ({ mailbox }) => {",
    ...indented(SENDING),
    '',
    "  expect(await mailbox.waitForCode({ subject: 'your code' })).toBe('234815');",
    '});',
  ]);
}

function withJest(language: TestLanguage): string {
  const { imports, isTypeScript } = language;
  return file([
    // The client makes its requests with Node's fetch.
    '/** @jest-environment node */',
    ...(imports
      ? [
          `import { createClient${isTypeScript ? ', type Mailbox' : ''} } from 'mailcap/client';`,
          "import { createTransport } from 'nodemailer';",
        ]
      : ["const { createClient } = require('mailcap/client');", "const { createTransport } = require('nodemailer');"]),
    '',
    'const client = createClient();',
    `let mailbox${isTypeScript ? ': Mailbox' : ''};`,
    '',
    '// Each attempt at a test gets a mailbox of its own.',
    'beforeEach(async () => {',
    '  mailbox = await client.mailbox();',
    '});',
    'afterEach(() => mailbox.delete());',
    '',
    "test('a code comes by mail', async () => {",
    ...indented(SENDING),
    '',
    "  expect(await mailbox.waitForCode({ subject: 'your code' })).toBe('234815');",
    '});',
  ]);
}

function withNode(): string {
  return file([
    "import assert from 'node:assert/strict';",
    "import { after, before, test } from 'node:test';",
    "import { createMailcap } from 'mailcap';",
    "import { createClient } from 'mailcap/client';",
    "import { createTransport } from 'nodemailer';",
    '',
    'let server;',
    'let client;',
    '',
    'before(async () => {',
    "  server = await createMailcap({ port: 0, smtpPort: 0, ephemeral: true, limits: 'off', starttls: 'off' });",
    '  client = createClient({ baseUrl: server.url, apiKey: server.apiKey });',
    '  process.env.MAILCAP_SMTP_URL = server.smtp.url;',
    '});',
    'after(() => server.close());',
    '',
    "test('a code comes by mail', async () => {",
    '  const mailbox = await client.mailbox();',
    ...indented(SENDING),
    '',
    "  assert.equal(await mailbox.waitForCode({ subject: 'your code' }), '234815');",
    '});',
  ]);
}

// Tests of Cypress run in the browser, so Node sends the mail.
const cypressTest = ({ isTypeScript }: TestLanguage) =>
  file([
    // The types alone: the package itself is for Node.
    ...(isTypeScript ? ["import type {} from 'mailcap/cypress';", ''] : []),
    "it('waits for a code', () => {",
    "  cy.task('mailcap:mailbox').then(({ id, address }) => {",
    "    // Let your app send it instead: cy.visit('/sign-up'), and type the address there.",
    "    cy.task('mailcap:send', { to: address, subject: 'Your code', text: 'Your code is 234815.' });",
    '',
    "    cy.task('mailcap:code', { mailbox: id, subject: 'your code' }).should('equal', '234815');",
    '  });',
    '});',
  ]);

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function file(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
