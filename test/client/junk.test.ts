import { describe, expect } from 'vitest';
import { CLOUD_OPERATIONS, LOCAL_OPERATIONS, type Operation } from '../../src/client/connection/operations.ts';
import { createClient, findServer, MailcapError, OptionError } from '../../src/client/index.ts';
import { test as base } from '../support/mailcap.ts';
import { byDay } from '../support/night.ts';
import { failure, testsOf } from './modes.ts';

/** Values that are never valid, for any parameter. */
const ALL_JUNK: readonly unknown[] = [
  null,
  5,
  Number.NaN,
  10n,
  true,
  Symbol('junk'),
  /junk/,
  [],
  ['junk'],
  new Date(Number.NaN),
  new URL('http://x.test'),
  Promise.resolve({}),
  Object.create(null, { junk: { value: 1, enumerable: true } }),
  { junk: 1 },
  { timeout: 'junk' },
  { signal: {} },
  { signal: null },
  '\ud800',
  () => false,
];
/** By day every third, null, a text and a function. An empty array is among them, which one call takes. */
const JUNK = byDay(ALL_JUNK, (_junk, at) => at % 3 === 1 || at === 0 || at >= 17);

type Call = (...args: unknown[]) => unknown;

/** Calls a function with junk. Returns the error, or null if the call succeeded. */
async function ending(call: Call, args: readonly unknown[]): Promise<unknown> {
  try {
    await call(...args);
    return null;
  } catch (error) {
    return error;
  }
}

interface Walk {
  readonly of: object;
  /** Valid arguments for each call. Junk of the same primitive type as a valid text or number is skipped. */
  readonly calls: Readonly<Record<string, readonly unknown[]>>;
}

/**
 * Makes every call with junk in place of each argument. Returns a line for each call that did not throw a MailcapError.
 */
async function wrongEndings({ of, calls }: Walk): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, args] of Object.entries(calls)) {
    const call = Reflect.get(of, name);
    for (const [at, fine] of args.entries()) {
      for (const junk of JUNK) {
        if (typeof junk === typeof fine && (typeof fine === 'string' || typeof fine === 'number')) continue;
        const given = args.map((arg, i) => (i === at ? junk : arg));
        const error = await ending(call.bind(of), given);
        if (!(error instanceof MailcapError)) wrong.push(`${name}, argument ${at}, ${shown(junk)}: ${error}`);
      }
    }
  }
  return wrong;
}

function shown(junk: unknown): string {
  const text = Object.prototype.toString.call(junk);
  return typeof junk === 'object' && junk !== null ? `${text} ${Object.keys(junk)}` : `${text} ${String(junk)}`;
}

const OPTIONS = { timeout: 2_000 };
const WAIT = { timeout: 50 };

const test = testsOf('local');
const cloud = testsOf('cloud');

const HANDLE = {
  addressFor: ['ada'],
  waitForMessage: [{}, WAIT],
  waitForMessages: [1, {}, WAIT],
  waitForCode: [{}, WAIT],
  waitForLink: [{}, WAIT],
  waitForSms: [{}, WAIT],
  expectNoMessage: [{}, { for: 1 }],
  peek: [{}, WAIT],
  messages: [{}, OPTIONS],
  send: [{ to: 'a@x.test' }, OPTIONS],
  sendSms: [{ to: '+15005550006', body: 'HELP' }],
  clear: [OPTIONS],
  delete: [OPTIONS],
};

const MESSAGE = { checks: [{}], code: [{}], link: [{}], click: [{}] };

const WEBHOOK = {
  respond: [{ status: 200 }, OPTIONS],
  waitForRequest: [{}, WAIT],
  waitForRequests: [1, {}, WAIT],
  expectNoRequest: [{}, { for: 1 }],
  requests: [{}, OPTIONS],
  delete: [OPTIONS],
};

