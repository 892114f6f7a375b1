import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test as plain } from 'vitest';
import { cloudRoutes } from '../../src/http/app.ts';
import { describe as describeRoutes, templateOf } from '../../src/http/openapi/document.ts';
import { OPERATIONS } from '../../src/http/openapi/operations.ts';
import { byStatus, codesOf, REFUSALS } from '../../src/http/openapi/refusals.ts';
import { json } from '../http/support.ts';
import { checkAnswer } from '../support/answers.ts';
import { API_DOCUMENT, NOT_YET } from '../support/api-document.ts';
import { startServer, test } from '../support/mailcap.ts';

const document = describeRoutes(cloudRoutes);
const routed = cloudRoutes.map(({ method, path }) => `${method} ${templateOf(path)}`);
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

plain('the cloud API has every row of the API document and no other, in its order', () => {
  const isBuilt = (row: string) => !NOT_YET.some((beginning) => row.startsWith(beginning));
  expect(routed, 'what is built is taken from NOT_YET in api-document.ts').toEqual(API_DOCUMENT.filter(isBuilt));
});

plain('what is not yet built is a row of the API document', () => {
  const strays = NOT_YET.filter((beginning) => !API_DOCUMENT.some((row) => row.startsWith(beginning)));
  expect(strays).toEqual([]);
});

plain('openapi.json has every route and no other', () => {
  expect([...described].sort()).toEqual([...routed].sort());
});

plain('what is said of an operation is said of a row of the API document', () => {
  expect(Object.keys(OPERATIONS)).toEqual(API_DOCUMENT);
  const ids = Object.values(OPERATIONS).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

plain.each(cloudRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s: every code it can fail with is explained and listed under its status',
  (_row, { method, path, declared }) => {
    const codes = codesOf(method, path, declared.body !== undefined, declared.fails);
    expect(codes.filter((code) => REFUSALS[code] === undefined)).toEqual([]);
    const operation = document.paths[templateOf(path)]?.[method.toLowerCase()];
    for (const [status, those] of byStatus(codes)) {
      const examples = operation?.responses[status]?.content?.['application/json'].examples ?? {};
      expect(Object.keys(examples)).toEqual(those);
    }
  },
);

plain('CreateMailboxRequest is plain: every field optional and nullable, none with a default', () => {
  const text = { type: ['string', 'null'] };
  expect(document.components.schemas['CreateMailboxRequest']).toEqual({
    type: 'object',
    properties: {
      name: text,
      subdomain: text,
      retentionDays: { type: ['integer', 'null'], format: 'int32' },
      groupId: text,
    },
  });
});

plain('a choice of numbers is one integer that says what each means', () => {
  const properties = document.components.schemas['AttachmentResponse']?.['properties'];
  expect(properties).toHaveProperty('virusScanStatus', {
    type: 'integer',
    format: 'int32',
    enum: [0, 1, 2, 3, 4],
    description: '0 not scanned, 1 clean, 2 infected, 3 scan failed, 4 skipped: too large',
  });
});

plain('a parameter says its type, range and default', () => {
  const operation = document.paths['/v1/mailboxes/{mailboxId}/messages/await']?.['get'];
  const schemas = operation?.parameters.map(({ name, in: place, schema }) => [name, place, schema]);
  expect(schemas).toEqual([
    ['mailboxId', 'path', { type: 'string' }],
    ['subject', 'query', { type: 'string' }],
    ['from', 'query', { type: 'string' }],
    ['to', 'query', { type: 'string' }],
    ['since', 'query', { type: 'string', format: 'date-time' }],
    ['timeout', 'query', { type: 'integer', format: 'int32', minimum: 1, maximum: 60, default: 30 }],
  ]);
});

test('GET /openapi.json is a valid OpenAPI 3.1 document that names this server, and asks for no key', async ({
  mailcap,
}) => {
  const served = await json<Record<string, unknown>>(fetch(`${mailcap.url}/openapi.json`));
  expect(served).toEqual({ ...JSON.parse(JSON.stringify(document)), servers: [{ url: mailcap.url }] });
  const { valid, errors } = await new Validator().validate(served);
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

plain('a second server names its own address', async () => {
  await using server = await startServer();
  const { servers } = await json<{ servers: unknown }>(fetch(`${server.url}/openapi.json`));
  expect(servers).toEqual([{ url: server.url }]);
});

const HEADERS = {
  'X-Request-Id': 'a-1',
  'RateLimit-Limit': '100',
  'RateLimit-Remaining': '99',
  'RateLimit-Reset': '60',
};
const MAILBOX = {
  ...{ id: 'x', workspaceId: 'x', groupId: null, name: 'x', subdomain: 'x', retentionDays: 30, outboundEnabled: true },
  ...{ dailyInboundUsed: 0, createdAt: '2026-11-20T15:55:21.123+00:00' },
};
const { name: _name, ...NAMELESS } = MAILBOX;

plain.each<[string, unknown, ResponseInit, string]>([
  ['a field that is missing', [NAMELESS], { headers: HEADERS }, "must have required property 'name'"],
  ['a field too many', [{ ...MAILBOX, allowlist: [] }], { headers: HEADERS }, 'must NOT have additional properties'],
  ['a time that is none', [{ ...MAILBOX, createdAt: 'now' }], { headers: HEADERS }, 'must match format "date-time"'],
  ['a number too large', [{ ...MAILBOX, retentionDays: 2 ** 31 }], { headers: HEADERS }, 'must match format "int32"'],
  ['a status that is not listed', [], { status: 202, headers: HEADERS }, 'documented are 200, 401, 429, 500, 503'],
  ['a header that is missing', [], { headers: {} }, 'without the documented header X-Request-Id'],
  ['a code that is not listed', { error: 'gone' }, { status: 500, headers: HEADERS }, 'allowed values'],
])('an answer with %s is not let pass', async (_what, body, init, complaint) => {
  const answer = (value: unknown, given: ResponseInit) => new Response(JSON.stringify(value), given);
  await checkAnswer('GET', '/v1/mailboxes', answer([MAILBOX], { headers: HEADERS }));
  await expect(checkAnswer('GET', '/v1/mailboxes', answer(body, init))).rejects.toThrow(complaint);
});
