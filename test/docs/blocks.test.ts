import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { BIN, temporaryDirectory } from '../support/cli.ts';
import { byDay } from '../support/night.ts';
import { pathWithNpx } from '../support/npx.ts';
import { type Block, blocksOf, onPorts, pages, ROOT, readPage } from '../support/pages.ts';
import { has } from '../support/programs.ts';
import { serverIn } from '../support/server-in.ts';

const exec = promisify(execFile);

/** The test that runs a block, by its language and mark. */
const RUN_BY: Readonly<Record<string, string>> = {
  bash: 'docs/blocks.test.ts',
  js: 'docs/blocks.test.ts',
  'text output': 'docs/blocks.test.ts',
  'json config': 'docs/blocks.test.ts',
  'ts config': 'docs/blocks.test.ts',
  'bash search': 'cli/search-docs.test.ts',
  'json refused': 'cli/search-docs.test.ts',
  'bash curl': 'cli/search-docs.test.ts',
  'json answer': 'cli/search-docs.test.ts',
  'json agent': 'mcp/stdio.test.ts',
  'json fence': 'mcp/tools.test.ts',
  'bash install': 'package/install.test.ts',
  'bash start': 'readme.test.ts',
  'bash tests': 'readme.test.ts',
  'bash first': 'readme.test.ts',
  'bash shell': 'readme.test.ts',
  'yaml ci': 'ci.test.ts',
  'yaml npx': 'ci.test.ts',
  'yaml service': 'ci.test.ts',
  'yaml dropin': 'cli/drop-in.test.ts',
  'yaml action': 'package/in-ci.test.ts',
  'json devcontainer': 'package/in-ci.test.ts',
  'js testcontainers': 'package/testcontainers.test.ts',
  'js jest': 'examples.test.ts',
  'js jestsetup': 'examples.test.ts',
  'js node': 'plugins/pages.test.ts',
  'js playwright': 'plugins/pages.test.ts',
  'bash background': 'docs/claims.test.ts',
  'yaml compose': 'docs/docker.test.ts',
  'js webserver': 'docs/claims.test.ts',
  'js looks': 'plugins/playwright-screenshots.test.ts',
  'js playwrightconfig': 'plugins/pages.test.ts',
  'js vitest': 'plugins/pages.test.ts',
  'js vitestconfig': 'plugins/pages.test.ts',
  'js vitestsetup': 'plugins/pages.test.ts',
  'text errors': 'plugins/pages.test.ts',
  'js cypressconfig': 'plugins/other-runners.test.ts',
  'js cypress': 'plugins/other-runners.test.ts',
  'js mochahooks': 'package/walk.test.ts',
  'js mocha': 'package/walk.test.ts',
  'js wdio': 'plugins/other-runners.test.ts',
  'python conftest': 'plugins/other-runners.test.ts',
  'python pytest': 'plugins/other-runners.test.ts',
  'python imap': 'imap/clients.test.ts',
  'python pop3': 'pop3/pop3.test.ts',
  'go test': 'plugins/other-runners.test.ts',
  'java class': 'plugins/other-runners.test.ts',
  'js jestmatchers': 'examples.test.ts',
  'ts recipe': 'plugins/types.test.ts',
};
/** Blocks that are only read: commands that need PostgreSQL, a bucket, Docker or a release, and lines of a log. */
const NOT_RUN: readonly string[] = [
  'docs/postgres.md text',
  'docs/troubleshooting.md text',
  'docs/ci.md bash image',
  'docs/docker.md bash docker',
  'docs/one-file.md bash get',
  'docs/one-file.md bash build',
];
/** Pages whose blocks clients/send-mail.test.ts and providers/page.test.ts run by name. */
const RUN_ELSEWHERE = ['docs/send-mail.md', 'docs/tls.md', 'docs/providers.md', 'docs/text-messages.md'];

const isStep = ({ language, mark }: Block) => mark === '' && (language === 'bash' || language === 'js');
const WITH_STEPS = [...pages()].filter(([path, text]) => !RUN_ELSEWHERE.includes(path) && blocksOf(text).some(isStep));

