import { docsCommand } from '../../text/docs-place.ts';
import { editOrPaste, type PlanPart, type Project } from './project.ts';
import { browserTests, runnerConfig, runnersOf } from './runner.ts';
import {
  asNode,
  constantOf,
  editedConfig,
  entryAtStart,
  exportedObject,
  type Insertion,
  importLine,
  importOf,
  indentAt,
  indentStep,
  linesAtStart,
  mentions,
  newlineOf,
  nodesOf,
  programOf,
  propertyOf,
  quoteOf,
  type SyntaxNode,
  spreadsOf,
  stringOf,
  withoutTypes,
} from './source.ts';

// The fixtures start the mail server when the first test needs it. An app that Playwright starts before the tests, and code
// that reads its environment when Vitest loads it, need the server earlier. The configuration starts it then.

const NOTHING: PlanPart = { steps: [], notes: [] };
const WEB_SERVER = 'mailcapWebServer';
const GLOBAL_SETUP = 'mailcap/vitest/global-setup';
const APP_NOTE = `Let the app of \`webServer\` send to MAILCAP_SMTP_URL, which is set before it starts: ${docsCommand('playwright#an-app-in-another-process')}.`;
const STARTS_NOTE = `If Playwright starts your app, put \`${WEB_SERVER}()\` before it in \`webServer\`: ${docsCommand('playwright#an-app-in-another-process')}.`;

/** Plans `mailcapWebServer()` before the app in Playwright's `webServer`. Without a `webServer` nothing needs it. */
export function planWebServer(project: Project): PlanPart {
  const config = runnerConfig(project, 'playwright');
  if (config === null) return withoutBrowserConfig(project);
  const { path, text } = config;
  const program = programOf(path, text);
  if (program === null ? text.includes(WEB_SERVER) : mentions(program, WEB_SERVER)) return NOTHING;
  if (program === null ? !text.includes('webServer') : !mentions(program, 'webServer'))
    return { steps: [], notes: [STARTS_NOTE] };
  const step = editOrPaste(
    config,
    'starts the mail server before your app',
    (before) => withWebServer(path, before),
    () => ({ lines: webServerLines(path, text), why: 'its `webServer` is not written there' }),
  );
  return { steps: [step], notes: [APP_NOTE] };
}

/** Plans a configuration where other runners have tests too: without one, Playwright would run these as its own. */
function withoutBrowserConfig(project: Project): PlanPart {
  if (runnersOf(project.manifest).every((runner) => runner === 'playwright' || runner === 'cypress'))
    return { steps: [], notes: [STARTS_NOTE] };
  const text = [
    "import { defineConfig } from '@playwright/test';",
    '',
    `export default defineConfig({ testDir: './${browserTests(project)}' });`,
    '',
  ].join('\n');
  const why = 'names the directory of its tests';
  return { steps: [{ do: 'create', path: 'playwright.config.mjs', text, why }], notes: [STARTS_NOTE] };
}

/** Returns the configuration with the mail server before the app; null unless the app is written in it. */
function withWebServer(path: string, text: string): string | null {
  return editedConfig(path, text, (object, program) => {
    const inList = insertionsFor(text, program, object);
    if (inList === null || inList.length === 0) return null;
    return [importLine(text, program, WEB_SERVER, 'mailcap/playwright'), ...inList];
  });
}

/** Returns what puts the server before each app of a configuration; null if one of them is written elsewhere. */
function insertionsFor(text: string, program: SyntaxNode, object: SyntaxNode): Insertion[] | null {
  const property = propertyOf(object, 'webServer');
  const spreads = spreadsOf(object).filter(({ start }) => property === null || start > property.start);
  // ...(process.env.CI ? {} : { webServer: … })
  const spread = spreads.flatMap((one) => argumentObjects(asNode(one['argument'])));
  if (property !== null && spreads.length > 0) return null;
  const all =
    property === null ? spread.map((one) => insertionsFor(text, program, one)) : [beforeApp(text, program, property)];
  return all.includes(null) ? null : all.flatMap((one) => one ?? []);
}

function argumentObjects(node: SyntaxNode | null): SyntaxNode[] {
  switch (node?.type) {
    case 'ObjectExpression':
      return [node];
    case 'ConditionalExpression':
      return [...argumentObjects(asNode(node['consequent'])), ...argumentObjects(asNode(node['alternate']))];
    case 'LogicalExpression':
      return argumentObjects(asNode(node['right']));
    default:
      return [];
  }
}

