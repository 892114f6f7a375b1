import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test as plain } from 'vitest';
import { cloudRoutes, localRoutes } from '../../src/http/app.ts';
import { describeLocal, describe as describeRoutes, templateOf } from '../../src/http/openapi/document.ts';
import { byStatus, cloudCodes } from '../../src/http/openapi/refusals.ts';
import { cloudOperations, localOperations } from '../../src/http/operations.ts';
import { json } from '../http/support.ts';
import { checkAnswer } from '../support/answers.ts';
import { API_DOCUMENT, NOT_YET } from '../support/api-document.ts';
import { startServer, test } from '../support/mailcap.ts';

const document = describeRoutes(cloudOperations);
const localDocument = describeLocal(localOperations);
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

plain.each(cloudRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s: every code it can fail with is listed under its status',
  (_row, route) => {
    const codes = cloudCodes(route);
    const operation = document.paths[templateOf(route.path)]?.[route.method.toLowerCase()];
    for (const [status, those] of byStatus(codes)) {
      const { schema, examples = {} } = operation?.responses[status]?.content?.['application/json'] ?? {};
      expect(schema).toEqual({ $ref: '#/components/schemas/Error' });
      expect(Object.keys(examples)).toEqual(those);
    }
  },
);

const both = [document, localDocument] as const;

