import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

const ENTRY = join(import.meta.dirname, '..', '..', 'dist', 'src', 'client', 'index.js');

test('the client bundled for a browser contains parsers of HTML and addresses, and hashes, but nothing of Node, the server or zod', async () => {
  const warnings: string[] = [];
  const bundle = await rolldown({
    input: ENTRY,
    platform: 'browser',
    onLog: (_level, { message }) => warnings.push(message),
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const chunks = output.filter((one) => one.type === 'chunk');
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  const packages = modules.flatMap((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []);
  const folders = modules.flatMap((id) => /dist\/src\/(\w+)\//.exec(id)?.[1] ?? []);
  // The remaining modules belong to htmlparser2.
  const otplib = ['core', 'hotp', 'totp', 'uri', 'plugin-base32-scure', 'plugin-crypto-noble'];
  const totp = ['otplib', '@noble/hashes', '@scure/base', ...otplib.map((part) => `@otplib/${part}`)];
  const libraries = ['nodemailer', ...totp];
  const parser = ['htmlparser2', 'domelementtype', 'domhandler', 'domutils', 'dom-serializer', 'entities'];
  expect([...new Set(packages)].filter((name) => !parser.includes(name) && !libraries.includes(name))).toEqual([]);
  expect(modules.filter((id) => id.includes('nodemailer') && !id.includes('addressparser'))).toEqual([]);
  expect(folders.filter((name) => !['client', 'extract', 'otp', 'text', 'webhooks'].includes(name))).toEqual([]);
  expect(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]).filter(isOutside)).toEqual(
    [],
  );
  expect(warnings).toEqual([]);
});

test("the client's copy of the finders, with the words of all languages, takes less than 60 KB after gzip", async () => {
  const bundle = await rolldown({
    input: join(ENTRY, '../../extract/find.js'),
    platform: 'browser',
    external: /htmlparser2/,
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const code = output.flatMap((one) => (one.type === 'chunk' ? [one.code] : [])).join('');
  expect(code).toContain('kertakäyttö');
  expect(gzipSync(code).length).toBeLessThan(60 * 1024);
});

test('the CommonJS bundle loads without the modules that only some versions of Node can require', async () => {
  const bundle = join(ENTRY, '..', '..', '..', 'bundle');
  const program = `
    const { createClient } = require(${JSON.stringify(join(bundle, 'client.cjs'))});
    const { addMatchers } = require(${JSON.stringify(join(bundle, 'jest.cjs'))});
    process.stdout.write([typeof createClient, typeof addMatchers].join());`;
  const strict = ['--no-experimental-require-module', '-e', program];
  expect((await promisify(execFile)(process.execPath, strict)).stdout).toBe('function,function');
});

function isOutside(id: string): boolean {
  return /^(?:node:|express|zod)/.test(id);
}