/** The calls of a client that are no operations. */
const OWN = {
  addFault: [{}, OPTIONS],
  // Nothing listens on the port of the discard protocol.
  sendWebhook: ['http://127.0.0.1:9', { event: 'push', secret: 'x', ...OPTIONS }],
  mailbox: [{}],
  webhook: [{}],
  authenticator: [{ secret: 'GEZDGNBV' }],
};
const WITHOUT_ARGUMENTS = ['hasLocalApi', 'server', 'workspaceId', 'local'];

/** A valid body and a valid query, where an empty object is none. */
const FINE: Readonly<Record<string, { readonly body?: unknown; readonly query?: object }>> = {
  createMailbox: { body: { name: 'x' } },
  claimAddresses: { body: [] },
  setResponses: { body: [] },
  putMessage: { body: 'Subject: x' },
  releaseMessage: { body: { to: 'a@x.test' } },
  markMessage: { body: { read: true } },
  markMessages: { body: { ids: [], read: true } },
  deleteFoundMessages: { query: { query: 'x' } },
  awaitClock: { query: { until: new Date(0) } },
  awaitWorkspaceClock: { query: { until: new Date(0) } },
};

/** Operations for which some junk is valid, such as null for the clock or an empty list of rules. */
const OF_THE_SERVER = ['reset', 'createWorkspace', 'setClock', 'setWorkspaceClock', 'setFaults'];

/** Returns valid arguments for the operations of one API. Ids are texts. */
function argumentsOf(operations: Readonly<Record<string, Operation>>): Record<string, unknown[]> {
  const own = Object.entries(operations).filter(([id]) => !OF_THE_SERVER.includes(id));
  return Object.fromEntries(
    own.map(([id, { path, takes, asks }]) => [
      id,
      [
        ...(path.replace('{workspaceId}', '').match(/\{\w+\}/g) ?? []).map(() => 'id'),
        ...(takes === undefined ? [] : [FINE[id]?.body ?? {}]),
        ...(asks ? [FINE[id]?.query ?? {}] : []),
        OPTIONS,
      ],
    ]),
  );
}

describe('junk for any argument is a MailcapError', () => {
  test('of the API and of the local API', async ({ stage }) => {
    const { client } = stage;
    const calls = { ...argumentsOf(CLOUD_OPERATIONS), ...OWN };
    expect(await wrongEndings({ of: client, calls })).toEqual([]);
    expect(Object.keys(client).sort()).toEqual([...Object.keys(calls), ...WITHOUT_ARGUMENTS, 'setClock'].sort());
    const local = argumentsOf(LOCAL_OPERATIONS);
    expect(await wrongEndings({ of: client.local, calls: local })).toEqual([]);
    expect(Object.keys(client.local).sort()).toEqual([...Object.keys(local), ...OF_THE_SERVER].sort());
  }, 180_000);

  for (const [mode, its] of [
    ['local', test],
    ['cloud', cloud],
  ] as const) {
    its(`of handles, messages and requests (${mode})`, async ({ stage, mailbox }) => {
      await stage.put(mailbox, {}, 'Your code is 481516.');
      const [message] = await mailbox.messages();
      expect(await wrongEndings({ of: mailbox, calls: HANDLE })).toEqual([]);
      expect(namesOfCalls(mailbox)).toEqual(Object.keys(HANDLE).sort());
      expect(await wrongEndings({ of: message ?? {}, calls: MESSAGE })).toEqual([]);
      expect(namesOfCalls(message ?? {})).toEqual(
        [...Object.keys(MESSAGE), 'delete', 'open', 'raw', 'unsubscribe'].sort(),
      );

      const webhook = await stage.client.webhook();
      await fetch(webhook.url, { method: 'POST', body: '{}' });
      const request = await webhook.waitForRequest();
      const calls = { replay: [OPTIONS], verify: ['github', 'secret'] };
      expect(await wrongEndings({ of: request, calls })).toEqual([]);
      expect(namesOfCalls(request)).toEqual([...Object.keys(calls), 'curl', 'json', 'text'].sort());
      // The request has arrived already, so the call fails only because of the junk.
      await fetch(webhook.url, { method: 'POST', body: '{}' });
      expect(await wrongEndings({ of: webhook, calls: { ...WEBHOOK, respond: [[{ status: 200 }], OPTIONS] } })).toEqual(
        // A local server accepts an empty list of answers.
        mode === 'local' ? ['respond, argument 0, [object Array] : null'] : [],
      );
      expect(namesOfCalls(webhook)).toEqual(Object.keys(WEBHOOK).sort());

      const authenticator = stage.client.authenticator('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
      expect(await wrongEndings({ of: authenticator, calls: { code: [{}] } })).toEqual([]);
      expect(namesOfCalls(authenticator)).toEqual(['code']);
    });
  }
});

function namesOfCalls(of: object): string[] {
  return Object.entries(of)
    .flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))
    .sort();
}

