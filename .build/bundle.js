import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

// What the command line loads, in few files: reading some two hundred, zod's languages among them, took a quarter of the
// time from start to listening. Libraries stay where npm puts them, but for these, which are of many files: the router's
// took another 30 ms to be found.
const inlined = ['zod', 'router', 'debug', 'depd', 'is-promise', 'ms', 'parseurl', 'path-to-regexp'];
const isInlined = (id) => inlined.some((name) => id === name || id.startsWith(`${name}/`));

rmSync('dist/bundle', { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: 'dist/src/cli/main.js', 'parse-worker': 'dist/src/adapters/parse-worker.js' },
  platform: 'node',
  external: (id) => !/^[./]|^[A-Za-z]:/.test(id) && !isInlined(id),
});
await bundle.write({ dir: 'dist/bundle', format: 'esm', sourcemap: true });
await bundle.close();
for (const name of inlined) {
  const directory = join('node_modules', name);
  const licence = readdirSync(directory).find((file) => /^licen[cs]e/i.test(file));
  copyFileSync(join(directory, licence), `dist/bundle/LICENSE.${name}`);
}

// For whoever takes the condition `require` and cannot load ESM by it, as Jest; Node takes the ESM files either way.
const client = await rolldown({
  input: 'dist/src/client/index.js',
  platform: 'node',
  external: (id) => !/^[./]|^[A-Za-z]:/.test(id),
});
await client.write({ file: 'dist/bundle/client.cjs', format: 'cjs', codeSplitting: false });
await client.close();

const from = `from '../src/client/index.js' with { 'resolution-mode': 'import' };`;
const types = [`import type * as client ${from}`, `export type * ${from}`];
for (const [name, value] of Object.entries(await import('../dist/src/client/index.js'))) {
  types.push(`export declare const ${name}: typeof client.${name};`);
  if (value.prototype instanceof Error) types.push(`export type ${name} = client.${name};`);
}
writeFileSync('dist/bundle/client.d.cts', `${types.join('\n')}\n`);
