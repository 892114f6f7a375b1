import { expect, test } from 'vitest';

/** The plugin of the build, which has no types. */
interface Plugin {
  generateBundle(options: unknown, files: Readonly<Record<string, { code: string }>>): void;
}

test('a module of Node that is required late can be called, constructed from and extended', async () => {
  const build = new URL('../../.build/bundle-plugins.js', import.meta.url).href;
  const { lateBuiltins } = (await import(build)) as { readonly lateBuiltins: Plugin };
  const code = [
    'let node_worker_threads = require("node:worker_threads");',
    'let node_events = require("node:events");',
    'class Own extends node_events.EventEmitter {}',
    'exports.made = [new node_worker_threads.MessageChannel(), new Own(), node_worker_threads.isMainThread];',
  ].join('\n');
  const file = { type: 'chunk', code };
  lateBuiltins.generateBundle({}, { file });
  expect(file.code).toContain('late_node_worker_threads');
  const exported: { made?: readonly unknown[] } = {};
  new Function('require', 'exports', file.code)(process.getBuiltinModule, exported);
  const [channel, own] = exported.made ?? [];
  expect(channel).toBeInstanceOf(MessageChannel);
  expect(own).toHaveProperty('emit');
});
