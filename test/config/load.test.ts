import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configOf, loadConfig as load, variableOf } from '../../src/config/load.ts';
import { flagOf, OPTIONS } from '../../src/config/options.ts';
import { storeName, whyNotListening } from '../../src/config/start-error.ts';
import { ConfigError } from '../../src/config/user-error.ts';
import { PLANS } from '../../src/domain/workspace.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'mailcap-config-'));
});
afterEach(() => rm(cwd, { recursive: true }));

const loadConfig = (flags: object, env: object, at: string) => load({ ...flags }, { ...env }, at, 'programs');
const file = (name: string, content: string) => writeFile(join(cwd, name), content);
const json = (content: unknown) => file('mailcap.config.json', JSON.stringify(content));

/** A valid value of each option for each source. */
const VALUES: Record<keyof typeof OPTIONS, readonly [flag: string | boolean, env: string, file: unknown]> = {
  host: ['127.0.0.2', '127.0.0.3', '127.0.0.4'],
  smtpHost: ['127.0.0.2', '127.0.0.3', '127.0.0.4'],
  port: ['1', '2', 3],
  smtpPort: ['1', '2', 3],
  smtpsPort: ['1', '2', 3],
  ...{ pop3Port: ['1', '2', 3], pop3sPort: ['1', '2', 3] },
  ...{ imapPort: ['1', '2', 3], imapsPort: ['1', '2', 3] },
  dataDir: ['/a', '/b', '/c'],
  ephemeral: [true, 'false', false],
  mailDomain: ['a.test', 'b.test', 'c.test'],
  plan: ['free', 'business', 'business'],
  limits: ['off', 'cloud', 'cloud'],
  apiKey: ['svc_live_a', 'svc_live_b', 'svc_live_c'],
  store: ['memory:', 'file:/b', 'file:/c'],
  storeFile: ['a.url', 'b.url', 'c.url'],
  storePool: ['5', '20', 30],
  storeBlobs: ['s3://bucket-a', 's3://bucket-b/x', 's3://bucket-c?region=eu-west-1'],
  publicUrl: ['http://a.test', 'https://b.test:1', 'http://c.test/'],
  drain: ['1', '2', 3],
  publicSmtp: ['a.test:1', 'smtp://[::1]:2', 'c.test:3'],
  relay: ['smtp://a', 'smtps://b', 'smtp://c:25'],
  clamd: ['a:1', '[::1]:2', 'c.test:3'],
  spamd: ['a:1', '[::1]:2', 'c.test:3'],
  catchAll: ['off', 'on', 'on'],
  logLevel: ['debug', 'info', 'error'],
  ...{ json: [true, '0', false], open: [true, 'no', false] },
  durability: ['os', 'fsync', 'fsync'],
  smtpAuth: ['strict', 'any', 'any'],
  smtpSize: ['1MiB', '2048', 3000],
  ...{ captureQuota: ['1MiB', '2GiB', 3_000_000], captureTotal: ['1MiB', '2GiB', 3_000_000] },
  starttls: ['off', 'on', 'auto'],
  ...{ tlsCert: ['/a', '/b', '/c'], tlsKey: ['/a', '/b', '/c'] },
  allowedHosts: ['a.test,b.test', 'c.test', ['d.test']],
  ...{ maxMessages: ['1', '20', 30], maxAge: ['12h', '7d', '30d'] },
  https: ['on', 'off', 'on'],
  allowedOrigins: ['a.test:3000,b.test', '*', ['d.test']],
  adminToken: ['token-of-the-flag', 'token-of-the-env', 'token-of-the-file'],
  smtpTls: ['required', 'implicit', 'optional'],
  tlsNames: ['a.test,b.test', 'c.test', ['d.test']],
  auth: ['off', 'on', 'off'],
  webroot: ['/a', 'b/c/', '/d'],
  compat: ['mailpit', 'off', ['maildev', 'mailhog']],
};
/** Options that need another option. */
const COMPANION: Partial<Record<keyof typeof OPTIONS, Record<string, string>>> = {
  storeBlobs: { store: 'postgres://u@h/db' },
  tlsCert: { tlsKey: '/k' },
  tlsKey: { tlsCert: '/k' },
};

