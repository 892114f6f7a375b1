import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { inAscii, lateBuiltins, mailLibraries, ofLibraries, ofPrograms } from './bundle-plugins.js';
import { chunks } from './chunks.js';
import { optionDocs } from './option-docs.js';
import { plainTypes } from './plain-types.js';
import { buildWeb } from './web.js';

// This module writes dist/bundle, which is published: the entry points, and the modules that they share. It bundles the
// output of the compiler in dist/src, dist/plugins and dist/ui.

const OUT = 'dist/bundle';

/** The entry points of the package that run in a test or a test runner, by the file that `exports` of package.json names. */
const OF_TESTS = {
  client: 'src/client/index',
  playwright: 'plugins/playwright/index',
  vitest: 'plugins/vitest/index',
  'vitest-global-setup': 'plugins/vitest/global-setup',
  cypress: 'plugins/cypress/index',
  jest: 'plugins/jest/index',
  testcontainers: 'plugins/testcontainers/index',
};
/** The entry point of the package that is a server in the caller's process. */
const OF_SERVERS = { index: 'src/index' };
/** The programs: the command line, a thread that reads mail, one that has texts, and the server of a test run. */
const PROGRAMS = {
  main: 'src/cli/main',
  'parse-worker': 'src/adapters/parse-worker',
  'text-worker': 'src/store/texts/text-worker',
  serve: 'plugins/shared/serve',
};

// These libraries are bundled with their own dependencies, and the package does not depend on them. Most of them
// install far more than is used, and loading the modules of zod one by one took a quarter of the start-up time
// (docs/decisions.md#what-an-install-costs).
const INLINED =
  /^(express|htmlparser2|smtp-server|ws|zod|ink|react|mailauth|@csstools\/css-tokenizer|prom-client|@modelcontextprotocol|otplib|yargs|@noble\/hashes|@handlebars\/parser|string-width|ulid|lowdb|bcryptjs|jpeg-js|pngjs|omggif|yaml|saxes)(\/|$)/;

const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const INSTALLED = new Set(Object.keys({ ...dependencies, ...peerDependencies }));

rmSync(OUT, { recursive: true, force: true });
const licences = new Map();
await bundle(OF_TESTS, { format: 'esm' });

// The server and the command line are CommonJS, because V8 then runs them from the bytecode of an earlier process
// (bin/load.js), which halves a start. Names without a hash let a new version write over the bytecode of an old one.
await bundle(
  { 'program-index': OF_SERVERS.index, ...PROGRAMS },
  {
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'program-[name].cjs',
    // Code from bytecode can't import.
    dynamicImportInCjs: false,
  },
);
await bundleMailLibraries();
const { default: _, ...ofServers } = await import(`../dist/${OF_SERVERS.index}.js`);
const names = Object.keys(ofServers).join(', ');
writeFileSync(`${OUT}/index.js`, `export { ${names} } from './program-index.cjs';\n`);
writeFileSync(
  `${OUT}/index.cjs`,
  `const { ${names} } = require('./program-index.cjs');\n\nmodule.exports = { ${names} };\n`,
);
// A process of its own runs this.
writeFileSync(`${OUT}/serve.js`, "import { load } from '../../bin/load.js';\n\nload('serve');\n");

// This CommonJS bundle is for tools such as Jest that use the condition `require` and can't load ES modules with it;
// Node uses the ES modules. Both entries share their code, because a matcher of Jest must recognize the handles and
// errors of the client. It holds the libraries that are ES modules alone, which those tools can't load either.
const REQUIRED = { client: OF_TESTS.client, jest: OF_TESTS.jest };
const MODULES_ALONE = /^htmlparser2(\/|$)/;
await bundle(
  REQUIRED,
  {
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'shared-[name].cjs',
  },
  (id, importer) => !MODULES_ALONE.test(id) && isOutside(id, importer),
);

const typed = await rolldown({
  input: inputs({ ...OF_SERVERS, ...OF_TESTS }, 'd.ts'),
  plugins: [plainTypes(), optionDocs(), dts({ dtsInput: true })],
  checks: { pluginTimings: false },
  external: isOutside,
});
// Types of the server name those of Node, which a user of the client need not have.
const types = [
  { name: 'client-types.d', test: /dist[\\/](src[\\/](client|extract|runtime)|plugins)[\\/.]/, minShareCount: 2 },
];
await typed.write({ dir: OUT, format: 'esm', codeSplitting: { groups: types } });
await typed.close();