function beforeApp(text: string, program: SyntaxNode, property: SyntaxNode): Insertion[] | null {
  const value = withoutTypes(asNode(property['value']));
  if (value?.type !== 'Identifier' || isNothing(value)) return inValue(text, value);
  // The list that a constant holds is spread, so that the constant stays as it is.
  const held = withoutTypes(constantOf(String(value['name']), program))?.type;
  if (held !== 'ObjectExpression' && held !== 'ArrayExpression') return null;
  const key = property['shorthand'] === true ? `: [${WEB_SERVER}(), ` : null;
  const spread = held === 'ArrayExpression' ? '...' : '';
  if (key !== null) return [{ at: value.end, text: `${key}${spread}${String(value['name'])}]` }];
  return [
    { at: value.start, text: `[${WEB_SERVER}(), ${spread}` },
    { at: value.end, text: ']' },
  ];
}

/** Returns the insertions for a value, one of whose branches may start no app; null if a branch is written elsewhere. */
function inValue(text: string, node: SyntaxNode | null): Insertion[] | null {
  const value = withoutTypes(node);
  switch (value?.type) {
    case 'ObjectExpression':
      return aroundObject(text, value);
    case 'ArrayExpression':
      return inArray(text, value);
    case 'ConditionalExpression': {
      const branches = [value['consequent'], value['alternate']].map(asNode).filter((branch) => !isNothing(branch));
      const insertions = branches.map((branch) => inValue(text, branch));
      return insertions.includes(null) ? null : insertions.flatMap((one) => one ?? []);
    }
    default:
      return null;
  }
}

function isNothing(node: SyntaxNode | null): boolean {
  if (node?.type === 'ArrayExpression') return nodesOf(node['elements']).length === 0;
  return node?.type === 'NullLiteral' || node?.type === 'UnaryExpression' || node?.['name'] === 'undefined';
}

/** Makes an object the second of a list, and indents its lines. */
function aroundObject(text: string, { start, end }: SyntaxNode): Insertion[] {
  const lines = text.slice(start, end);
  // A line break in a text of several lines, or before a bracket of the line, has to stay where it is.
  if (!lines.includes('\n') || lines.includes('`'))
    return [
      { at: start, text: `[${WEB_SERVER}(), ` },
      { at: end, text: ']' },
    ];
  const [newline, outer, step] = [newlineOf(text), indentAt(text, start), indentStep(text)];
  const inner = `${newline}${outer}${step}`;
  const breaks = [...lines.matchAll(/\n(?!\r?\n)/g)].map(({ index }) => ({ at: start + index + 1, text: step }));
  return [
    { at: start, text: `[${inner}${WEB_SERVER}(),${inner}` },
    ...breaks,
    { at: end, text: `,${newline}${outer}]` },
  ];
}

function inArray(text: string, array: SyntaxNode): Insertion[] {
  const inside = text.slice(array.start + 1, array.end - 1);
  const [first] = nodesOf(array['elements']);
  if (first === undefined) return [{ at: array.start + 1, text: `${WEB_SERVER}()` }];
  if (/^[ \t]*(?:\/\/.*)?\r?\n/.test(inside)) return linesAtStart(text, array, [`${WEB_SERVER}(),`]);
  return [{ at: first.start, text: `${WEB_SERVER}(), ` }];
}

/** Returns lines that fit the configuration. */
function webServerLines(path: string, text: string): string {
  const program = programOf(path, text);
  const object = program === null ? null : exportedObject(program);
  const value = object === null ? null : asNode(propertyOf(object, 'webServer')?.['value']);
  const written = value === null ? '' : text.slice(value.start, value.end);
  const isCalled = value !== null && !written.includes('\n') && !mentions(value, 'undefined');
  const quote = program === null ? "'" : quoteOf(text, program);
  const from = `${quote}mailcap/playwright${quote}`;
  return [
    `${importOf(program, WEB_SERVER, from)};`,
    '',
    // `concat` takes an app and a list of apps alike.
    isCalled ? `webServer: [${WEB_SERVER}()].concat(${written}),` : `webServer: [${WEB_SERVER}(), /* your app */],`,
  ].join('\n');
}

/** Plans the global setup of Vitest, which starts one server for all test files before any of them is loaded. */
export function planGlobalSetup(project: Project): PlanPart {
  const config = runnerConfig(project, 'vitest');
  if (config === null) return withoutConfig(project);
  const { path, text } = config;
  if (text.includes(GLOBAL_SETUP)) return NOTHING;
  const step = editOrPaste(
    config,
    'starts the mail server before the test files are loaded',
    (before) => withGlobalSetup(path, before),
    () => ({
      lines: `test: { globalSetup: ['${GLOBAL_SETUP}' /* and your own */] },`,
      why: 'its `test` is not written there in full',
    }),
  );
  const other = step.do === 'edit' && !choosesTests(path, text) ? browserTestsBeside(project) : null;
  return { steps: [step], notes: other === null ? [] : [excludeNote(other)] };
}

