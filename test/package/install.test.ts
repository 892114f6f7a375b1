import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { run } from '../support/cli.ts';
import { byDay } from '../support/night.ts';
import { blockOf, readPage } from '../support/pages.ts';

// Compilers and package managers take their time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const ROOT = join(import.meta.dirname, '..', '..');
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
/** The options with which TypeScript 6 resolves modules in the old way. */
const OLD = ['--ignoreDeprecations', '6.0', '--skipLibCheck'];
const exec = promisify(execFile);
/** The README loads its pictures from the package, so that npm's page shows them too. */
const PICTURES = [...readPage('README.md').matchAll(/unpkg\.com\/mailcap\/(\S+)\)/g)].map(([, path]) => path).sort();

let project: string;
let tarball: string;
let packed: string[];

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'mailcap-package-'));
  // The existing build is packed. A new build would delete the files that other tests use.
  const { stdout } = await exec('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], {
    cwd: ROOT,
  });
  const [{ filename, files }] = JSON.parse(stdout);
  tarball = join(project, filename);
  packed = files.map(({ path }: { path: string }) => path);
  await writeFile(join(project, 'package.json'), '{ "name": "elsewhere", "private": true, "type": "module" }');
  // The install command of the README, with this package instead of the published one.
  const [install = ''] = blockOf('README.md', 'install').split('\n');
  const quietly = '--prefer-offline --no-audit --no-fund';
  await exec('bash', ['-c', `${install.replace('mailcap', `./${filename}`)} ${quietly}`], { cwd: project });
}, 180_000);
afterAll(() => rm(project, { recursive: true, force: true }));