describe('createClient', () => {
  const OF_IT = ['baseUrl', 'apiKey', 'workspaceId', 'adminToken', 'mailDomain', 'webhookBaseUrl', 'timeout', 'signal'];

  base('refuses junk, and junk for each option', async () => {
    for (const junk of JUNK) expect(() => createClient(junk as object)).toThrow(OptionError);
    for (const name of [...OF_IT, 'fetch']) {
      for (const junk of [null, {}, [], Symbol('x')]) expect(() => createClient({ [name]: junk })).toThrow(OptionError);
    }
    expect(() => createClient({ apiKey: 'a\nb' })).toThrow(OptionError);
    expect(await failure(findServer(5 as unknown as string))).toBeInstanceOf(OptionError);
  });
});

/** Removes the types of a handle. JavaScript, or a cast, can pass what the types refuse. */
const untyped = <T>(handle: T) => handle as { readonly [Name in keyof T]: Call };

describe('an invalid filter', () => {
  test.for<readonly [unknown, string]>([
    [() => false, '{ where: fn }'],
    [/no such/, '{ subject: /no such/ }'],
    ['no such', '{ subject: "no such" }'],
    [5, 'subject, from, to, body, where'],
    [[], 'subject, from, to, body, where'],
    [null, 'subject, from, to, body, where'],
  ])(
    'is refused by everything that takes one, and the error says what to write: %s',
    async ([junk, hint], { stage, mailbox }) => {
      await stage.put(mailbox);
      const handle = untyped(mailbox);
      const calls = [
        handle.waitForMessage(junk),
        handle.waitForMessages(1, junk),
        handle.waitForCode(junk),
        handle.waitForLink(junk),
        handle.expectNoMessage(junk, { for: 1 }),
        handle.messages(junk),
        handle.peek(junk),
      ];
      for (const call of calls) {
        const error = await failure(Promise.resolve(call));
        expect(error).toBeInstanceOf(OptionError);
        expect(error.message).toContain(hint);
      }
      expect(await mailbox.waitForMessage()).toMatchObject({ id: expect.any(String) });
    },
  );

  test('a link is chosen by a kind or by a filter, and other kinds are refused', async ({ stage, mailbox }) => {
    await stage.put(mailbox, {}, 'https://x.test/verify');
    const message = untyped(await mailbox.waitForMessage());
    for (const junk of [/verify/, () => false, 'confirm', { kind: 'confirm' }, 5, null])
      expect(() => message.link(junk)).toThrow(OptionError);
    expect(() => message.link('confirm')).toThrow(/must be 'verify', 'magic', 'reset'/);
    expect(() => message.code(5)).toThrow(OptionError);
    expect(await failure(mailbox.waitForLink({}, { link: 'confirm' as 'verify' }))).toBeInstanceOf(OptionError);
  });

  test('a request is chosen by a filter', async ({ stage }) => {
    const webhook = untyped(await stage.client.webhook());
    for (const call of [webhook.waitForRequest(() => false), webhook.requests(/x/), webhook.waitForRequests(1, 'x')])
      expect(await failure(Promise.resolve(call))).toBeInstanceOf(OptionError);
  });
});

