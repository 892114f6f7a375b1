import { dirname, relative, resolve, sep } from 'node:path';
import { join, normalize } from 'node:path/posix';
import { isObject } from '../../text/unknown.ts';
import { planCypress } from './cypress.ts';
import { parsedObject } from './look.ts';
import type { InitStep, PlanPart, Project, RunnerName, TextFile } from './project.ts';
import { runnerConfig } from './runner.ts';
import { browserTestsBeside, planGlobalSetup, planWebServer } from './server-first.ts';
import {
  asNode,
  editedConfig,
  exportedObject,
  linesAtStart,
  nodesOf,
  programOf,
  propertyOf,
  quoteOf,
  spreadsOf,
  stringOf,
} from './source.ts';

// A test with node:test starts its own server, so it needs no configuration.

/** The quoted package name. It is a constant because this module does not import the package; the written file does. */
const PACKAGE = "'mailcap'";
const SETUP = 'mailcap.setup.cjs';
const TEARDOWN = 'mailcap.teardown.cjs';

const SETUP_TEXT = `// Starts a mail server before the tests. The client and the app find it by the variables.
module.exports = async () => {
  const { createMailcap } = await import(${PACKAGE});
  const server = await createMailcap({ port: 0, smtpPort: 0, ephemeral: true, limits: 'off', starttls: 'off' });
  process.env.MAILCAP_URL = server.url;
  process.env.MAILCAP_API_KEY = server.apiKey;
  process.env.MAILCAP_SMTP_URL = server.smtp.url;
  globalThis.mailcapServer = server;
};
`;
const TEARDOWN_TEXT = `module.exports = () => globalThis.mailcapServer?.close();
`;
export function planConfig(project: Project, runner: RunnerName): PlanPart {
  switch (runner) {
    case 'playwright':
      return planWebServer(project);
    case 'vitest':
      return planGlobalSetup(project);
    case 'jest':
      return planJest(project);
    case 'cypress':
      return planCypress(project);
    case 'node':
      return { steps: planNode(project), notes: [] };
  }
}

/** Plans the global setup of Jest, unless a configuration names mailcap already. */
function planJest(project: Project): PlanPart {
  const { manifest } = project;
  const config = runnerConfig(project, 'jest');
  const inManifest = manifest.jest === null ? '' : JSON.stringify(manifest.jest);
  if (/mailcap/.test(`${config?.text ?? ''}${inManifest}`)) return { steps: [], notes: [] };
  const files: InitStep[] = [[SETUP, SETUP_TEXT] as const, [TEARDOWN, TEARDOWN_TEXT] as const].flatMap(
    ([path, text]) => (project.exists(path) ? [] : [{ do: 'create', path, text, why: 'a server for each run' }]),
  );
  const other = browserTestsBeside(project);
  const isChosen = /test(?:Match|Regex|PathIgnorePatterns)|roots/.test(`${config?.text ?? ''}${inManifest}`);
  const notes =
    other === null || isChosen
      ? []
      : [`Jest runs the tests of Playwright too, unless \`testPathIgnorePatterns\` has '<rootDir>/${other}/'.`];
  return { steps: [...files, jestConfigStep(project)], notes };
}

/** The values that a configuration of Jest gives. `undefined` means that it gives none, and null that it computes one. */
interface JestFacts {
  readonly rootDir: string | null | undefined;
  readonly roots: readonly string[] | null;
  readonly preset: string | null | undefined;
  readonly globalSetup: string | null | undefined;
  readonly hasTeardown: boolean;
  /** `true` if a part of the configuration is spread from elsewhere. */
  readonly isSpread: boolean;
}

/** The presets that are known to have no setup of their own, which the one of the project would replace. */
const PRESETS =
  /^(?:ts-jest|jest-expo|jest-preset-angular|react-native|@react-native|@swc|@vue\/cli-plugin-unit-jest)\b/;

function jestConfigStep(project: Project): InitStep {
  const config = runnerConfig(project, 'jest');
  const facts = jestFacts(project, config);
  const path = config?.path ?? 'package.json';
  const why = refusalOf(facts);
  if (facts === null || why !== null)
    return { do: 'paste', path, lines: jestLines(project, facts), why: why ?? 'it exports no plain object' };
  const keys = jestKeys(project, facts);
  const change = (text: string) =>
    config === null
      ? editJson(text, (json) => ({ ...json, jest: { ...(project.manifest.jest ?? {}), ...keys } }))
      : path.endsWith('.json')
        ? editJson(text, (json) => ({ ...json, ...keys }))
        : withKeys(path, text, keys);
  return { do: 'edit', path, why: 'names the global setup', change };
}

/** Returns the directories in which Jest looks for tests, from the project; null where the configuration computes them. */
export function jestRoots(project: Project): readonly string[] {
  const config = runnerConfig(project, 'jest');
  const { rootDir, roots } = jestFacts(project, config) ?? {};
  const root = normalize(rootDir ?? '.');
  return (roots ?? ['<rootDir>']).map((one) =>
    normalize(join(root, one.replace(/^<rootDir>\/?/, './'))).replace(/\/$/, ''),
  );
}

