import { docsCommand } from '../../text/docs-place.ts';
import type { PlanPart, Project } from './project.ts';
import { browserTests, runnerConfig, runnersOf } from './runner.ts';

// The fixtures start the mail server when the first test needs it. An app that Playwright starts before the tests, and code
// that reads its environment when Vitest loads it, need the server earlier. The configuration starts it then.

const NOTHING: PlanPart = { steps: [], notes: [] };
const WEB_SERVER = 'mailcapWebServer';
const GLOBAL_SETUP = 'mailcap/vitest/global-setup';
const APP_NOTE = `Let the app of \`webServer\` send to MAILCAP_SMTP_URL, which is set before it starts: ${docsCommand('playwright#an-app-in-another-process')}.`;

/** Plans `mailcapWebServer()` before the app in Playwright's `webServer`. Without a `webServer` nothing needs it. */
export function planWebServer(project: Project): PlanPart {
  const config = runnerConfig(project, 'playwright');
  if (config === null) return withoutBrowserConfig(project);
  if (config.text.includes(WEB_SERVER)) return NOTHING;
  const code = codeOf(config.text);
  if (!/\bwebServer\b/.test(code))
    return {
      steps: [],
      notes: [
        `If Playwright starts your app, put \`${WEB_SERVER}()\` before it in \`webServer\`: ${docsCommand('playwright#an-app-in-another-process')}.`,
      ],
    };
  const { path, text } = config;
  if (withWebServer(text) === null) {
    const lines = `import { ${WEB_SERVER} } from 'mailcap/playwright';\n\nwebServer: [${WEB_SERVER}(), /* your app */],`;
    return {
      steps: [{ do: 'paste', path, lines, why: 'its `webServer` is no plain object or list' }],
      notes: [APP_NOTE],
    };
  }
  const change = (before: string) => withWebServer(before) ?? before;
  return { steps: [{ do: 'edit', path, why: 'starts the mail server before your app', change }], notes: [APP_NOTE] };
}

/** Plans a configuration where other runners have tests too: without one, Playwright would run these as its own. */
function withoutBrowserConfig(project: Project): PlanPart {
  if (runnersOf(project.manifest).every((runner) => runner === 'playwright' || runner === 'cypress')) return NOTHING;
  const text = [
    "import { defineConfig } from '@playwright/test';",
    '',
    `export default defineConfig({ testDir: './${browserTests(project)}' });`,
    '',
  ].join('\n');
  const why = 'names the directory of its tests';
  return { steps: [{ do: 'create', path: 'playwright.config.mjs', text, why }], notes: [] };
}