test('every block of every page is run by a test, or named as one to read', () => {
  const strays = [...pages()]
    .filter(([path]) => !RUN_ELSEWHERE.includes(path))
    .flatMap(([path, text]) =>
      blocksOf(text).map(({ language, mark }) => [path, `${language} ${mark}`.trim()] as const),
    )
    .filter(([path, kind]) => RUN_BY[kind] === undefined && !NOT_RUN.includes(`${path} ${kind}`));
  expect(strays).toEqual([]);
});

// By day every fifth page.
const PATHS = byDay(
  WITH_STEPS.map(([path]) => path),
  (_path, at) => at % 5 === 0,
);
test.for(PATHS)(
  'the blocks of %s run in their order, and print what it says, also when they run once more',
  { timeout: 180_000 },
  async (path, { skip }) => {
    if (!has('bash')) skip('bash is not installed here');
    if (!has('curl') && blocksOf(readPage(path)).some(({ text }) => text.includes('curl ')))
      skip('curl is not installed here');
    const cwd = await aProject();
    const { ready } = await serverIn(cwd, { ephemeral: false });
    const steps: { text: string; output: string | null }[] = [];
    for (const { language, mark, text } of blocksOf(readPage(path)).filter(
      (block) => isStep(block) || block.mark === 'output',
    )) {
      const last = steps.at(-1);
      if (mark === 'output' && last !== undefined) last.output = text;
      else steps.push({ text: await commandOf(cwd, language, onPorts(ready, text), steps.length), output: null });
    }
    // All blocks of a page run in one shell, because later blocks use variables of earlier ones.
    const script = ['set -euo pipefail', ...steps.map(({ text }, at) => `echo "== ${at}"\n${text}\necho`)].join('\n');
    const env = { ...environment(), PATH: await pathWithNpx(cwd) };
    for (const time of ['the first time', 'the second time']) {
      const { stdout } = await exec('bash', ['-c', script], { cwd, env });
      const printed = stdout.split(/^== \d+\n/m).slice(1);
      expect(printed, time).toHaveLength(steps.length);
      for (const [at, { output }] of steps.entries())
        if (output !== null) expect(printed[at], time).toMatch(patternOf(output));
    }
  },
);

test.each([
  ['options', 'json', 'mailcap.config.json', { limits: 'off', plans: { business: { mailboxes: 5000 } } }],
  ['options', 'ts', 'mailcap.config.ts', { limits: 'off', catchAll: 'off' }],
  ['drop-in', 'json', 'mailcap.config.json', { autoRelay: [{ relay: null }, { to: ['qa@example.com'] }] }],
])('of %s.md the %s that configures is a configuration', async (page, language, file, wanted) => {
  const cwd = await aProject();
  const block = blocksOf(readPage(`docs/${page}.md`)).find((one) => one.mark === 'config' && one.language === language);
  await writeFile(join(cwd, file), block?.text ?? '');
  expect(await loadConfig({}, {}, cwd, 'programs')).toMatchObject(wanted);
});

/** Creates a directory with the package and the imports of its examples installed. */
async function aProject(): Promise<string> {
  const cwd = await temporaryDirectory();
  const modules = join(cwd, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await symlink(ROOT, join(modules, 'mailcap'));
  await symlink(BIN, join(modules, '.bin', 'mailcap'));
  for (const name of ['nodemailer', 'ws', 'mailpit-api', 'mailhog', 'ulid'])
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  return cwd;
}

async function commandOf(cwd: string, language: string, text: string, at: number): Promise<string> {
  if (language === 'bash') return text;
  await writeFile(join(cwd, `${at}.mjs`), text);
  return `node ${at}.mjs\n`;
}

/** Returns the environment without mailcap's variables, as a new user has it. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MAILCAP_')));
}

/** Returns a pattern for the output that a page shows; `…` matches anything. */
function patternOf(output: string): RegExp {
  const literal = output.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(literal.replaceAll('…', '[\\s\\S]*?').replace(/\s*\n\s*/g, '\\s*'));
}
