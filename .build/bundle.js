import { copyFileSync, rmSync } from 'node:fs';
import { rolldown } from 'rolldown';

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
