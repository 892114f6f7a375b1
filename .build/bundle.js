import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { buildWeb } from './web.js';

// What the command line loads, in few files: reading some two hundred, zod's languages among them, took a quarter of the
// time from start to listening. Libraries stay where npm puts them, but for zod.
const inlined = /^zod(\/|$)/;

rmSync('dist/bundle', { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: 'dist/src/cli/main.js', 'parse-worker': 'dist/src/adapters/parse-worker.js' },
  platform: 'node',
  external: (id) => !/^[./]|^[A-Za-z]:/.test(id) && !inlined.test(id),
});
await bundle.write({ dir: 'dist/bundle', format: 'esm', sourcemap: true });
await bundle.close();
copyFileSync('node_modules/zod/LICENSE', 'dist/bundle/LICENSE.zod');

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

await buildWeb();
