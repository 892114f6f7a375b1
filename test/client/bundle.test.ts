import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

const ENTRY = join(import.meta.dirname, '..', '..', 'dist', 'src', 'client', 'index.js');

test('bundled for a browser the client pulls in a parser of HTML and one of addresses, hashes, and nothing of Node, of the server or of zod', async () => {
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

function isOutside(id: string): boolean {
  return /^(?:node:|express|zod)/.test(id);
}
