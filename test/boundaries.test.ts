import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WAYS, walk } from '../.build/ways.ts';
import { type Arrows, arrowViolations, globalViolations, importCircles, sourceFiles } from './support/boundaries.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = new Map([...sourceFiles(ROOT, 'src'), ...sourceFiles(ROOT, 'ui'), ...sourceFiles(ROOT, 'plugins')]);

// A module that may import actions may also import ports and domain.
const DOMAIN = ['domain', 'otp', 'text', 'webhooks'];
const PORTS = ['ports', ...DOMAIN];
const ACTIONS = ['actions', 'mail', 'extract', 'checks', ...PORTS];

const TABLE: Readonly<Record<string, Arrows>> = {
  // Rules of text, below the program and every UI
  text: { places: [], packages: ['string-width'] },
  otp: { places: ['text'], packages: ['otplib'] },
  // Signatures, samples and retries of webhooks that go out: server, client and command line share them
  webhooks: { places: ['text'] },
  domain: { places: ['otp', 'text', 'webhooks'] },
  ports: { places: DOMAIN, types: ['extract', 'checks'] },
  config: { places: ['own-files', 'ownership', ...PORTS], packages: ['jiti', 'yaml'] },
  runtime: { places: [] },
  context: { places: ['ports', 'domain', 'config', 'runtime'] },
  version: { places: [] },
  documentation: { places: ['own-files', 'text'] },
  clipboard: { places: [] },
  'make-directory': { places: ['text'] },
  ownership: { places: [] },
  lazily: { places: [] },
  semaphore: { places: [] },
  'own-files': { places: [] },
  'self-signed': { places: [] },
  'process-start': { places: [] },
  // It reads bytes and asks nobody: what needs a look-up is an adapter.
  mail: { places: ['lazily', ...DOMAIN], packages: ['mailparser', 'libmime', 'nodemailer', 'mailauth'] },
  extract: { places: ['text'], packages: ['htmlparser2'] },
  // Rules about a whole mail: they read its bytes and its HTML, and decide like a domain rule
  checks: { places: ['mail', 'extract', ...DOMAIN], packages: ['@csstools/css-tokenizer'] },
  actions: { places: ['mail', 'extract', 'checks', ...PORTS] },
  store: { places: ['own-files', ...PORTS], packages: ['lowdb', 'pg'] },
  adapters: {
    places: [
      'mail',
      'extract',
      'checks',
      'lazily',
      'make-directory',
      'own-files',
      'ownership',
      'process-start',
      'semaphore',
      ...PORTS,
    ],
    packages: [
      ...['aws4fetch', 'bcryptjs', 'ipaddr.js', 'jpeg-js', 'mailauth', 'nodemailer'],
      ...['omggif', 'pngjs', 'prom-client', 'ulid', 'undici'],
    ],
  },
  // The APIs of mail providers: what they take, answer and tell the app. src/http serves them
  providers: { places: ['self-signed', ...ACTIONS], packages: ['@handlebars/parser', '@noble/hashes', 'saxes'] },
  workers: { places: ['providers', ...ACTIONS] },
  events: { places: PORTS },
  http: {
    places: ['events', 'config', 'documentation', 'lazily', 'providers', ...ACTIONS],
    packages: ['express', 'zod', 'ws'],
  },
  smtp: { places: ['config', 'ownership', 'self-signed', ...ACTIONS], packages: ['smtp-server'] },
  // What POP3 and IMAP share: listeners, connections, sign-ins, and the messages of a mailbox
  reading: { places: ['smtp', ...ACTIONS] },
  imap: { places: ['reading', 'semaphore', 'smtp', 'version', ...ACTIONS] },
  pop3: { places: ['reading', 'smtp', 'version', ...ACTIONS] },
  'open-store': { places: ['store', 'adapters', 'config', 'make-directory', 'process-start', ...PORTS] },
  'copy-store': { places: ['open-store', 'store', 'adapters', 'config', 'make-directory', ...PORTS] },
  // The tools for agents call the client, for stdio and for HTTP alike
  mcp: {
    places: ['client', 'extract', 'lazily', 'runtime', 'version', ...PORTS],
    packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/node', 'zod'],
  },
  identify: { places: ['adapters', 'config', 'context', ...DOMAIN] },
  mailcap: {
    places: [
      'mcp',
      'identify',
      'open-store',
      'http',
      'smtp',
      'reading',
      'pop3',
      'imap',
      'workers',
      'providers',
      'store',
      'adapters',
      'events',
      'config',
      'context',
      'runtime',
      'version',
      'make-directory',
      ...ACTIONS,
    ],
  },
  index: { places: ['mailcap', 'open-store', 'copy-store', 'config'], types: ['ports', 'domain'] },
  client: {
    places: ['extract', 'lazily', 'otp', 'ownership', 'process-start', 'text', 'webhooks'],
    types: ['http', 'domain'],
    packages: ['@noble/hashes', 'nodemailer'],
    typePackages: ['zod'],
  },
  // ui/model
  model: { places: ['text'] },
  // ui/web/app: what the page knows and does, without a component and without the browser
  app: { places: ['client', 'model', 'text'] },
  // ui/web: it is written for React and bundled with Preact, whose trees one module prunes; it uses the signature check of the client, and searches the words of HTML
  web: {
    places: ['app', 'model', 'client', 'extract', 'text', 'webhooks'],
    packages: ['react', 'react-dom', 'preact', 'lucide', 'uqr'],
  },
  // ui/terminal
  terminal: { places: ['model', 'client', 'clipboard', 'extract', 'text'], packages: ['ink', 'react', 'ws'] },
  // plugins/shared
  shared: { places: ['client', 'index', 'extract', 'text'] },
  vitest: { places: ['shared', 'client', 'index'], packages: ['vitest'] },
  playwright: { places: ['shared', 'client', 'index'], packages: ['@playwright/test'] },
  cypress: { places: ['shared', 'client'], packages: ['nodemailer'] },
  jest: { places: ['shared', 'client'] },
  testcontainers: { places: ['client'], packages: ['testcontainers'] },
  cli: {
    places: [
      'index',
      'config',
      'client',
      'mcp',
      'clipboard',
      'extract',
      'text',
      'terminal',
      'version',
      'documentation',
      'make-directory',
      'own-files',
      'ownership',
      'process-start',
      'webhooks',
    ],
    packages: ['jiti', 'nodemailer', 'yargs'],
  },
};

