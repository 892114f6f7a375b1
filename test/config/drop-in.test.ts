import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CATCHERS, type CatcherName, catcherOfFlags, catcherOfVariables } from '../../src/config/drop-in/read.ts';
import { loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/config/user-error.ts';
import { temporaryDirectory } from '../support/cli.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

async function configOf(env: Record<string, string>, args: readonly string[] = [], catcher: CatcherName = 'mailpit') {
  const cwd = await temporaryDirectory();
  return loadConfig({}, env, cwd, 'programs', args.length === 0 ? undefined : { catcher, args });
}

/** What a setting makes of the configuration. */
const MAPPED: readonly (readonly [variable: string, value: string, expected: object])[] = [
  ['MP_DATABASE', '/data/mailpit.db', { dataDir: '/data/mailpit.db.mailcap', ephemeral: false }],
  ['MP_DATABASE', '/data/', { dataDir: '/data/mailpit.db.mailcap', ephemeral: false }],
  ['MP_DATA_FILE', '/data/x.db', { dataDir: '/data/x.db.mailcap' }],
  ['MP_MAX_MESSAGE_SIZE', '7', { smtpSize: 7 * MIB }],
  ['MP_MAX_MESSAGE_SIZE', '0', { smtpSize: GIB }],
  ['MP_VERBOSE', 'true', { logLevel: 'info' }],
  ['MP_VERBOSE', '0', { logLevel: 'warn' }],
  ['MP_QUIET', '1', { logLevel: 'error' }],
  ['MP_UI_BIND_ADDR', '127.0.0.1:9000', { host: '127.0.0.1', port: 9000 }],
  ['MP_SMTP_BIND_ADDR', '127.0.0.2:9001', { smtpHost: '127.0.0.2', smtpPort: 9001 }],
  ['MP_WEBROOT', '/q/mailpit/', { webroot: '/q/mailpit' }],
  ['MP_WEBROOT', '/', { webroot: null }],
  ['MP_UI_AUTH', 'ada:secret', { httpUsers: ['ada:secret'] }],
  ['MP_SMTP_AUTH', 'jane:secret ron:pass2', { smtpUsers: ['jane:secret', 'ron:pass2'] }],
  ['MP_SMTP_AUTH_ACCEPT_ANY', '1', { smtpUsers: null, smtpAuth: 'any', notes: [] }],
  ['MP_SEND_API_AUTH', 'ada:secret', { sendUsers: ['ada:secret'] }],
  ['MP_SEND_API_AUTH_ACCEPT_ANY', 'true', { sendUsers: [] }],
  ['MP_SMTP_TLS_CERT', 'sans:localhost,mail.x', { tlsNames: ['localhost', 'mail.x'], starttls: 'on', tlsCert: null }],
  ['MP_SMTP_REQUIRE_TLS', '1', { smtpTls: 'implicit' }],
  ['MP_SMTP_REQUIRE_TLS', '0', { smtpTls: 'optional' }],
  ['MP_SMTP_REQUIRE_STARTTLS', 'true', { smtpTls: 'required' }],
  ['MP_SMTP_RELAY_HOST', 'relay.test', { relay: 'smtp://relay.test:25?ignoreTLS=true', autoRelay: [] }],
  ['MP_WEBHOOK_URL', 'http://a.test/x', { mailWebhook: { url: 'http://a.test/x', everySeconds: 1, delaySeconds: 0 } }],
  ['MP_WEBHOOK_URL', 'ftp://a.test/x', { mailWebhook: null, notes: [expect.stringMatching(/^MP_WEBHOOK_URL is no/)] }],
  ['MP_ENABLE_PROMETHEUS', 'true', { notes: [] }],
  ['MP_ENABLE_PROMETHEUS', '0.0.0.0:9090', { notes: [expect.stringMatching(/have no port of their own/)] }],
  ['MP_SMTP_RELAY_ALL', 'true', { autoRelay: [], notes: [expect.stringMatching(/need MP_SMTP_RELAY_HOST/)] }],
  ['MP_SMTP_FORWARD_HOST', 'f.test', { autoRelay: [], notes: [expect.stringMatching(/need each other/)] }],
  ['MAILDEV_AUTO_RELAY', 'true', { autoRelay: [], notes: [expect.stringMatching(/needs MAILDEV_OUTGOING_HOST/)] }],
  ['MP_ENABLE_SPAMASSASSIN', '127.0.0.1:783', { spamd: { host: '127.0.0.1', port: 783 } }],
  ['MP_SMTP_DISABLE_RDNS', 'true', { notes: [] }],
  ['MP_DISABLE_VERSION_CHECK', 'true', { notes: [] }],
  ['MP_ENABLE_CHAOS', 'true', { notes: [] }],
  ['MP_LABEL', 'Shop', { label: 'Shop', tagging: { xTags: true, plusAddresses: true, searches: [] } }],
  ['MP_MAX_MESSAGES', '100', { maxMessages: 100, notes: [] }],
  ['MP_MAX_MESSAGES', '0', { maxMessages: null, notes: [] }],
  ['MP_MAX_MESSAGES', 'many', { maxMessages: null, notes: [expect.stringContaining('many is no number')] }],
  ['MP_MAX_AGE', '2d', { maxAgeMs: 2 * 86_400_000 }],
  ['MP_MAX_AGE', '2w', { maxAgeMs: null, notes: [expect.stringContaining('MP_MAX_AGE=2w is no time')] }],
  ['MP_UI_TLS_CERT', 'sans:ui.test', { https: 'on', tlsNames: ['ui.test'], starttls: 'off', notes: [] }],
  [
    'MP_ALLOWED_HOSTS',
    'http://a.test:80, b.test [::1]:8025 HTTPS://c.test/',
    { allowedHosts: ['a.test', 'b.test', '[::1]', 'c.test'], notes: [] },
  ],
  ['MP_ENABLE_RSPAMD', '127.0.0.1:11334', { notes: [expect.stringContaining('MP_ENABLE_RSPAMD')] }],
  ['MP_SMTP_RELAY_SUBJECT_PREFIX', '[test]', { notes: [expect.stringContaining('MP_SMTP_RELAY_SUBJECT_PREFIX')] }],
  ['MP_API_CORS', 'https://app.test:3000/, B.test', { allowedOrigins: ['app.test:3000', 'b.test'], notes: [] }],
  ['MP_API_CORS', 'https://app.test:3000', { allowedOrigins: ['app.test:3000'], notes: [] }],
  ['MP_API_CORS', 'HTTP://a.test,http://b.test', { allowedOrigins: ['a.test', 'b.test'], notes: [] }],
  ['MP_API_CORS', 'a*b', { allowedOrigins: [], notes: [expect.stringContaining('a*b is no origin')] }],
  ['MP_SMTP_MAX_RECIPIENTS', '3', { recipients: { most: 3, allowed: null, dropsOthers: false } }],
  [
    'MP_SMTP_MAX_RECIPIENTS',
    '-5',
    { recipients: { most: 1_000 }, notes: [expect.stringContaining('-5 is no number')] },
  ],
  ['MP_SMTP_ALLOWED_RECIPIENTS', '(?i)@a\\.test$', { recipients: { allowed: /@a\.test$/i, most: 1_000 } }],
  [
    'MP_SMTP_ALLOWED_RECIPIENTS',
    '(',
    { recipients: { allowed: null }, notes: [expect.stringContaining('is no regular')] },
  ],
  [
    'MP_CHAOS_TRIGGERS',
    'Sender:451:5, auth:535:100,X:1:2',
    {
      faults: [
        { stage: 'mail', action: { reply: '451 Chaos sender error' }, probability: 0.05 },
        { stage: 'auth', action: { reply: '535 Chaos authentication error' }, probability: 1 },
      ],
      notes: [expect.stringContaining('X:1:2 is no trigger')],
    },
  ],
  ['MP_POP3_AUTH', 'ada:secret', { readerUsers: ['ada:secret'], pop3Port: 1110, pop3sPort: null }],
  ['MP_POP3_BIND_ADDR', '[::]:1111', { readerUsers: null, pop3Port: null }],
  [
    'MP_TAG',
    'News,Shop=from:Shop "Big Sale=subject:\'x y\'" =x',
    {
      tagging: {
        xTags: true,
        searches: [{ tags: ['News', 'Shop'] }, { tags: ['Big Sale'] }],
      },
      notes: [expect.stringContaining('The tag rule "x" is not used: it has no tag')],
    },
  ],
  ['MP_TAGS_DISABLE', 'x-tags', { tagging: { xTags: false, plusAddresses: true } }],
  ['MP_TAGS_USERNAME', 'true', { tagging: { user: true, titleCase: false, xTags: true } }],
  ['MP_USE_MESSAGE_DATES', '1', { notes: [expect.stringMatching(/^MP_USE_MESSAGE_DATES: not done here/)] }],
  ['MP_SMTP_RELAY_ALL', 'false', { notes: [] }],
  ['MAILDEV_SMTP_PORT', '2525', { smtpPort: 2525, port: 1080, dropIn: 'maildev' }],
  ['MAILDEV_WEB_PORT', '8080', { port: 8080 }],
  ['MAILDEV_IP', '127.0.0.3', { smtpHost: '127.0.0.3' }],
  ['MAILDEV_WEB_IP', '127.0.0.3', { host: '127.0.0.3' }],
  ['MAILDEV_BASE_PATHNAME', '/mail', { webroot: '/mail' }],
  ['MAILDEV_MAIL_DIRECTORY', '/data', { dataDir: '/data/mailcap', ephemeral: false }],
  ['MAILDEV_INCOMING_SECURE', 'true', { smtpTls: 'implicit' }],
  ['MAILDEV_MAX_EMAILS', '50', { maxMessages: 50 }],
  ['MAILDEV_HTTPS', '1', { https: 'on' }],
  ['MAILDEV_SILENT', 'true', { logLevel: 'silent' }],
  ['MAILDEV_MAX_MESSAGE_SIZE', '2048', { smtpSize: 2048 }],
];

test.for(MAPPED)('%s=%s', async ([variable, value, expected]) => {
  expect(await configOf({ [variable]: value })).toMatchObject(expected);
});

describe('with a setting of another catcher', () => {
  test('nothing outlives the process and no token is asked for, unless options say otherwise', async () => {
    expect(await configOf({ MP_LABEL: 'x' })).toMatchObject({
      ...{
        auth: 'off',
        ephemeral: true,
        smtpSize: 50 * MIB,
        dropIn: 'mailpit',
        compat: expect.not.arrayContaining(['mailhog']),
      },
    });
    const own = { MP_LABEL: 'x', MAILCAP_AUTH: 'on', MAILCAP_EPHEMERAL: 'false', MAILCAP_SMTP_SIZE: '2048' };
    expect(await configOf(own)).toMatchObject({ auth: 'on', ephemeral: false, smtpSize: 2048 });
    expect(await configOf({ MP_LABEL: 'x', MAILCAP_STORE: 'postgres://u@h/db' })).toMatchObject({ ephemeral: false });
    expect(await configOf({})).toMatchObject({ auth: 'on', ephemeral: false, dropIn: null });
  });

  test('it comes before the variables of the image', async () => {
    const image = { MAILCAP_HOST: '0.0.0.0', MAILCAP_DATA_DIR: '/data' };
    expect(await configOf({ ...image, MP_UI_BIND_ADDR: '127.0.0.1:1', MP_DATABASE: '/mail/x.db' })).toMatchObject({
      ...{ host: '127.0.0.1', dataDir: '/mail/x.db.mailcap', namesDataDir: true },
    });
  });

  test('a file of users is read, and one that can’t be read or names nobody ends the start', async () => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'users');
    await writeFile(file, '# who may send\nada:secret\r\n\n  # the robot\nbob:$2y$05$abc\n');
    const { smtpUsers } = await configOf({ MP_SMTP_AUTH_FILE: file });
    expect(smtpUsers).toEqual(['ada:secret', 'bob:$2y$05$abc']);
    await writeFile(file, '# nobody\n');
    for (const variable of ['MP_SMTP_AUTH_FILE', 'MP_UI_AUTH_FILE', 'MP_SEND_API_AUTH_FILE'])
      await expect(configOf({ [variable]: file })).rejects.toThrow(ConfigError);
    await expect(configOf({ MP_UI_AUTH_FILE: join(directory, 'none') })).rejects.toThrow(
      /^MP_UI_AUTH_FILE: .* can't be read/,
    );
  });

  test('the error of a wrong user shows no password', async () => {
    await expect(configOf({ MP_UI_AUTH: 'onlyapassword' })).rejects.toThrow(/^MP_UI_AUTH: (?!.*onlyapassword)/);
  });

  test('unknown variables and flags are told in one sentence', async () => {
    const { notes } = await configOf({ MP_NEW: '1', MP_LATER: '2' }, ['--brand-new', '--smtp', '127.0.0.1:2525']);
    expect(notes).toEqual(['--brand-new, MP_NEW, MP_LATER: no setting of Mailpit that mailcap knows.']);
  });

  test('two settings without a meaning here that do the same are told together', async () => {
    const { notes } = await configOf({ MP_SMTP_RELAY_FWD_SMTP_ERRORS: '1', MP_SMTP_FORWARD_FWD_SMTP_ERRORS: 'true' });
    expect(notes).toEqual([
      expect.stringMatching(/^MP_SMTP_RELAY_FWD_SMTP_ERRORS, MP_SMTP_FORWARD_FWD_SMTP_ERRORS: not done here/),
    ]);
  });

  test('files of YAML hold tags and the relay, and one that is none ends the start', async () => {
    const directory = await temporaryDirectory();
    const at = async (name: string, text: string) => {
      await writeFile(join(directory, name), text);
      return join(directory, name);
    };
    const tags = await at('tags.yml', 'filters:\n  - match: from:shop\n    tags: Shop, Big sale\n');
    const relay = await at(
      'relay.yml',
      'host: relay.test\nport: 2525\nauth: plain\nusername: ada\npassword: p@ss\nstarttls: true\n',
    );
    expect(await configOf({ MP_TAGS_CONFIG: tags, MP_TAG: 'a=b', MP_SMTP_RELAY_CONFIG: relay })).toMatchObject({
      tagging: { searches: [{ tags: ['a'] }, { tags: ['Shop', 'Big sale'] }] },
      relay: 'smtp://ada:p%40ss@relay.test:2525?authMethod=PLAIN&requireTLS=true',
    });
    const broken = await at('x.yml', 'a: [');
    await expect(configOf({ MP_TAGS_CONFIG: broken })).rejects.toThrow(/^MP_TAGS_CONFIG: the file is no YAML/);
    await expect(configOf({ MP_TAGS_CONFIG: await at('y.yml', 'text') })).rejects.toThrow(/has no fields/);
  });

  test('mail that leaves obeys the settings of the relay and of forwarding', async () => {
    const relay = {
      ...{ MP_SMTP_RELAY_HOST: 'relay.test', MP_SMTP_RELAY_TLS: 'true', MP_SMTP_RELAY_ALLOW_INSECURE: '1' },
      ...{ MP_SMTP_RELAY_AUTH: 'cram-md5', MP_SMTP_RELAY_USERNAME: 'ada', MP_SMTP_RELAY_SECRET: 's' },
      ...{ MP_SMTP_RELAY_MATCHING: '@example\\.com$', MP_SMTP_RELAY_BLOCKED_RECIPIENTS: '^boss@' },
      ...{ MP_SMTP_RELAY_ALLOWED_RECIPIENTS: '@ok', MP_SMTP_RELAY_RETURN_PATH: 'b@x.test' },
    };
    const forward = {
      ...{ MP_SMTP_FORWARD_HOST: 'next.test', MP_SMTP_FORWARD_PORT: '2525' },
      ...{ MP_SMTP_FORWARD_TO: 'qa@x.test, ada@x.test', MP_SMTP_FORWARD_OVERRIDE_FROM: 'f@x.test' },
    };
    const config = await configOf({ ...relay, ...forward });
    expect(config.notes).toEqual([]);
    expect(config.relay).toBe('smtps://ada:s@relay.test:25?authMethod=CRAM-MD5&tls.rejectUnauthorized=false');
    const blocked = { pattern: /^boss@/, allows: false };
    const nobody = { pattern: /(?:)/, allows: false };
    expect(config.release).toEqual({
      ...{ from: null, sender: 'b@x.test' },
      rules: [nobody, { pattern: /@ok/, allows: true }, blocked],
    });
    expect(config.autoRelay).toEqual([
      {
        ...{ relay: null, to: null, from: null, sender: null },
        rules: [nobody, { pattern: /@example\.com$/, allows: true }, blocked],
      },
      {
        ...{ relay: 'smtp://next.test:2525?ignoreTLS=true', to: ['qa@x.test', 'ada@x.test'] },
        ...{ from: 'f@x.test', sender: null, rules: [] },
      },
    ]);
    const all = await configOf({ ...relay, MP_SMTP_RELAY_ALL: 'true', MP_SMTP_RELAY_BLOCKED_RECIPIENTS: '(' });
    expect(all.autoRelay).toMatchObject([{ rules: [nobody] }]);
    expect(all.notes).toEqual([expect.stringMatching(/^MP_SMTP_RELAY_BLOCKED_RECIPIENTS is no regular/)]);
  });

  test('MailDev’s rules for mail that leaves are patterns with stars, and a file that holds none sends nothing', async () => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'rules.json');
    await writeFile(file, '[{"deny":"*"},{"allow":"*@Example.com"}]');
    const env = { MAILDEV_OUTGOING_HOST: 'relay.test', MAILDEV_AUTO_RELAY_RULES: file };
    const rules = [
      { pattern: /^.*$/i, allows: false },
      { pattern: /^.*@Example\.com$/i, allows: true },
    ];
    expect(await configOf({ ...env, MAILDEV_AUTO_RELAY: 'qa@x.test' })).toMatchObject({
      autoRelay: [{ to: ['qa@x.test'], rules }],
    });
    expect(await configOf({ ...env, MAILDEV_AUTO_RELAY: 'true' })).toMatchObject({ autoRelay: [{ to: null, rules }] });
    expect(await configOf({ ...env, MAILDEV_AUTO_RELAY: 'false' })).toMatchObject({ autoRelay: [] });
    await writeFile(file, '[{"allow":7}]');
    expect(await configOf({ ...env, MAILDEV_AUTO_RELAY: '1' })).toMatchObject({
      ...{ autoRelay: [], notes: [expect.stringMatching(/is no list of rules/)] },
    });
  });

  test('HTTPS has the certificate of SMTP, and what differs is told', async () => {
    const { notes, ...config } = await configOf({
      ...{ MP_UI_TLS_CERT: '/ui.pem', MP_UI_TLS_KEY: '/ui.key', MP_SMTP_TLS_CERT: '/m.pem', MP_SMTP_TLS_KEY: '/m.key' },
    });
    expect(config).toMatchObject({ https: 'on', tlsCert: '/m.pem', tlsKey: '/m.key', starttls: 'on' });
    expect(notes).toEqual([expect.stringMatching(/^MP_UI_TLS_CERT is not used/)]);
  });
});