describe('precedence: flag > environment > file > default', () => {
  test.each(Object.keys(OPTIONS).filter((name) => name in VALUES))('%s', async (name) => {
    const option = name as keyof typeof OPTIONS;
    for (const letter of ['a', 'b', 'c']) await file(`${letter}.url`, `file:/${letter}\n`);
    const [flag, env, inFile] = VALUES[option];
    const variable = variableOf(option);
    const others = COMPANION[option] ?? {};
    const read = async (flags: object, variables: Record<string, string>) =>
      (await loadConfig({ ...others, ...flags }, variables, cwd))[option];
    await json({ [option]: inFile });
    const [fromFile, fromEnv] = [await read({}, {}), await read({}, { [variable]: env })];
    const fromFlag = await read({ [option]: flag }, { [variable]: env });
    await rm(join(cwd, 'mailcap.config.json'));

    const alone = (value: unknown) => configOf({ ...others, [option]: value }, cwd)[option];
    expect(fromFile).toEqual(alone(inFile));
    expect(fromEnv).toEqual(alone(env));
    expect(fromFlag).toEqual(alone(flag));
    expect(fromFlag).not.toEqual(fromEnv);
  });

  test('without any source every option has its default', async () => {
    const config = await loadConfig({}, {}, cwd);
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8025,
      smtpPort: 1025,
      dataDir: join(cwd, '.mailcap'),
      store: { kind: 'file', directory: join(cwd, '.mailcap', 'store') },
      mailDomain: 'mailcap.example.com',
      plan: 'business',
      smtpSize: 25 * 1024 * 1024,
      plans: PLANS,
      spf: null,
      identities: [],
      allowlist: ['*.mailcap.example.com'],
      outboundEnabled: true,
    });
    expect(config.given.size).toBe(0);
  });

  test('an empty variable is ignored, and so is the value that Kubernetes puts into MAILCAP_PORT', async () => {
    const config = await loadConfig({}, { MAILCAP_HOST: '', MAILCAP_PORT: 'tcp://10.0.0.1:8025' }, cwd);
    expect([config.host, config.port]).toEqual(['127.0.0.1', 8025]);
  });

  test('variables of other programs and of the clients are ignored', async () => {
    const env = {
      MAILCAP_URL: 'http://x.test',
      MAILCAP_WORKSPACE_ID: 'x',
      MAILCAP_SERVICE_HOST: '10.0.0.1',
      MAILCAPS: 'x',
    };
    expect((await loadConfig({}, env, cwd)).given.size).toBe(0);
  });
});