describe('a call that would delete more than it names', () => {
  test.for(['.', '..'])('is refused: an id of %s leads to no other path', async (id, { stage, mailbox }) => {
    await stage.put(mailbox);
    for (const [name, args] of Object.entries(argumentsOf(LOCAL_OPERATIONS))) {
      if (args[0] !== 'id') continue;
      const call: Call = Reflect.get(stage.client.local, name);
      const error = await ending(
        call,
        args.map((arg) => (arg === 'id' ? id : arg)),
      );
      expect(error, name).toBeInstanceOf(OptionError);
    }
    expect(await mailbox.messages()).toHaveLength(1);
  });

  test.for([
    ['inherits its condition', Object.create({ query: 'subject:other' })],
    [
      'reads it by a class',
      new (class {
        get query() {
          return 'subject:other';
        }
      })(),
    ],
    ['has half of a character', { query: '\ud800' }],
  ] as const)('is refused: a query that %s', async ([_what, query], { stage, mailbox }) => {
    await stage.put(mailbox, {}, 'the sign \ufffd');
    const error = await failure(stage.client.local.clearMailbox(mailbox.id, query));
    expect(error).toBeInstanceOf(OptionError);
    expect(await mailbox.messages()).toHaveLength(1);
  });

  test('is refused: an argument behind the last one, whose signal would be ignored', async ({ stage, mailbox }) => {
    const { deleteMailbox, reset } = untyped(stage.client.local);
    const signal = AbortSignal.abort();
    for (const call of [() => deleteMailbox(mailbox.id, {}, { signal }), () => reset({}, { signal })])
      expect((await failure(Promise.resolve(call()))).message).toContain('at most');
    expect(await mailbox.messages()).toEqual([]);
  });
});

describe('where', () => {
  test.for<readonly [() => unknown, string]>([
    [async () => false, 'asynchronous'],
    [async () => Promise.reject(new Error('nobody waits for it')), 'asynchronous'],
    [() => undefined, 'Does the function have a return statement'],
    [() => 'yes', 'Boolean'],
  ])('that says neither true nor false is an error: %s', async ([said, hint], { stage, mailbox }) => {
    const where = said as () => boolean;
    // An asynchronous matcher refuses junk before any mail arrives.
    if (hint !== 'asynchronous') await stage.put(mailbox);
    for (const call of [
      mailbox.waitForMessage({ where }),
      mailbox.expectNoMessage({ where }, { for: 20 }),
      mailbox.messages({ where }),
    ]) {
      const error = await failure(call);
      expect(error).toBeInstanceOf(OptionError);
      expect(error.message).toContain(hint);
    }
    const webhook = await stage.client.webhook();
    await fetch(webhook.url);
    expect(await failure(webhook.waitForRequest({ where }))).toBeInstanceOf(OptionError);
  });
});

describe('an option or filter without a meaning', () => {
  test('is refused at once, with what to give instead', async ({ stage, mailbox }) => {
    const client = untyped(stage.client);
    const error = async (call: unknown) => (await failure(Promise.resolve(call))).message;
    expect(await error(client.mailbox(5))).toContain('An id or a subdomain, as text');
    expect(await error(client.mailbox({ name: { name: 'x' } }))).toContain('name must be a string; it is an object.');
    expect(await error(client.getMessage(undefined, 'x'))).toContain(
      'An id in /v1/mailboxes/{id}/messages/{id} must be a non-empty string; it is undefined.',
    );
    expect(() => client.authenticator('')).toThrow('base32');
    expect(() => untyped(mailbox).addressFor(undefined)).toThrow('undefined is not a valid local part');
    const request = untyped(await stage.client.webhook());
    expect(await error(request.respond(null))).toContain('respond({ status: 500 })');
  });
});