// `require` gets the same module of the other entries as `import` does, which Node loads since 20.19.
for (const entry of Object.keys(OF_TESTS))
  if (!(entry in REQUIRED)) writeFileSync(`${OUT}/${entry}.cjs`, `module.exports = require('./${entry}.js');\n`);

// A docstring behind another member of the same line belongs to no member, so editors would not show it.
const BEHIND = /([;{]) ?(\/\*\*(?:(?!\*\/).)*\*\/)\s*/g;
// A project in CommonJS reads the same types from files that say so. TypeScript 5.2 knows no other way.
for (const file of readdirSync(OUT).filter((name) => name.endsWith('.d.ts'))) {
  const text = readFileSync(`${OUT}/${file}`, 'utf8').replace(BEHIND, '$1\n  $2\n  ');
  writeFileSync(`${OUT}/${file}`, text);
  const name = file.replace(/\.d\.ts$/, '.d.cts');
  writeFileSync(`${OUT}/${name}`, text.replace(/(from |import\()(["'])(\.\/[^"']+)\.js\2/g, '$1$2$3.cjs$2'));
}

const sorted = [...licences].sort(([one], [other]) => (one < other ? -1 : 1));
writeFileSync(`${OUT}/LICENSES.txt`, sorted.map(([name, text]) => `${name}\n\n${text.trim()}\n`).join('\n---\n\n'));

await buildWeb();

/** Bundles the libraries that read mail, which a server loads with its first mail. */
async function bundleMailLibraries() {
  const made = await rolldown({
    input: { 'mail-libraries': './.build/mail-libraries.cjs' },
    platform: 'node',
    plugins: [mailLibraries(), inAscii],
  });
  const { output: files } = await made.write({ dir: OUT, format: 'cjs', entryFileNames: '[name].cjs' });
  await made.close();
  for (const { moduleIds = [] } of files) for (const id of moduleIds) noteLicence(id);
}

/** Bundles some entry points. Notes the licence of each library that gets into the bundle. */
async function bundle(entries, output, external = isOutside) {
  const input = inputs(entries, 'js');
  const { codeSplitting, plugin, preserveEntrySignatures } = chunks(input);
  const made = await rolldown({
    input,
    platform: 'node',
    preserveEntrySignatures,
    external,
    // Modules that commands import are all loaded lazily, which this check does not see.
    checks: { ineffectiveDynamicImport: false, emptyImportMeta: false },
    transform: { define: { 'process.env.NODE_ENV': "'production'" } },
    plugins: [
      ...ofLibraries(),
      mailLibraries({ isBeside: true }),
      plugin,
      inAscii,
      ...('main' in entries ? [...ofPrograms(), lateBuiltins] : []),
    ],
  });
  // Editors read the docstrings in the types.
  const { output: files } = await made.write({ dir: OUT, codeSplitting, comments: { jsdoc: false }, ...output });
  await made.close();
  for (const { moduleIds = [] } of files) for (const id of moduleIds) noteLicence(id);
  const own = new Set(files.map(({ fileName }) => fileName));
  for (const { imports = [], dynamicImports = [] } of files)
    for (const id of [...imports, ...dynamicImports]) if (!own.has(id)) checkInstalled(id);
}

/** Throws if a user who installs the package would not have what it imports. */
function checkInstalled(id) {
  const [, name] = /^((?:@[^/]+\/)?[^/]+)/.exec(id) ?? [];
  if (!isBuiltin(id) && !INSTALLED.has(name)) throw new Error(`${id} is neither bundled nor a dependency.`);
}

function inputs(entries, ending) {
  return Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, `dist/${file}.${ending}`]));
}

/** Tells whether an import stays an import. The imports of a bundled library are bundled too. */
function isOutside(id, importer = '') {
  if (/^[./]|^[A-Za-z]:/.test(id) || INLINED.test(id)) return false;
  return !importer.includes('node_modules');
}

function noteLicence(id) {
  const [folder, name] = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id) ?? [];
  if (folder === undefined || licences.has(name)) return;
  const file = ['LICENSE', 'LICENSE.md', 'license', 'LICENSE.txt', 'LICENCE', 'license.md'].find((one) =>
    existsSync(`${folder}/${one}`),
  );
  const { license, author } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const holder = typeof author === 'object' ? author.name : author;
  licences.set(name, file === undefined ? `${license}, ${holder}` : readFileSync(`${folder}/${file}`, 'utf8'));
}