describe('a bad value is an error that names its source, with exit code 2', () => {
  const CASES: [option: string, value: unknown][] = [
    ['port', 'abc'],
    ['port', '65536'],
    ['port', -1],
    ['port', 1.5],
    ['port', true],
    ['smtpPort', '1e3'],
    ['host', ' '],
    ['host', 7],
    ['ephemeral', 'maybe'],
    ['ephemeral', 1],
    ['mailDomain', 'a..b'],
    ['mailDomain', '-a.test'],
    ['mailDomain', 'a b'],
    ['mailDomain', `${'a'.repeat(64)}.test`],
    ['plan', 'gold'],
    ['limits', 'on'],
    ['apiKey', 'sk_live_abc'],
    ['apiKey', 'svc_live_'],
    ['store', 'mysql://localhost/db'],
    ['store', 'file:'],
    ['store', '/just/a/path'],
    ['relay', 'http://relay.test'],
    ['relay', 'relay.test:25'],
    ['clamd', '127.0.0.1'],
    ['spamd', '127.0.0.1'],
    ['spamd', 'spamd://127.0.0.1:783'],
    ['clamd', '127.0.0.1:0'],
    ['clamd', 'a:65536'],
    ['clamd', 'http://a:1'],
    ['clamd', '::1:3310'],
    ['catchAll', 'yes'],
    ['logLevel', 'verbose'],
    ['durability', 'none'],
    ['smtpAuth', 'none'],
    ['starttls', 'maybe'],
    ['smtpSize', '10'],
    ['smtpSize', '2GiB'],
    ['smtpSize', '25 megs'],
    ['allowedHosts', [1]],
    ['allowedHosts', {}],
    ...[15, 201].map((length): [string, string] => ['adminToken', 'x'.repeat(length)]),
    ['adminToken', 'with space in it'],
  ];

  test.each(CASES)('%s: %j', async (option, value) => {
    await json({ [option]: value });
    await expect(loadConfig({}, {}, cwd)).rejects.toThrow(`${option} in mailcap.config.json: `);
    if (typeof value !== 'string') return;
    await rm(join(cwd, 'mailcap.config.json'));
    await expect(loadConfig({ [option]: value }, {}, cwd)).rejects.toThrow(`--${flagOf(option)}: `);
    const variable = variableOf(option);
    await expect(loadConfig({}, { [variable]: value }, cwd)).rejects.toThrow(`${variable}: `);
  });

  test('a bad value is also an error if another source overrides it', async () => {
    await expect(loadConfig({ port: '0' }, { MAILCAP_PORT: 'abc' }, cwd)).rejects.toThrow('MAILCAP_PORT');
  });

  test.each([
    ['MAILCAP_SMTPPORT', 'MAILCAP_SMTP_PORT'],
    ['MAILCAP_DATADIR', 'MAILCAP_DATA_DIR'],
  ])('a variable that differs by an underscore: %s', async (misspelt, meant) => {
    const message = `${misspelt}: there is no such variable; did you mean ${meant}?`;
    await expect(loadConfig({}, { [misspelt]: '1' }, cwd)).rejects.toThrow(message);
  });

  test('its exit code is 2', async () => {
    const error = await loadConfig({ port: 'abc' }, {}, cwd).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toHaveProperty('exitCode', 2);
  });

  test.each(['apiKey', 'adminToken', 'relay'])('%s: a secret is not repeated', async (option) => {
    const error = await loadConfig({ [option]: 'hunter2 hunter2' }, {}, cwd).catch((thrown: unknown) => String(thrown));
    expect(error).toContain('ConfigError');
    expect(error).not.toContain('hunter2');
  });

  test('an unknown kind of store is refused with a list of the known ones', async () => {
    await expect(loadConfig({ store: 'mysql://x' }, {}, cwd)).rejects.toThrow(
      'mailcap has no mysql: store: use memory:, file:<dir> or postgres://.',
    );
  });

  test('a PostgreSQL URL is taken with its password, which no refusal repeats', async () => {
    const url = 'postgres://user:hunter2@db.test:5433/mail?sslmode=require';
    const { store } = await loadConfig({ store: url }, {}, cwd);
    expect(store).toEqual({ kind: 'postgres', url });
    expect(storeName(store)).toBe('postgres://db.test:5433/mail');
    const refused = await loadConfig({ store: 'postgres://u:hunter2@db.test' }, {}, cwd).catch(String);
    expect(refused).toContain('expected a PostgreSQL URL');
    expect(refused).not.toContain('hunter2');
  });

  test('--tls-cert without --tls-key', async () => {
    await expect(loadConfig({ tlsCert: 'cert.pem' }, {}, cwd)).rejects.toThrow('--tls-key');
  });
});