describe('a flag', () => {
  test.for([
    [
      ['--smtp', '[::]:1025', '--listen', '127.0.0.1:8125'],
      'mailpit',
      { smtpPort: 1025, host: '127.0.0.1', port: 8125 },
    ],
    [['-s', '127.0.0.1:1125', '-l', '127.0.0.1:8125'], 'mailpit', { smtpPort: 1125, port: 8125 }],
    [['--smtp-auth-accept-any', '--smtp=127.0.0.1:5'], 'mailpit', { smtpPort: 5 }],
    [
      ['--smtp', '1125', '--web', '8125', '--incoming-user', 'a', '--incoming-pass', 'b'],
      'maildev',
      { smtpUsers: ['a:b'] },
    ],
    [['-s', '1125', '-w', '8125'], 'maildev', { smtpPort: 1125, port: 8125 }],
    [['--smtp', '1125'], 'maildev', { smtpPort: 1125, port: 1080 }],
  ] as const)('%j is one of %s', async ([args, catcher, expected]) => {
    expect(catcherOfFlags(args)).toBe(catcher);
    expect(await configOf({}, args, catcher)).toMatchObject(expected);
  });

  test.for([[['--help']], [['--version']], [['-v']], [['--port', '1']], [['dev', '--smtp', '1']], [[]]] as const)(
    '%j is none of another catcher',
    ([args]) => {
      expect(catcherOfFlags(args)).toBeNull();
    },
  );

  test('flags that Mailpit no longer lists still mean what they did', async () => {
    const https = await configOf({}, ['--ui-ssl-cert', 'sans:ui.test', '--ui-ssl-key', 'sans:ui.test']);
    expect(https).toMatchObject({ https: 'on', tlsNames: ['ui.test'], tlsKey: null, notes: [] });
    expect(await configOf({}, ['--smtp-tls-required'])).toMatchObject({ smtpTls: 'required', notes: [] });
    // Both old names together are the certificate of SMTP, as the new ones are.
    const both = await configOf({}, ['--ui-ssl-cert', 'sans:ui.test', '--smtp-ssl-cert', 'sans:mail.test']);
    expect(both).toMatchObject({ https: 'on', starttls: 'on', tlsNames: ['mail.test'], notes: [] });
  });

  test.each(['bad', ':abc', '127.0.0.1'])('--listen %s ends the start, as in Mailpit', async (value) => {
    await expect(configOf({}, ['--listen', value])).rejects.toThrow(`${value} is no address and port to listen on`);
  });

  test('a socket of Unix is told, and not used', async () => {
    const { notes, port } = await configOf({ MP_UI_BIND_ADDR: 'unix:/run/mailpit.sock:666' });
    expect({ notes, port }).toEqual({ notes: [expect.stringContaining('so it is not used')], port: 8025 });
  });

  test('it comes before a variable', async () => {
    const args = ['--listen', '127.0.0.1:1'];
    expect(await configOf({ MP_UI_BIND_ADDR: '127.0.0.1:2' }, args)).toMatchObject({ port: 1 });
  });
});

test('a variable that merely begins like one of another catcher starts nothing in its place', () => {
  expect(catcherOfVariables({ MP_API_KEY: 'x', MP_LABEL: '' })).toBeNull();
});

test.for(Object.keys(CATCHERS) as CatcherName[])('the table of %s names each variable and flag once', (name) => {
  const { settings, prefix } = CATCHERS[name];
  const variables = settings.flatMap(({ variable }) => variable?.split(' ') ?? []);
  const flags = settings.flatMap(({ flag }) => flag?.split(' ') ?? []);
  expect(new Set(variables).size).toBe(variables.length);
  expect(new Set(flags).size).toBe(flags.length);
  expect(variables.filter((variable) => !variable.startsWith(prefix))).toEqual([]);
});
