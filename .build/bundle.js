import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { buildWeb } from './web.js';

// The modules of the command line are bundled to a few files. Reading some two hundred, zod's languages among them,
// took a quarter of the time from the start to listening. Libraries other than zod stay in node_modules.
const inlined = /^zod(\/|$)/;

rmSync('dist/bundle', { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: 'dist/src/cli/main.js', 'parse-worker': 'dist/src/adapters/parse-worker.js' },
  platform: 'node',
  external: (id) => !/^[./]|^[A-Za-z]:/.test(id) && !inlined.test(id),
});
await bundle.write({ dir: 'dist/bundle', format: 'esm', sourcemap: true });
await bundle.close();
for (const [name, folder] of Object.entries({
  zod: 'zod',
  otplib: 'otplib',
  noble: '@noble/hashes',
  scure: '@scure/base',
}))
  copyFileSync(`node_modules/${folder}/LICENSE`, `dist/bundle/LICENSE.${name}`);

// This CommonJS bundle is for tools such as Jest that use the condition `require` and can't load ES modules with it;
// Node uses the ES modules. Both entries share their code, because a matcher must know the client's handles and errors.
// The libraries that otplib uses exist only as ES modules, so they are bundled.
const esmAlone = /^(@?otplib|@noble\/hashes|@scure\/base)(\/|$)/;
const ENTRIES = { client: 'src/client/index.js', jest: 'plugins/jest/index.js' };
const required = await rolldown({
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, `dist/${file}`])),
  platform: 'node',
  external: (id) => !/^[./]|^[A-Za-z]:/.test(id) && !esmAlone.test(id),
});
await required.write({
  dir: 'dist/bundle',
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'shared-[name].cjs',
});
await required.close();

for (const [entry, file] of Object.entries(ENTRIES)) {
  const from = `from '../${file}' with { 'resolution-mode': 'import' };`;
  const types = [`import type * as all ${from}`, `export type * ${from}`];
  for (const [name, value] of Object.entries(await import(`../dist/${file}`))) {
    types.push(`export declare const ${name}: typeof all.${name};`);
    if (value.prototype instanceof Error) types.push(`export type ${name} = all.${name};`);
  }
  writeFileSync(`dist/bundle/${entry}.d.cts`, `${types.join('\n')}\n`);
}

await buildWeb();