describe('mailcap.config', () => {
  test.each([
    ['mailcap.config.json', '{ "port": 4000 }'],
    ['mailcap.config.mjs', 'export default { port: 4000 };'],
    ['mailcap.config.ts', 'const port: number = 4000;\nexport default { port } satisfies { port: number };'],
    ['mailcap.config.mts', 'const port: number = 4000;\nexport default { port };'],
    ['mailcap.config.cts', 'const port: number = 4000;\nmodule.exports = { port };'],
    ['mailcap.config.cjs', 'module.exports = { port: 4000 };'],
    [
      'mailcap.config.cjs',
      "Object.defineProperty(exports, '__esModule', { value: true });\nexports.default = { port: 4000 };",
    ],
    ['mailcap.config.json', '\uFEFF{\r\n  "port": 4000\r\n}\r\n'],
    ['mailcap.config.ts', '\uFEFFconst port: number = 4000;\r\nexport default { port };\r\n'],
    ['mailcap.config.mjs', '\uFEFFexport default {\r\n  port: 4000 };\r\n'],
    ['mailcap.config.cjs', '\uFEFFmodule.exports = {\r\n  port: 4000 };\r\n'],
  ])('%s is read', async (name, content) => {
    await file(name, content);
    expect((await loadConfig({}, {}, cwd)).port).toBe(4000);
  });

  test('a JSON file in UTF-16, as a shell of Windows writes it, is read', async () => {
    await writeFile(
      join(cwd, 'mailcap.config.json'),
      Buffer.from('\uFEFF{ "mailDomain": "möhre.example" }\r\n', 'utf16le'),
    );
    expect((await loadConfig({}, {}, cwd)).mailDomain).toBe('xn--mhre-5qa.example');
  });

  test.each(['mailcap.config.yaml', 'mailcap.config.jsonc', 'mailcap.config.toml', '.mailcaprc'])(
    '%s is refused by its name, because its options would have no effect',
    async (name) => {
      await file(name, '');
      await expect(loadConfig({}, {}, cwd)).rejects.toThrow(
        `${name} is not read: write its options to mailcap.config.json`,
      );
    },
  );

  test('variables of a file with the line ends of Windows', async () => {
    const env = { MAILCAP_PORT: '4000\r', MAILCAP_PLAN: 'free\r', MAILCAP_RELAY: '\r' };
    expect(await loadConfig({}, env, cwd)).toMatchObject({ port: 4000, plan: 'free', relay: null });
  });

  test('a store file that begins with a byte order mark', async () => {
    await file('store.txt', '\uFEFFfile:elsewhere\r\n');
    expect((await loadConfig({ storeFile: 'store.txt' }, {}, cwd)).store).toMatchObject({ kind: 'file' });
  });

  test('mailcap.config.js is read, as the module that package.json makes it', async () => {
    await file('package.json', '{ "type": "module" }');
    await file('mailcap.config.js', 'export default { port: 4000 };');
    expect((await loadConfig({}, {}, cwd)).port).toBe(4000);
  });

  test.each([
    ['an unknown key', 'mailcap.config.json', '{ "colour": 1 }', 'colour in mailcap.config.json: no such key'],
    ['a misspelt key', 'mailcap.config.json', '{ "smtp-port": 1 }', 'did you mean smtpPort'],
    ['a later key', 'mailcap.config.json', '{ "clamd": "x" }', 'clamd in mailcap.config.json'],
    ['text that is no JSON', 'mailcap.config.json', '{ port: 1 }', 'mailcap.config.json'],
    ['no object', 'mailcap.config.json', '[]', 'mailcap.config.json'],
    ['no default export', 'mailcap.config.mjs', 'export const port = 1;', 'mailcap.config.mjs'],
    ['a module that throws', 'mailcap.config.mjs', 'throw new Error("no luck");', 'no luck'],
    ['a TypeScript error', 'mailcap.config.ts', 'export default {{', 'mailcap.config.ts'],
  ])('%s is an error that names it', async (_case, name, content, message) => {
    await file(name, content);
    await expect(loadConfig({}, {}, cwd)).rejects.toThrow(message);
    await expect(loadConfig({}, {}, cwd)).rejects.toBeInstanceOf(ConfigError);
  });

  test('two of them are an error that names both', async () => {
    await json({});
    await file('mailcap.config.mjs', 'export default {};');
    await expect(loadConfig({}, {}, cwd)).rejects.toThrow('mailcap.config.mjs and mailcap.config.json');
  });

  test('plans: numbers given replace the defaults, the others stay', async () => {
    await json({ plans: { free: { mailboxes: 7 } } });
    const { plans } = await loadConfig({}, {}, cwd);
    expect(plans.free).toEqual({ ...PLANS.free, mailboxes: 7 });
    expect(plans.business).toEqual(PLANS.business);
  });

  test.each([
    [{ gold: {} }, 'plans.gold in'],
    [{ free: 7 }, 'plans.free in'],
    [{ free: { mailboxs: 7 } }, 'plans.free.mailboxs in'],
    [{ free: { mailboxes: '7' } }, 'plans.free.mailboxes in'],
    [{ free: { mailboxes: -1 } }, 'plans.free.mailboxes in'],
    [{ free: { outbound: 1 } }, 'plans.free.outbound in'],
    [{ free: { retentionMaxDays: 0 } }, 'plans.free.retentionMaxDays in'],
    [{ free: { retentionDefaultDays: 8 } }, 'retentionMaxDays'],
    [{ free: JSON.parse('{"__proto__": 1}') }, 'plans.free.__proto__ in'],
    ['free', 'plans in'],
  ])('plans: %j is an error that names the key', async (plans, message) => {
    await json({ plans });
    await expect(loadConfig({}, {}, cwd)).rejects.toThrow(message);
  });

  test('a file sets identities, and the allowlist and outbound of new mailboxes', async () => {
    const outbound = {
      identities: ['Bücher.test'],
      allowlist: ['*.example.com', '*@one.test', ' ada@x.test'],
      outboundEnabled: false,
    };
    await json(outbound);
    expect(await loadConfig({}, {}, cwd)).toMatchObject({
      ...{
        identities: ['xn--bcher-kva.test'],
        allowlist: ['*.example.com', '*@one.test', 'ada@x.test'],
        outboundEnabled: false,
      },
    });
  });

  test('the allowlist of a new mailbox is the mail domain’s', async () => {
    const { allowlist } = await loadConfig({ mailDomain: 'Other.test' }, {}, cwd);
    expect(allowlist).toEqual(['*.other.test']);
  });

  test.each([
    [{ identities: 'example.com' }, 'identities in'],
    [{ identities: ['a b'] }, 'identities in'],
    [{ identities: [1] }, 'identities in'],
    [{ allowlist: ['nobody'] }, 'allowlist in'],
    [{ allowlist: ['ada*@x.test'] }, 'allowlist in'],
    [{ allowlist: {} }, 'allowlist in'],
    [{ allowlist: Array.from({ length: 1_001 }, (_, i) => `u${i}@x.test`) }, 'allowlist in'],
    [{ outboundEnabled: 'perhaps' }, 'outboundEnabled in'],
  ])('%j is an error that names the key', async (file, message) => {
    await json(file);
    await expect(loadConfig({}, {}, cwd)).rejects.toThrow(message);
  });

  test('spf.zone maps domains, in any case, to TXT records', async () => {
    await json({ spf: { zone: { 'Example.COM': ['v=spf1 -all'], 'one.test': 'v=spf1 +all' } } });
    expect((await loadConfig({}, {}, cwd)).spf).toEqual({
      zone: { 'example.com': ['v=spf1 -all'], 'one.test': ['v=spf1 +all'] },
    });
  });

  test.each([
    [{ zones: {} }, 'spf.zones in'],
    [{ zone: [] }, 'spf.zone in'],
    [{ zone: { 'a.test': [1] } }, 'spf.zone.a.test in'],
  ])('spf: %j is an error that names the key', async (spf, message) => {
    await json({ spf });
    await expect(loadConfig({}, {}, cwd)).rejects.toThrow(message);
  });
});