const CLOCKS_AND_DICE = [
  /\bDate\.now\(/g,
  /\bnew Date\(\)/g,
  /\bMath\.random\(/g,
  /\brandomUUID\(/g,
  /\bsetTimeout\(/g,
  /\bsetInterval\(/g,
];
/** The client's own adapter. The client runs in other runtimes, so it imports none of the server's adapters. */
const OF_THE_CLIENT = 'src/client/environment.ts';
/** A program that checks whether its test runner is still running. */
const SERVER_OF_A_RUN = 'plugins/shared/serve.ts';
/** The adapter of the command line. */
const OF_THE_CLI = 'src/cli/clock.ts';
/**
 * Components may use the browser's clock. The data they show comes from `ui/web/app`, which receives its clock as a port.
 */
const OF_THE_PAGE = 'web';
const READERS_OF_CLOCKS = ['adapters', OF_THE_CLIENT, SERVER_OF_A_RUN, OF_THE_CLI, OF_THE_PAGE];
const FORBIDDEN = [
  ...CLOCKS_AND_DICE.map((use) => ({ use, unless: READERS_OF_CLOCKS })),
  // A module that reads the environment cannot be configured by a program.
  { use: /\bprocess\??\.env\b/g, unless: ['cli', OF_THE_CLIENT, 'shared', 'vitest', 'playwright'] },
  // src/text/url.ts says why.
  { use: /\bURL\.canParse\(/g, unless: ['shared', OF_THE_PAGE] },
];

test('every import follows an arrow', () => {
  expect(arrowViolations(SOURCES, TABLE)).toEqual([]);
});

test('no file imports itself, however many others stand between', () => {
  const all = new Map([...SOURCES, ...['test', 'bench', '.build'].flatMap((folder) => [...sourceFiles(ROOT, folder)])]);
  expect(importCircles(all)).toEqual([]);
});

test('a planted import cycle is found, also one of types alone', () => {
  const planted = new Map([
    ['src/a/x.ts', "import type { Y } from '../b/y.ts';"],
    ['src/b/y.ts', "export { z } from './z.ts';"],
    ['src/b/z.ts', "const x = await import('../a/x.ts');"],
    ['src/b/w.ts', "import './z.ts';"],
  ]);
  expect(importCircles(planted)).toEqual([['src/a/x.ts', 'src/b/y.ts', 'src/b/z.ts']]);
});

test.each(WAYS)('each file that the way of $name names exists and is reached', (way) => {
  expect(walk(way, SOURCES).lost).toEqual([]);
});

test('a way takes the files between its ends, and not those that stand beside or share only a type', () => {
  const files = new Map([
    [
      'src/a.ts',
      "import { b } from './b.ts';\nimport { aside } from './aside.ts';\nimport type { T } from './type.ts';",
    ],
    ['src/b.ts', "import { end } from './end.ts';"],
    ['src/aside.ts', ''],
    ['src/type.ts', "import { end } from './end.ts';"],
    ['src/end.ts', "import { past } from './past.ts';"],
    ['src/past.ts', ''],
  ]);
  const walked = walk({ name: 'x', stages: [{ from: 'src/a.ts', to: ['src/end.ts', 'src/moved.ts'] }] }, files);
  expect(walked).toEqual({ files: ['src/a.ts', 'src/b.ts', 'src/end.ts'], lost: ['src/moved.ts'] });
});

test('the plugins know of the client its public API and what stands in internal.ts', () => {
  const past = [...SOURCES].filter(
    ([path, text]) => path.startsWith('plugins/') && /from '[^']*src\/client\/(?!(?:index|internal)\.ts')/.test(text),
  );
  expect(past.map(([path]) => path)).toEqual([]);
});

test('the inbox is the one command that knows the terminal inbox', () => {
  const knowing = [...SOURCES].filter(([path, text]) => path.startsWith('src/') && text.includes('/ui/terminal/'));
  expect(knowing.map(([path]) => path)).toEqual(['src/cli/inbox.ts']);
});

test('one implementation of the store does not import another', () => {
  const crossing = [...SOURCES].filter(
    ([path, text]) =>
      (path.startsWith('src/store/memory') && text.includes("'./file/")) ||
      (path.startsWith('src/store/file/') && text.includes("'../memory")) ||
      (path.startsWith('src/store/postgres/') && /'\.\.\/(memory|file\/)/.test(text)) ||
      (/^src\/store\/(memory|file\/)/.test(path) && /'\.\.?\/postgres\//.test(text)) ||
      (path.startsWith('src/store/tables/') && /'\.\.\/(memory|file|postgres)/.test(text)),
  );
  expect(crossing.map(([path]) => path)).toEqual([]);
});

test('time, random numbers and the environment come through ports', () => {
  expect(globalViolations(SOURCES, FORBIDDEN)).toEqual([]);
});

test('everything that is printed passes through one module, which makes it harmless', () => {
  const use = /\bconsole\.\w+\(|\b(?:process\.)?std(?:out|err)\.write\(/g;
  const unless = [
    'src/cli/output.ts',
    // They move the cursor, draw a screen or speak SMTP.
    'src/cli/progress.ts',
    'src/cli/dev/at-terminal.ts',
    'src/cli/sendmail/sendmail.ts',
    'terminal',
    // Each makes its text harmless itself, or prints its own numbers.
    'src/adapters/console-log.ts',
    'src/adapters/parse-thread.ts',
    'plugins/shared/serve.ts',
    'plugins/playwright/web-server.ts',
  ];
  expect(globalViolations(SOURCES, [{ use, unless }])).toEqual([]);
});

test('only src/text shortens a text and marks the cut', () => {
  const use = /\.slice\([^)]*\)\}…|…\$\{[^}]*\.slice\(/g;
  expect(globalViolations(SOURCES, [{ use, unless: ['text'] }])).toEqual([]);
  const planted = new Map([['src/http/x.ts', `const shown = \`\${text.slice(0, 9)}…\`;`]]);
  expect(globalViolations(planted, [{ use, unless: ['text'] }])).toHaveLength(1);
});

/** What `npm run docs` writes of all operations. */
const GENERATED = ['src/client/connection/calls.ts', 'src/cli/api/operations.ts'];

test('no file is over 600 lines, but for the lists of operations that are generated', () => {
  const all = ['src', 'bin', 'plugins', 'ui', 'test', 'bench'].filter((name) => existsSync(join(ROOT, name)));
  const long = all
    .flatMap((name) => [...sourceFiles(ROOT, name)])
    .map(([path, text]) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ path, lines }) => lines > 600 && !GENERATED.includes(path));
  expect(long).toEqual([]);
});

test.each([
  ['src/domain/x.ts', "import { readFile } from '../adapters/disk.ts';", 'domain -> adapters'],
  ['src/domain/x.ts', "import { z } from 'zod';", 'the package zod'],
  ['src/extract/x.ts', "import { parse } from '../mail/parse.ts';", 'extract -> mail'],
  ['src/mail/x.ts', "import type { Dns } from '../ports/dns.ts';", 'mail -> ports'],
  ['src/actions/x.ts', "import {\n  a,\n  b,\n} from '../http/exchange.ts';", 'actions -> http'],
  ['src/actions/x.ts', "export { a } from '../store/memory.ts';", 'actions -> store'],
  ['src/store/file/x.ts', "const http = await import('../../http/app.ts');", 'store -> http'],
  ['src/http/local/x.ts', "import '../../store/memory.ts';", 'http -> store'],
  ['src/smtp/x.ts', "import type { Running } from '../mailcap.ts';", 'smtp -> mailcap'],
  ['src/client/x.ts', "import { schemas } from '../http/schemas.ts';", 'client -> http'],
  ['ui/model/x.ts', "import { Box } from 'ink';", 'the package ink'],
  ['ui/terminal/x.tsx', "import { refuse } from '../../src/domain/errors.ts';", 'terminal -> domain'],
  ['ui/web/app/x.ts', "import { Button } from '../parts/controls.tsx';", 'app -> web'],
  ['src/cli/x.ts', "import { KEYS } from '../../ui/model/keys.ts';", 'cli -> model'],
  ['src/client/x.ts', "import { z } from 'zod';", 'the package zod'],
  ['plugins/vitest/x.ts', "import { refuse } from '../../src/domain/errors.ts';", 'vitest -> domain'],
  ['plugins/shared/x.ts', "import { test } from 'vitest';", 'the package vitest'],
  ['src/elsewhere/x.ts', '', 'elsewhere has no row'],
])('a planted import is found: %s %j', (path, text, violation) => {
  const found = arrowViolations(new Map([[path, text]]), TABLE);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(violation);
});

test.each([
  'const at = Date.now();',
  'const at = new Date();',
  'Math.random()',
  'crypto.randomUUID()',
  'setTimeout(f, 1)',
  'setInterval(f, 1)',
  'process.env',
])('a planted global is found: %s', (text) => {
  expect(globalViolations(new Map([['src/http/x.ts', text]]), FORBIDDEN)).toHaveLength(1);
});

test.each([
  "import type { Context } from '../context.ts';",
  '// Date.now() is the clock',
  'new Date(0)',
  '/* Math.random() */',
])('what is allowed passes: %s', (text) => {
  const files = new Map([['src/actions/x.ts', text]]);
  expect([...arrowViolations(files, TABLE), ...globalViolations(files, FORBIDDEN)]).toEqual([]);
});
