import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/pages.ts';

// Reads in the build what a command loads before it runs. `.build/chunks.js` decides it.

const BUNDLE = join(ROOT, 'dist', 'bundle');
const SERVER = ['express', 'smtp-server', 'ulid'];

/** Returns the packages that are loaded with the module of the compiler's output. */
function loadedWith(module: string): string[] {
  const first = readdirSync(BUNDLE).find(
    (name) => name.endsWith('.js') && readFileSync(join(BUNDLE, name), 'utf8').includes(`\n// dist/${module}\n`),
  );
  if (first === undefined) throw new Error(`no file of the build has ${module}`);
  const files = new Set([first]);
  const packages = new Set<string>();
  for (const file of files)
    for (const [, from = ''] of readFileSync(join(BUNDLE, file), 'utf8').matchAll(/^import (?:.* from )?"([^"]+)";$/gm))
      if (from.startsWith('./')) files.add(from.slice(2));
      else if (!from.startsWith('node:')) packages.add(from);
  return [...packages];
}

test('the server is what loads these packages', () => {
  expect(loadedWith('src/mailcap.js')).toEqual(expect.arrayContaining(SERVER));
});

test.each([
  ['a command that asks a running server', 'src/cli/mail/messages.js', SERVER],
  ['the tools of an agent', 'src/mcp/stdio.js', SERVER],
  ['dev, before it has read its configuration,', 'src/cli/dev.js', [...SERVER, 'string-width', 'htmlparser2']],
])('%s loads no packages of others', (_, module, ofOthers) => {
  expect(loadedWith(module).filter((name) => ofOthers.includes(name))).toEqual([]);
});