plain('the local document has every route of the local API and no other', () => {
  const rows = localRoutes.filter(({ path }) => path.startsWith('/_mailcap/'));
  const ofRoutes = rows.map(({ method, path }) => `${method} ${templateOf(path)}`).sort();
  const ofDocument = Object.entries(localDocument.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(ofDocument.sort()).toEqual(ofRoutes);
});

plain('no operation’s name is used twice in the two documents', () => {
  const ids = [...cloudRoutes, ...localRoutes].flatMap(({ about }) => about?.id ?? []);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

plain.each(both.map((one) => [one.info.title, one] as const))(
  '%s: every success with a JSON body has an example that its schema allows, and so has every error',
  (_title, one) => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    ajv.addSchema({ $id: 'document', ...JSON.parse(JSON.stringify(one)) });
    const isGood = (ref: string, value: unknown) => {
      const validate = ajv.getSchema(ref);
      return validate?.(value) === true
        ? []
        : [`${ref}: ${JSON.stringify(value)}: ${ajv.errorsText(validate?.errors)}`];
    };
    const complaints: string[] = [];
    let count = 0;
    for (const [path, methods] of Object.entries(one.paths)) {
      for (const [method, { responses, requestBody }] of Object.entries(methods)) {
        const at = `document#/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method}`;
        const bodies = Object.entries(responses).map(([status, { content }]) => ({
          at: `${at}/responses/${status}/content/application~1json/schema`,
          media: Number(status) < 400 ? content?.['application/json'] : undefined,
        }));
        const taken = {
          at: `${at}/requestBody/content/application~1json/schema`,
          media: requestBody?.content['application/json'],
        };
        for (const { at: ref, media } of [...bodies, taken]) {
          if (media === undefined) continue;
          count++;
          complaints.push(...isGood(ref, media.example));
        }
      }
    }
    for (const { value } of Object.values(one.components.examples)) {
      complaints.push(...isGood('document#/components/schemas/Error', value));
    }
    expect(complaints).toEqual([]);
    expect(count).toBeGreaterThan(15);
  },
);

plain('the error is one object, whose fields say with which code they come', () => {
  const { Error: error } = document.components.schemas;
  expect(error).toMatchObject({
    properties: { max: { type: 'integer', format: 'int32', description: 'With invalid_retention' } },
    required: ['error'],
  });
  expect(JSON.stringify(document).match(/"enum":\["invalid_|"enum":\["unauthorized/g) ?? []).toHaveLength(1);
});

// What code generators do not take: docs/api.md#openapi-documents.
plain.each(both.map((one) => [one.info.title, one] as const))('%s: generators take every schema', (_title, one) => {
  const text = JSON.stringify(one, (name, value: unknown) => (name.startsWith('example') ? undefined : value));
  const types = [...text.matchAll(/"type":(\[[^\]]*\])/g)].map(([, list = '']) => JSON.parse(list) as string[]);
  expect(types.length).toBeGreaterThan(5);
  expect(types.filter((list) => list.filter((type) => type !== 'null').length !== 1)).toEqual([]);
  expect(text).not.toMatch(/"oneOf"|"prefixItems"|"const":(?:true|false|\d)/);
  // The format says what a time looks like.
  expect(text).toContain('"format":"date-time"');
  expect(text.match(/"format":"date-time","pattern":.{20}/g)).toBeNull();
});

plain('no operation is named as a generator names what belongs to another one', () => {
  const ids = [...cloudRoutes, ...localRoutes].flatMap(({ about }) => about?.id ?? []);
  const derived = ids.flatMap((id) => ['Request', 'Async', 'WithHttpInfo', 'AsyncWithHttpInfo'].map((end) => id + end));
  expect(ids.length).toBeGreaterThan(90);
  expect(ids.filter((id) => derived.includes(id))).toEqual([]);
});

plain('codes that the API document does not name are marked as local, others are not', () => {
  const responses = document.paths['/v1/workspaces/{workspaceId}/mailboxes']?.['post']?.responses ?? {};
  expect(responses['409']?.['x-local']).toBeUndefined();
  expect(responses['404']?.['x-local']).toBeUndefined();
  expect(responses['413']?.['x-local']).toEqual(['payload_too_large']);
  expect(responses['400']?.['x-local']).toEqual(['invalid_body', 'invalid_idempotency_key']);
  const listed = document.paths['/v1/mailboxes/{mailboxId}/messages']?.['get']?.responses['400'];
  expect(listed?.['x-local']).toEqual(['invalid_limit', 'invalid_before']);
  expect(document.components.responses['MethodNotAllowed']?.['x-local']).toEqual(['method_not_allowed']);
});

plain('forwardMode names what it takes', () => {
  const properties = document.components.schemas['UpsertWebhookDto']?.['properties'];
  expect(properties).toHaveProperty('forwardMode.enum', ['off', 'async', 'sync', null]);
  expect(properties).toHaveProperty('responseStatus.minimum', 200);
  expect(properties).toHaveProperty('responseStatus.maximum', 599);
});

test('GET /_mailcap/openapi.json is a valid OpenAPI 3.1 document of the local API', async ({ mailcap }) => {
  const served = await json<Record<string, unknown>>(fetch(`${mailcap.url}/_mailcap/openapi.json`));
  expect(served).toEqual({ ...JSON.parse(JSON.stringify(localDocument)), servers: [{ url: mailcap.url }] });
  const { valid, errors } = await new Validator().validate(served);
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

plain(
  'CreateMailboxRequest is plain: every field optional and nullable, none with a default, each with its limits',
  () => {
    const text = { type: ['string', 'null'] };
    expect(document.components.schemas['CreateMailboxRequest']).toMatchObject({
      type: 'object',
      properties: {
        name: { ...text, minLength: 1, maxLength: 100 },
        subdomain: { ...text, maxLength: 63, pattern: expect.any(String) },
        retentionDays: { type: ['integer', 'null'], format: 'int32', minimum: 1 },
        groupId: { ...text, pattern: expect.any(String) },
      },
    });
    expect(JSON.stringify(document.components.schemas)).not.toContain('"default"');
    expect(document.components.schemas['CreateMailboxRequest']).not.toHaveProperty('required');
  },
);

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
    ['mailboxId', 'path', { type: 'string', pattern: expect.any(String) }],
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
  [
    'a code that is not listed',
    { error: 'invalid_limit' },
    { status: 429, headers: HEADERS },
    'listed are rate_limited',
  ],
])('an answer with %s is not let pass', async (_what, body, init, complaint) => {
  const answer = (value: unknown, given: ResponseInit) => new Response(JSON.stringify(value), given);
  await checkAnswer('GET', '/v1/mailboxes', answer([MAILBOX], { headers: HEADERS }));
  await expect(checkAnswer('GET', '/v1/mailboxes', answer(body, init))).rejects.toThrow(complaint);
});