/** Returns what the configuration says; null if it can't be read. */
function jestFacts({ manifest }: Project, config: TextFile | null): JestFacts | null {
  if (config !== null && !config.path.endsWith('.json')) return factsOfProgram(config);
  const fields = config === null ? (manifest.jest ?? {}) : parsedObject(config.text);
  if (fields === null) return null;
  const told = (name: string) => (typeof fields[name] === 'string' ? fields[name] : name in fields ? null : undefined);
  return {
    rootDir: told('rootDir'),
    roots: textsOf(fields['roots']),
    preset: told('preset'),
    globalSetup: told('globalSetup'),
    hasTeardown: 'globalTeardown' in fields,
    isSpread: false,
  };
}

function factsOfProgram({ path, text }: TextFile): JestFacts | null {
  const program = programOf(path, text);
  const object = program === null ? null : exportedObject(program);
  if (object === null) return null;
  const told = (name: string) => {
    const property = propertyOf(object, name);
    return property === null ? undefined : stringOf(asNode(property['value']));
  };
  const root = asNode(propertyOf(object, 'rootDir')?.['value']);
  return {
    rootDir: root?.['name'] === '__dirname' ? '.' : told('rootDir'),
    roots: textsOf(nodesOf(asNode(propertyOf(object, 'roots')?.['value'])?.['elements']).map(stringOf)),
    preset: told('preset'),
    globalSetup: told('globalSetup'),
    hasTeardown: propertyOf(object, 'globalTeardown') !== null,
    isSpread: spreadsOf(object).length > 0,
  };
}

/** Returns a list of texts that has some; null for anything else. */
function textsOf(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string') ? value : null;
}

/** Returns why a configuration can't be edited; null if it can. */
function refusalOf(facts: JestFacts | null): string | null {
  if (facts === null) return null;
  if (facts.globalSetup !== undefined || facts.hasTeardown) return 'it has a setup of its own, and Jest takes one';
  if (facts.isSpread) return 'what it spreads may have a setup of its own';
  if (facts.preset === null || (facts.preset !== undefined && !PRESETS.test(facts.preset)))
    return 'its preset may have a setup of its own';
  if (facts.rootDir === null) return 'its `rootDir` is computed';
  return null;
}

/** Names the two files from the `rootDir` of Jest. */
function jestKeys({ directory }: Project, facts: JestFacts | null) {
  const up = relative(resolve(directory, facts?.rootDir ?? '.'), directory)
    .split(sep)
    .join('/');
  const at = (file: string) => `<rootDir>/${up === '' ? '' : `${up}/`}${file}`;
  return { globalSetup: at(SETUP), globalTeardown: at(TEARDOWN) };
}

function withKeys(path: string, text: string, keys: Readonly<Record<string, string>>): string {
  const edited = editedConfig(path, text, (object, program) => {
    const quote = quoteOf(text, program);
    const lines = Object.entries(keys).map(([key, value]) => `${key}: ${quote}${value}${quote},`);
    return linesAtStart(text, object, lines);
  });
  return edited ?? text;
}

/** Returns lines that fit the configuration: of two setups, one has to call the other. */
function jestLines(project: Project, facts: JestFacts | null): string {
  if (facts === null || (facts.globalSetup === undefined && !facts.hasTeardown))
    return Object.entries(jestKeys(project, facts))
      .map(([key, value]) => `${key}: '${value}',`)
      .join('\n');
  const { globalSetup } = facts;
  const setup = (globalSetup ?? '').replace(/^<rootDir>/, '.');
  // Only a plain path tells where the setup lies.
  const to = setup.startsWith('.')
    ? relative(dirname(resolve(project.directory, facts.rootDir ?? '.', setup)), project.directory)
    : '';
  const at = `${to === '' ? '.' : to.split(sep).join('/')}/`;
  const isModule = project.manifest.type === 'module' ? !/\.c[jt]s$/.test(setup) : /\.m[jt]s$/.test(setup);
  const inQuotes = (file: string) => `'${at}${file}'`;
  const calling = (file: string) =>
    isModule ? `await (await import(${inQuotes(file)})).default();` : `await require(${inQuotes(file)})();`;
  return [
    '// In your global setup, before its own lines:',
    calling(SETUP),
    '// In your global teardown, after its own lines:',
    calling(TEARDOWN),
  ].join('\n');
}

function planNode({ manifest }: Project): InitStep[] {
  const { test } = manifest.scripts;
  if (test !== undefined && !/no test specified/.test(test)) return [];
  const change = (text: string) =>
    editJson(text, (json) => ({
      ...json,
      scripts: { ...manifest.scripts, ...(isObject(json['scripts']) ? json['scripts'] : {}), test: 'node --test' },
    }));
  return [{ do: 'edit', path: 'package.json', why: '`npm test` runs node:test', change }];
}

/** Changes a JSON object, and keeps its indent, its line ends and its last line. */
export function editJson(text: string, change: (json: Record<string, unknown>) => Record<string, unknown>): string {
  const json = parsedObject(text);
  if (json === null) return text;
  const indent = /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? 2;
  const written = JSON.stringify(change(json), null, indent) + (text.endsWith('\n') ? '\n' : '');
  return text.includes('\r\n') ? written.replace(/\n/g, '\r\n') : written;
}