describe('npm pack gives a package that works when installed elsewhere', () => {
  test('npx mailcap --version prints the version', async () => {
    const { stdout } = await exec('npx', ['--no-install', 'mailcap', '--version'], { cwd: project });
    expect(stdout).toBe(`${VERSION}\n`);
  });

  test('mailcap dev captures mail and serves it', async () => {
    const [, start = ''] = blockOf('README.md', 'install').split('\n');
    const bin = start.replace('npx ', `${join(project, 'node_modules', '.bin')}/`);
    const options = '--json --port 0 --smtp-port 0 --ephemeral';
    const server = run('bash', ['-c', `exec ${bin} ${options}`], { cwd: project });
    const { smtpPort, apiUrl, apiKey, mailboxId } = await server.ready();
    await writeFile(
      join(project, 'send.js'),
      `import nodemailer from 'nodemailer';
       const transport = nodemailer.createTransport({ host: '127.0.0.1', port: ${smtpPort}, ignoreTLS: true });
       await transport.sendMail({ from: 'a@x.test', to: 'b@inbox.mailcap.example.com', subject: 'Installed', text: 'Hello.' });`,
    );
    await exec(process.execPath, ['send.js'], { cwd: project });
    // npm installs other dependency versions than this repository has, and they must create the certificate too.
    await writeFile(
      join(project, 'send-by-tls.js'),
      `import nodemailer from 'nodemailer';
       const transport = nodemailer.createTransport({ host: '127.0.0.1', port: ${smtpPort}, requireTLS: true, tls: { rejectUnauthorized: false } });
       await transport.sendMail({ from: 'a@x.test', to: 'b@inbox.mailcap.example.com', subject: 'Encrypted', text: 'Hello.' });`,
    );
    await exec(process.execPath, ['send-by-tls.js'], { cwd: project });
    const headers = { authorization: `Bearer ${apiKey}` };
    const summary = await fetch(`${apiUrl}/mailboxes/${mailboxId}/messages/await?subject=installed`, { headers });
    const { id }: { id: string } = JSON.parse(await summary.text());
    const detail = await fetch(`${apiUrl}/mailboxes/${mailboxId}/messages/${id}`, { headers });
    expect(await detail.json()).toMatchObject({ subject: 'Installed', textBody: expect.stringContaining('Hello.') });
    expect((await server.stop()).code).toBe(0);
  });

  test('a client that trusts the CA file of `mailcap env` is sure of the server, as localhost and as 127.0.0.1', async () => {
    const bin = join(project, 'node_modules', '.bin', 'mailcap');
    const server = run(bin, ['dev', '--json', '--port', '0', '--smtp-port', '0', '--smtps-port', '0'], {
      cwd: project,
    });
    await server.ready();
    const { stdout: variables } = await exec(bin, ['env', '--json'], { cwd: project });
    await writeFile(
      join(project, 'send-trusting.js'),
      `import { readFileSync } from 'node:fs';
       import nodemailer from 'nodemailer';
       const { MAILCAP_SMTP_CA, MAILCAP_SMTP_PORT } = ${variables};
       const tls = { ca: readFileSync(MAILCAP_SMTP_CA) };
       for (const host of ['localhost', '127.0.0.1'])
         for (const trusted of [tls, {}]) {
           const transport = nodemailer.createTransport({ host, port: Number(MAILCAP_SMTP_PORT), requireTLS: true, tls: trusted });
           const mail = { from: 'a@x.test', to: 'b@inbox.mailcap.example.com', subject: 'Trusted', text: 'Hello.' };
           console.log(await transport.sendMail(mail).then(() => 'sent', ({ cause, code }) => cause?.code ?? code));
         }`,
    );
    const { stdout } = await exec(process.execPath, ['send-trusting.js'], { cwd: project });
    expect(stdout.split('\n')).toEqual([
      'sent',
      expect.stringMatching(/SELF_SIGNED|ETLS|ESOCKET/),
      'sent',
      expect.stringMatching(/SELF_SIGNED|ETLS|ESOCKET/),
      '',
    ]);
    expect((await server.stop()).code).toBe(0);
  });

  test('a module of the project starts a server in its own process', async () => {
    await writeFile(
      join(project, 'start.js'),
      `import { createMailcap } from 'mailcap';
       const mailcap = await createMailcap({ port: 0, smtpPort: 0, ephemeral: true });
       console.log((await fetch(mailcap.url + '/_mailcap/health')).status);
       await mailcap.close();`,
    );
    const { stdout } = await exec(process.execPath, ['start.js'], { cwd: project });
    expect(stdout).toBe('200\n');
  });

  test.each([
    ['client.mjs', "import { createClient } from 'mailcap/client';"],
    ['client.cjs', "const { createClient } = require('mailcap/client');"],
  ])('%s of a project uses the client', async (file, load) => {
    await writeFile(
      join(project, file),
      `${load}
       const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'none' });
       client.listMailboxes().catch((error) => console.log(error.code, error.stack.includes('${file}')));`,
    );
    const { stdout } = await exec(process.execPath, [file], { cwd: project });
    expect(stdout).toBe('unreachable true\n');
  });

  test('require and import load the same client, and there is a CommonJS build for programs that need it', async () => {
    await writeFile(
      join(project, 'one.cjs'),
      `const { MailcapError } = require('mailcap/client');
       const { dirname, join } = require('node:path');
       const { createClient } = require(join(dirname(require.resolve('mailcap/package.json')), 'dist/bundle/client.cjs'));
       const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'none' });
       import('mailcap/client').then(async (imported) => {
         console.log(imported.MailcapError === MailcapError);
         await client.listMailboxes().catch((error) => console.log(error.code, error instanceof MailcapError));
       });`,
    );
    const { stdout } = await exec(process.execPath, ['one.cjs'], { cwd: project });
    expect(stdout).toBe('true\nunreachable false\n');
  });

  // The compiler has no Node types here, and it checks every declaration that the package refers to.
  const PROJECTS: readonly (readonly [string, string, readonly string[]])[] = [
    ['an ESM project', 'types-esm.mts', ['--module', 'nodenext']],
    ['a CommonJS project', 'types-cjs.cts', ['--module', 'nodenext']],
    ['an older CommonJS project', 'types-16.cts', ['--module', 'node16']],
    [
      'a project that knows no exports',
      'types-10.ts',
      ['--module', 'commonjs', '--moduleResolution', 'node10', ...OLD],
    ],
    ['a bundled project', 'types-bundled.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ];
  // By day the two forms of the types. The last test here resolves them in the other ways.
  test.each(byDay(PROJECTS, ([, , options]) => options.includes('nodenext')))(
    '%s compiles against the types of the client',
    async (_what, file, options) => {
      await writeFile(
        join(project, file),
        `import { type Client, createClient, MailcapError, type MailboxResponse } from 'mailcap/client';
       const client: Client = createClient({ timeout: 5_000 });
       export async function made(): Promise<[string, string | null]> {
         const mailbox: MailboxResponse = await client.createMailbox({ name: 'Sign up' });
         const [message] = await client.listMessages(mailbox.id, { limit: 1 });
         return [mailbox.subdomain, message?.subject ?? null];
       }
       export function isTaken(error: unknown): boolean {
         // @ts-expect-error there is no such code
         if (error instanceof MailcapError && error.code === 'subdomain_gone') return false;
         return error instanceof MailcapError && error.code === 'subdomain_taken';
       }
       // @ts-expect-error there is no such option
       createClient({ baseURL: 'x' });`,
      );
      const args = [TSC, '--strict', '--noEmit', '--target', 'es2023', '--lib', 'es2023,dom', ...options, file];
      const { stdout } = await exec(process.execPath, args, { cwd: project }).catch((error: unknown) => ({
        stdout: JSON.stringify(error),
      }));
      expect(stdout).toBe('');
    },
  );

  test('a strict TypeScript project compiles against its types', async () => {
    await writeFile(
      join(project, 'types.ts'),
      `import { createMailcap, type Mailcap, type Ready } from 'mailcap';
       import { findServer } from 'mailcap/client';
       const mailcap: Mailcap = await createMailcap({ port: 0, plan: 'free', plans: { free: { mailboxes: 9 } } });
       const ready: Ready | null = await findServer('.mailcap');
       export const seen: [string, number, string | undefined] = [mailcap.url, mailcap.smtp.port, ready?.apiKey];
       // @ts-expect-error there is no such plan
       await createMailcap({ plan: 'gold' });
       await mailcap[Symbol.asyncDispose]();`,
    );
    const options = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2023,esnext.disposable',
    ];
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
    const { stdout } = await exec(process.execPath, [TSC, ...options, ...types, 'types.ts'], { cwd: project }).catch(
      (error: unknown) => ({ stdout: JSON.stringify(error) }),
    );
    expect(stdout).toBe('');
  });
});

test('an install stays as small as docs/decisions.md says', async () => {
  const { stdout } = await exec('npm', ['ls', '--all', '--parseable'], { cwd: project });
  const [, packages, files] = /(\d+) packages, and the tarball (\d+) files/.exec(readPage('docs/decisions.md')) ?? [];
  // The first line is the project.
  expect(new Set(stdout.trim().split('\n').slice(1)).size).toBeLessThanOrEqual(Number(packages));
  expect(packed.length).toBeLessThanOrEqual(Number(files));
});

test('the package holds the program and nothing else', () => {
  const top = new Set(packed.map((path) => path.split('/')[0]));
  expect([...top].sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'docs',
    'package.json',
    'ui',
  ]);
  expect(PICTURES).toHaveLength(2);
  expect(packed.filter((path) => path.startsWith('ui/')).sort()).toEqual(PICTURES);
  expect(packed.filter((path) => path.startsWith('dist/') && !path.startsWith('dist/bundle/'))).toEqual([]);
  expect(packed.filter((path) => path.endsWith('.map'))).toEqual([]);
});

test('publint finds nothing to say', async () => {
  const bytes = await readFile(tarball);
  const { messages } = await publint({ strict: true, pack: { tarball: new Uint8Array(bytes).buffer } });
  expect(messages).toEqual([]);
});

test('every entry point and its types resolve for every kind of import', async () => {
  const attw = join(ROOT, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
  // The package is ESM only, which `require` supports since Node 20.19. attw exits with 1 if it finds a problem.
  const { stdout } = await exec(process.execPath, [attw, tarball, '--profile', 'esm-only', '--format', 'ascii']);
  for (const entry of ['"mailcap"', '"mailcap/client"']) expect(stdout).toContain(entry);
  expect(stdout).toMatch(
    /"mailcap\/client"\s+node16 \(from ESM\): 🟢 \(ESM\)\s+bundler: 🟢\s+node10: .*🟢\s+node16 \(from CJS\): .*🟢 \(CJS\)/,
  );
});
