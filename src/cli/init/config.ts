import { planCypress } from './cypress.ts';
import type { InitStep, PlanPart, Project, RunnerName } from './project.ts';
import { runnerConfig } from './runner.ts';
import { planGlobalSetup, planWebServer } from './server-first.ts';

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
const JEST_KEYS = { globalSetup: `<rootDir>/${SETUP}`, globalTeardown: `<rootDir>/${TEARDOWN}` };
const JEST_LINES = `globalSetup: '<rootDir>/${SETUP}',\nglobalTeardown: '<rootDir>/${TEARDOWN}',`;

/** Plans the configuration that a runner needs. */
export function planConfig(project: Project, runner: RunnerName): PlanPart {
  switch (runner) {
    case 'playwright':
      return planWebServer(project);
    case 'vitest':
      return planGlobalSetup(project);
    case 'jest':
      return { steps: planJest(project), notes: [] };
    case 'cypress':
      return planCypress(project);
    case 'node':
      return { steps: planNode(project), notes: [] };
  }
}

/** Plans the global setup of Jest, unless a configuration names mailcap already. */
function planJest(project: Project): InitStep[] {
  const { manifest } = project;
  const config = runnerConfig(project, 'jest');
  const inManifest = manifest.jest === null ? '' : JSON.stringify(manifest.jest);
  if (/mailcap/.test(`${config?.text ?? ''}${inManifest}`)) return [];
  const files: InitStep[] = [[SETUP, SETUP_TEXT] as const, [TEARDOWN, TEARDOWN_TEXT] as const].flatMap(
    ([path, text]) => (project.exists(path) ? [] : [{ do: 'create', path, text, why: 'a server for each run' }]),
  );
  return [...files, jestConfigStep(project)];
}

function jestConfigStep(project: Project): InitStep {
  const config = runnerConfig(project, 'jest');
  const why = 'names the global setup';
  if (config === null || config.path.endsWith('.json')) {
    const inManifest = config === null;
    const fields = inManifest ? (project.manifest.jest ?? {}) : objectOf(config.text);
    if (fields !== null && !('globalSetup' in fields) && !('globalTeardown' in fields) && !('projects' in fields))
      return {
        do: 'edit',
        path: config?.path ?? 'package.json',
        why,
        change: (text) =>
          editJson(text, (json) =>
            inManifest ? { ...json, jest: { ...fields, ...JEST_KEYS } } : { ...json, ...JEST_KEYS },
          ),
      };
  } else if (objectStart(config.text) !== null && !/\b(globalSetup|globalTeardown|projects)\b/.test(config.text)) {
    return { do: 'edit', path: config.path, why, change: (text) => insertInObject(text) };
  }
  return {
    do: 'paste',
    path: config?.path ?? 'package.json',
    lines: JEST_LINES,
    why: 'it has its own setup, or is not a plain object',
  };
}

/** Matches the start of the object that a configuration exports, at the start of a line. */
const OBJECT = /^(?:module\.exports\s*=|export default|(?:const|let|var) config(?:\s*:\s*[\w.]+)?\s*=)\s*\{[ \t]*$/gm;

/** Matches a comment at the start of a line. Within a line, the same characters may be part of a glob pattern. */
const COMMENT = /^[ \t]*\/\*[\s\S]*?\*\//gm;

/** Returns where the exported object begins; null unless there is just one candidate. */
function objectStart(text: string): number | null {
  const code = text.replace(COMMENT, (comment) => comment.replace(/[^\r\n]/g, ' '));
  const [only, ...others] = [...code.matchAll(OBJECT)];
  return only === undefined || others.length > 0 ? null : only.index + only[0].length;
}

function insertInObject(text: string): string {
  const at = objectStart(text);
  if (at === null) return text;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = /^\r?\n([ \t]+)/.exec(text.slice(at))?.[1] ?? '  ';
  const lines = JEST_LINES.split('\n').map((line) => `${newline}${indent}${line}`);
  return `${text.slice(0, at)}${lines.join('')}${text.slice(at)}`;
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

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    // A file with comments is not JSON, so its owner has to edit it.
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Changes a JSON object, and keeps its indent, its line ends and its last line. */
export function editJson(text: string, change: (json: Record<string, unknown>) => Record<string, unknown>): string {
  const json = objectOf(text.replace(/^\uFEFF/, ''));
  if (json === null) return text;
  const indent = /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? 2;
  const written = JSON.stringify(change(json), null, indent) + (text.endsWith('\n') ? '\n' : '');
  return text.includes('\r\n') ? written.replace(/\n/g, '\r\n') : written;
}