/** Returns the configuration with the mail server before the app; null unless `webServer` is a plain object or list. */
function withWebServer(text: string): string | null {
  const code = codeOf(text);
  const [only, ...others] = [...code.matchAll(/^([ \t]*)webServer\s*:\s*([{[])/gm)];
  if (only === undefined || others.length > 0 || code.match(/\bwebServer\b/g)?.length !== 1) return null;
  const [whole, indent = '', opening] = only;
  const open = only.index + whole.length - 1;
  const close = endOf(code, open);
  if (close === null) return null;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const isList = opening === '[';
  const inside = text.slice(open + 1, close);
  const entries = isList ? inside.trim().replace(/,$/, '') : indented(text.slice(open, close + 1), newline);
  const inner = `${newline}${indent}  `;
  const list = `[${inner}${WEB_SERVER}(),${entries === '' ? '' : `${inner}${entries},`}${newline}${indent}]`;
  return withImport(`${text.slice(0, open)}${list}${text.slice(close + 1)}`, newline);
}

/** Indents the lines after the first one by two more columns. */
function indented(text: string, newline: string): string {
  return text
    .split(newline)
    .map((line, at) => (at === 0 || line === '' ? line : `  ${line}`))
    .join(newline);
}

/** Adds the import below the last one, in the way of the file. */
function withImport(text: string, newline: string): string {
  const imports = [...text.matchAll(/^import\b[^;]*?['"][^'"\n]+['"];?[ \t]*$/gm)];
  const requires = [...text.matchAll(/^(?:const|let|var)\b[^;=]*=\s*require\([^)]*\);?[ \t]*$/gm)];
  const last = imports.at(-1) ?? requires.at(-1);
  const line =
    imports.length === 0 && /\bmodule\.exports\b/.test(text)
      ? `const { ${WEB_SERVER} } = require('mailcap/playwright');`
      : `import { ${WEB_SERVER} } from 'mailcap/playwright';`;
  if (last === undefined) return `${line}${newline}${text}`;
  const at = last.index + last[0].length;
  return `${text.slice(0, at)}${newline}${line}${text.slice(at)}`;
}

/** Plans the global setup of Vitest, which starts one server for all test files before any of them is loaded. */
export function planGlobalSetup(project: Project): PlanPart {
  const config = runnerConfig(project, 'vitest');
  if (config === null) return withoutConfig(project);
  const { path, text } = config;
  if (text.includes(GLOBAL_SETUP)) return NOTHING;
  const change = (before: string) => withGlobalSetup(before) ?? before;
  const other = browserTestsBeside(project);
  const notes =
    other === null || /\b(?:exclude|include|dir|root)\s*:/.test(codeOf(text))
      ? []
      : [`Vitest runs the tests of Playwright too, unless \`test.exclude\` has '${other}/**'.`];
  if (withGlobalSetup(text) !== null)
    return {
      steps: [{ do: 'edit', path, why: 'starts the mail server before the test files are loaded', change }],
      notes,
    };
  const lines = `test: { globalSetup: ['${GLOBAL_SETUP}'] },`;
  return {
    steps: [{ do: 'paste', path, lines, why: 'its `test` has a setup of its own, or is not a plain object' }],
    notes: [],
  };
}

/** Returns the directory of Playwright's tests, which other runners have to leave out; null if there is none. */
function browserTestsBeside(project: Project): string | null {
  const directory = runnersOf(project.manifest).includes('playwright') ? browserTests(project) : '';
  return directory === '' ? null : directory;
}

function withoutConfig(project: Project): PlanPart {
  const { directory, lockDirectory, members } = project;
  // The root of a monorepo may configure its packages.
  if (directory !== lockDirectory || members.length > 0)
    return {
      steps: [],
      notes: [`If code reads MAILCAP_SMTP_URL when it is loaded, add a global setup: ${docsCommand('vitest')}.`],
    };
  const other = browserTestsBeside(project);
  const lines =
    other === null
      ? [
          "import { defineConfig } from 'vitest/config';",
          '',
          `export default defineConfig({ test: { globalSetup: '${GLOBAL_SETUP}' } });`,
        ]
      : [
          "import { configDefaults, defineConfig } from 'vitest/config';",
          '',
          'export default defineConfig({',
          '  test: {',
          `    globalSetup: '${GLOBAL_SETUP}',`,
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

function withGlobalSetup(text: string): string | null {
  const code = codeOf(text);
  const [only, ...others] = [...code.matchAll(/\btest\s*:\s*\{/g)];
  if (only === undefined || others.length > 0 || /\b(?:globalSetup|projects|workspace)\s*:/.test(code)) return null;
  const at = only.index + only[0].length;
  const [indent = ''] = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', only.index) + 1)) ?? [];
  const entry = `globalSetup: '${GLOBAL_SETUP}',`;
  const isOneLine = !/^[ \t]*\r?\n/.test(text.slice(at));
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  return `${text.slice(0, at)}${isOneLine ? ` ${entry}` : `${newline}${indent}  ${entry}`}${text.slice(at)}`;
}

/** The ends of comments and strings, by their beginnings. */
const NO_CODE: Readonly<Record<string, string>> = { '/*': '*/', '//': '\n', "'": "'", '"': '"', '`': '`' };

/** Returns a program with its comments and strings blanked, so that what is found in it is code, at its place. */
function codeOf(text: string): string {
  let code = '';
  for (let at = 0; at < text.length; ) {
    const end = NO_CODE[text.slice(at, at + 2)] ?? NO_CODE[text.charAt(at)];
    if (end === undefined) {
      code += text.charAt(at);
      at += 1;
      continue;
    }
    const from = at;
    at += end === '*/' || end === '\n' ? 2 : 1;
    while (at < text.length && !text.startsWith(end, at))
      at += text.charAt(at) === '\\' && end.length === 1 && end !== '\n' ? 2 : 1;
    // A line break ends a comment, and is none of it.
    at += end === '\n' ? 0 : end.length;
    code += text.slice(from, at).replace(/[^\r\n]/g, ' ');
  }
  return code;
}

/** Returns where the bracket at `open` is closed; null if it is not. */
function endOf(code: string, open: number): number | null {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if ('{[('.includes(code.charAt(at))) depth += 1;
    if ('}])'.includes(code.charAt(at))) depth -= 1;
    if (depth === 0) return at;
  }
  return null;
}
