import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { createTransport } from 'nodemailer';
import { inject } from 'postject';
import { rolldown } from 'rolldown';
import { changesOf, inAscii, mailLibraries, ofLibraries, ofPrograms } from './bundle-plugins.js';

// This program writes dist/executable/mailcap: mailcap, and the Node that runs this program, in one file. It needs a
// build. Node makes such a file of one script and of assets. The script is `executable/loader.cjs`. One asset is an
// archive of everything else: the programs, the files of the bundle that they read, and the bytecode of the programs.

const BUNDLE = 'dist/bundle';
const OUT = 'dist/executable';
/** The parts of the file. They are kept beside it for a look. */
const PARTS = join(OUT, 'parts');
const FILE = join(OUT, process.platform === 'win32' ? 'mailcap.exe' : 'mailcap');
/** The mark in Node's binary that says whether it holds an application. Node defines it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const PROGRAMS = {
  main: 'dist/src/cli/main.js',
  'parse-worker': 'dist/src/adapters/parse-worker.js',
  'text-worker': 'dist/src/store/texts/text-worker.js',
};
/** The packages that others use only where they are installed. */
const OPTIONAL = ['pg-native', 'pg-cloudflare', 'bufferutil', 'utf-8-validate'];

/** Changes of a package that looks for files beside itself, of which there are none. */
const ofJiti = changesOf('jiti-in-one-file', [
  {
    file: 'jiti/lib/jiti.mjs',
    from: 'createRequire(import.meta.url)("../dist/babel.cjs")',
    to: 'require("../dist/babel.cjs")',
  },
  {
    file: 'jiti/lib/jiti.mjs',
    from: 'const nativeImport = (id) => import(id);',
    to: "const nativeImport = (id) => globalThis[Symbol.for('mailcap.import')](id);",
  },
]);
rmSync(OUT, { recursive: true, force: true });
mkdirSync(PARTS, { recursive: true });
const programs = await bundled();
const read = filesOfBundle();
const plain = join(PARTS, 'uncompiled');
writeFileSync(plain, archiveOf(programs, read, new Map()));
const compiled = await compile(plain);
writeFileSync(join(PARTS, 'files'), archiveOf(programs, read, compiled));
rmSync(plain);
await make();

/** Bundles the programs with all packages. Returns the source of each part by its name: a function of `require`. */
async function bundled() {
  const made = await rolldown({
    input: PROGRAMS,
    platform: 'node',
    external: OPTIONAL,
    checks: { ineffectiveDynamicImport: false, emptyImportMeta: false },
    transform: { define: { 'process.env.NODE_ENV': "'production'" } },
    plugins: [...ofLibraries(), ...ofPrograms(), ofJiti, mailLibraries(), inAscii],
  });
  const names = { entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' };
  const { output } = await made.generate({ format: 'cjs', ...names });
  await made.close();
  return new Map(
    output.map(({ fileName, code }) => [
      fileName,
      `(function (exports, require, module, __filename, __dirname) {${code}\n})`,
    ]),
  );
}

/** Returns what the programs read beside code: the web inbox and the documentation. */
function filesOfBundle() {
  const paths = ['docs.br', ...readdirSync(join(BUNDLE, 'web')).map((name) => `web/${name}`)];
  return new Map(paths.map((path) => [path, readFileSync(join(BUNDLE, path))]));
}

/** Writes an archive as `executable/loader.cjs` reads it: a list of the files, then their contents. */
function archiveOf(sources, others, bytecode) {
  const contents = [];
  let end = 0;
  const add = (bytes) => {
    contents.push(bytes);
    end += bytes.length;
    return [end - bytes.length, bytes.length];
  };
  const list = {};
  for (const [name, source] of sources) {
    const code = bytecode.get(name);
    const isAscii = !/[^\0-\x7f]/.test(source);
    list[name] = { content: add(Buffer.from(source)), isAscii, compiled: code && add(code) };
  }
  for (const [path, bytes] of others) list[path] = { content: add(bytes) };
  const head = Buffer.from(JSON.stringify(list));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, ...contents]);
}

/**
 * Returns the bytecode of each part. It has the functions that ran: in a server that gets a mail and shows its page,
 * and in commands that ask it. Of a part that did not run it has what V8 compiles at once.
 */
async function compile(archive) {
  const directory = mkdtempSync(join(tmpdir(), 'mailcap-executable-'));
  const ran = [];
  const start = (...args) => {
    ran.push(mkdtempSync(join(directory, 'ran-')));
    return spawn(process.execPath, [resolve('.build/executable/compile.cjs'), resolve(archive), ran.at(-1), ...args], {
      cwd: directory,
      env: { ...process.env, MAILCAP_PORT: '0', MAILCAP_SMTP_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  };
  const server = start('dev', '--json');
  const [line] = await once(server.stdout, 'data');
  server.stdout.resume();
  const { url, smtpPort } = JSON.parse(String(line).split('\n')[0]);
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true });
  const mail = {
    from: 'a@example.com',
    to: 'b@inbox.mailcap.example.com',
    subject: 'Code',
    text: 'Your code is 481516.',
  };
  await transport.sendMail(mail);
  for (const path of ['/', '/docs', '/_mailcap/info']) await (await fetch(url + path)).text();
  for (const args of [['messages', 'wait', '--code'], ['messages', 'list'], ['env'], ['status'], ['--help']]) {
    const command = start(...args);
    command.stdout.resume();
    const [code] = await once(command, 'close');
    if (code !== 0) throw new Error(`mailcap ${args.join(' ')} ended with ${code}`);
  }
  const ended = once(server, 'close');
  spawnSync(process.execPath, [resolve('bin/mailcap.js'), 'stop'], { cwd: directory });
  await ended;
  const bytecode = new Map();
  for (const [name, source] of programs) {
    const found = ran.map((one) => join(one, name)).filter((path) => existsSync(path));
    const all = found
      .map((path) => readFileSync(path))
      .concat(found.length > 0 ? [] : new Script(source).createCachedData());
    bytecode.set(
      name,
      all.reduce((most, each) => (each.length > most.length ? each : most)),
    );
  }
  rmSync(directory, { recursive: true });
  return bytecode;
}

/** Puts the loader and the archive into a copy of Node. */
async function make() {
  const loader = readFileSync('.build/executable/loader.cjs', 'utf8')
    .split('module.exports = ')[1]
    .trim()
    .replace(/;$/, '');
  writeFileSync(join(PARTS, 'loader'), loader);
  writeFileSync(join(PARTS, 'main.cjs'), `(${loader})('main', require('node:sea'));\n`);
  const blob = join(PARTS, 'blob');
  const config = {
    main: join(PARTS, 'main.cjs'),
    output: blob,
    disableExperimentalSEAWarning: true,
    assets: { files: join(PARTS, 'files'), loader: join(PARTS, 'loader') },
  };
  writeFileSync(join(PARTS, 'sea.json'), JSON.stringify(config));
  run(process.execPath, '--experimental-sea-config', join(PARTS, 'sea.json'));
  copyFileSync(process.execPath, FILE);
  chmodSync(FILE, 0o755);
  // macOS runs only what is signed, and the signature of Node's binary is of another file now.
  const isOnMac = process.platform === 'darwin';
  if (isOnMac) run('codesign', '--remove-signature', FILE);
  await inject(FILE, 'NODE_SEA_BLOB', readFileSync(blob), {
    sentinelFuse: FUSE,
    machoSegmentName: isOnMac ? 'NODE_SEA' : undefined,
  });
  if (isOnMac) run('codesign', '--sign', '-', FILE);
  rmSync(PARTS, { recursive: true });
}

function run(program, ...args) {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