function excludeNote(directory: string): string {
  return `Vitest runs the tests of Playwright too, unless \`test.exclude\` has '${directory}/**'.`;
}

function choosesTests(path: string, text: string): boolean {
  const program = programOf(path, text);
  return program !== null && ['exclude', 'include', 'dir', 'root', 'projects'].some((name) => mentions(program, name));
}

/** Returns the directory of Playwright's tests, which other runners have to leave out; null if there is none. */
export function browserTestsBeside(project: Project): string | null {
  const directory = runnersOf(project.manifest).includes('playwright') ? browserTests(project) : '';
  return directory === '' ? null : directory;
}

function withoutConfig(project: Project): PlanPart {
  const other = browserTestsBeside(project);
  // The root of a monorepo may configure its packages, and a file of a package would hide that.
  if (project.hasVitestAbove || project.members.length > 0)
    return {
      steps: [],
      notes: [
        `If code reads MAILCAP_SMTP_URL when it is loaded, add a global setup: ${docsCommand('vitest')}.`,
        ...(other === null ? [] : [excludeNote(other)]),
      ],
    };
  const lines =
    other === null
      ? [
          "import { defineConfig } from 'vitest/config';",
          '',
          `export default defineConfig({ test: { globalSetup: ['${GLOBAL_SETUP}'] } });`,
        ]
      : [
          "import { configDefaults, defineConfig } from 'vitest/config';",
          '',
          'export default defineConfig({',
          '  test: {',
          `    globalSetup: ['${GLOBAL_SETUP}'],`,
          '    // Playwright runs these.',
          `    exclude: [...configDefaults.exclude, '${other}/**'],`,
          '  },',
          '});',
        ];
  const text = `${lines.join('\n')}\n`;
  return {
    steps: [
      { do: 'create', path: 'vitest.config.mjs', text, why: 'starts the mail server before the test files are loaded' },
    ],
    notes: [],
  };
}

/** Returns the configuration with the global setup, before one of its own; null if its `test` is written elsewhere. */
function withGlobalSetup(path: string, text: string): string | null {
  return editedConfig(path, text, (object, program) => {
    const property = propertyOf(object, 'test');
    const spread = spreadsOf(object).at(-1) ?? null;
    // An object that is spread after `test`, or without it, may hold another `test`.
    if (spread !== null && (property === null || spread.start > property.start)) return null;
    const quote = quoteOf(text, program);
    const name = `${quote}${GLOBAL_SETUP}${quote}`;
    // A list is joined with that of a configuration that is merged with this one.
    const entry = `globalSetup: [${name}],`;
    if (property === null)
      return [...typesOfTest(path, text, program), ...linesAtStart(text, object, [`test: { ${entry.slice(0, -1)} },`])];
    const test = withoutTypes(asNode(property['value']));
    if (test?.type !== 'ObjectExpression') return null;
    const own = propertyOf(test, 'globalSetup');
    if (own !== null) return besideOwn(asNode(own['value']), name);
    return spreadsOf(test).length === 0 ? entryAtStart(text, test, entry) : null;
  });
}

function besideOwn(own: SyntaxNode | null, name: string): Insertion[] | null {
  if (own?.type === 'ArrayExpression') {
    const [first] = nodesOf(own['elements']);
    return first === undefined ? [{ at: own.start + 1, text: name }] : [{ at: first.start, text: `${name}, ` }];
  }
  if (own === null || stringOf(own) === null) return null;
  return [
    { at: own.start, text: `[${name}, ` },
    { at: own.end, text: ']' },
  ];
}

/** TypeScript knows `test` in a configuration of Vite only by this line. */
function typesOfTest(path: string, text: string, program: SyntaxNode): Insertion[] {
  if (!/\.[cm]?ts$/.test(path) || /['"]vitest(?:\/config)?['"]/.test(text)) return [];
  const [first] = nodesOf(program['body']);
  const newline = newlineOf(text);
  return first === undefined ? [] : [{ at: startOf(text), text: `/// <reference types="vitest/config" />${newline}` }];
}

/** Returns the place after the mark of a file's encoding and the line that names its program. */
function startOf(text: string): number {
  return /^\uFEFF?(?:#!.*\r?\n)?/.exec(text)?.[0].length ?? 0;
}