describe('the options that the server gets', () => {
  test.each([
    ['memory:', { kind: 'memory' }],
    ['file:state', (dir: string) => ({ kind: 'file', directory: join(dir, 'state') })],
    ['file:/abs', { kind: 'file', directory: '/abs' }],
    ['file:///abs/a%20b', { kind: 'file', directory: '/abs/a b' }],
  ])('--store %s', (store, expected) => {
    expect(configOf({ store }, cwd).store).toEqual(typeof expected === 'function' ? expected(cwd) : expected);
  });

  test('--ephemeral keeps nothing, whatever --store says', () => {
    expect(configOf({ ephemeral: true, store: 'file:x' }, cwd).store).toEqual({ kind: 'memory' });
  });

  test.each([
    ['Mail.Example.TEST.', 'mail.example.test'],
    ['bücher.test', 'xn--bcher-kva.test'],
  ])('--mail-domain %s is %s', (mailDomain, expected) => {
    expect(configOf({ mailDomain }, cwd).mailDomain).toBe(expected);
  });

  test.each([
    ['25MiB', 25 * 1024 * 1024],
    ['25mb', 25 * 1024 * 1024],
    ['64k', 65_536],
    ['1g', 1024 ** 3],
    ['2048', 2048],
  ])('--smtp-size %s is %d bytes', (smtpSize, expected) => {
    expect(configOf({ smtpSize }, cwd).smtpSize).toBe(expected);
  });

  test('given lists the options that somebody set', async () => {
    const config = await loadConfig({ port: '0' }, { MAILCAP_PLAN: 'business' }, cwd);
    expect([...config.given].sort()).toEqual(['plan', 'port']);
  });

  test('a program gets an error for an unknown option', () => {
    expect(() => configOf({ prot: 0 }, cwd)).toThrow('prot: no such option');
  });
});

