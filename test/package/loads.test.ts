import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/pages.ts';

// Reads in the build what a command loads before it runs. `.build/chunks.js` decides it.

const BUNDLE = join(ROOT, 'dist', 'bundle');
const SERVER = ['express', 'smtp-server', 'ulid'];

/** Returns what is loaded with a module of the compiler's output: modules of it by their paths, and packages. */
function loadedWith(module: string): { readonly modules: string[]; readonly packages: string[] } {
  const first = readdirSync(BUNDLE).find(
    (name) => /\.c?js$/.test(name) && readFileSync(join(BUNDLE, name), 'utf8').includes(`\n// dist/${module}\n`),
  );
  if (first === undefined) throw new Error(`no file of the build has ${module}`);
  const files = new Set([first]);
  const modules = new Set<string>();
  const packages = new Set<string>();
  for (const file of files) {
    const code = readFileSync(join(BUNDLE, file), 'utf8');
    for (const [, from = ''] of code.matchAll(
      /^(?:import (?:.* from )?|(?:(?:const|let) \w+ = )?require\()"([^"]+)"\)?;$/gm,
    ))
      if (from.startsWith('./')) files.add(from.slice(2));
      else if (!from.startsWith('node:')) packages.add(from);
    for (const [, path = ''] of code.matchAll(/^\/\/ dist\/(\S+)$/gm)) modules.add(path);
    for (const [, name = ''] of code.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)) packages.add(name);
  }
  return { modules: [...modules], packages: [...packages] };
}

test('the server is what loads these packages, and Express with its routes once it listens', () => {
  const { packages } = loadedWith('src/mailcap.js');
  expect(packages).toEqual(expect.arrayContaining(['smtp-server', 'ulid']));
  expect(packages).not.toContain('express');
  expect(loadedWith('src/http/app.js').packages).toContain('express');
});

test('a server starts without the packages for one-time passwords, metrics and snapshots, and what Express has for bodies and files', () => {
  const late = ['otplib', 'prom-client', 'lowdb', 'body-parser', 'iconv-lite', 'mime-db', 'send'];
  expect(loadedWith('src/mailcap.js').packages.filter((name) => late.includes(name))).toEqual([]);
});

test.each(['src/client/webhook/send-webhook.js', 'src/adapters/fetcher.js'])('%s loads no command', (module) => {
  expect(loadedWith(module).modules).toContain(module);
  expect(loadedWith(module).modules.filter((path) => /^src\/cli\/.+\//.test(path))).toEqual([]);
});

test('a command that waits for a code loads neither the finders of codes nor the tables of the other commands', () => {
  const { modules, packages } = loadedWith('src/cli/mail/wait.js');
  expect(packages).not.toContain('htmlparser2');
  expect(
    modules.filter((path) =>
      /^src\/(extract\/(codes|words)|cli\/(tools|init|archive)\/(?!commands|project))/.test(path),
    ),
  ).toEqual([]);
});

test.each(['src/cli/init/init.js', 'src/cli/server/doctor.js', 'src/config/load.js'])(
  '%s loads its parser only when it parses, because other commands come in the same file of the package',
  (module) => {
    expect(loadedWith(module).packages).not.toContain('jiti');
  },
);

test('a test that only calls operations loads no finders', () => {
  expect(loadedWith('src/client/index.js').modules.filter((path) => /^src\/extract\/codes/.test(path))).toEqual([]);
});

test.each([
  ['a command that asks a running server', 'src/cli/mail/messages.js', SERVER],
  ['the tools of an agent', 'src/mcp/stdio.js', SERVER],
  ['dev, before it has read its configuration,', 'src/cli/dev.js', [...SERVER, 'htmlparser2']],
])('%s loads no packages of others', (_, module, ofOthers) => {
  expect(loadedWith(module).packages.filter((name) => ofOthers.includes(name))).toEqual([]);
});