test('--store-file takes the store from a file, and its content is never shown', async () => {
  await file('url', 'postgres://user:hidden-pw@db.test/mailcap\n');
  expect((await loadConfig({ storeFile: 'url' }, {}, cwd)).store).toEqual({
    kind: 'postgres',
    url: 'postgres://user:hidden-pw@db.test/mailcap',
  });
  await expect(loadConfig({ storeFile: 'url', store: 'memory:' }, {}, cwd)).rejects.toThrow('exclude each other');
  await expect(loadConfig({ storeFile: 'none' }, {}, cwd)).rejects.toThrow(/none does not exist/);
  for (const content of ['', 'a\nb', 'postgres://user:hidden-pw@', 'mysql://user:hidden-pw@h/db']) {
    await file('url', content);
    const refused = loadConfig({ storeFile: 'url' }, {}, cwd);
    await expect(refused).rejects.toThrow('--store-file');
    await expect(refused).rejects.not.toThrow('hidden-pw');
  }
});

test.each([
  ['publicUrl', 'mail.test'],
  ['publicUrl', 'http://mail.test/path'],
  ['publicUrl', 'http://user@mail.test'],
  ['publicSmtp', 'mail.test'],
  ['publicSmtp', 'mail.test:0'],
  ['storePool', '4'],
])('%s: %s is refused', async (name, value) => {
  await expect(loadConfig({ [name]: value }, {}, cwd)).rejects.toThrow(flagOf(name));
});

test.each([
  ['SMTP', 'smtpPort', '--smtp-host: mail.invalid is not an address of this machine'],
  ['HTTP', 'port', '--host: 127.0.0.1 is not an address of this machine'],
] as const)('an address that %s can not listen on is named with its option', async (_what, option, message) => {
  const config = await loadConfig({ smtpHost: 'mail.invalid' }, {}, cwd);
  const error = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
  expect(whyNotListening(error, option, config)).toMatchObject({ message: expect.stringContaining(message) });
});
