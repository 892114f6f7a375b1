import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifySignature as judge, loadHmac, type SignedRequest } from '../../src/client/webhook/signature.ts';
import type { SignatureScheme } from '../../src/webhooks/schemes.ts';
import { processorMs } from '../support/processor-time.ts';

const hmacHere = await loadHmac();

function verifySignature(request: SignedRequest, scheme: SignatureScheme, secret: string) {
  return judge(request, scheme, secret, hmacHere);
}

const AT = 1_780_000_000;
const BODY = '{"id": "evt_1", "amount": 100}';
const KEY = Buffer.from('a key of the standard');
const SECRET = `whsec_${KEY.toString('base64')}`;

function hmac(key: string | Buffer, text: string, encoding: 'hex' | 'base64' = 'hex', hash = 'sha256'): string {
  return createHmac(hash, key).update(text).digest(encoding);
}

type Sign = (body: string, at: number) => Record<string, string>;

const SCHEMES: readonly (readonly [string, SignatureScheme, string, Sign])[] = [
  [
    'stripe',
    'stripe',
    SECRET,
    (body, at) => ({ 'stripe-signature': `t=${at},v1=00,v1=${hmac(SECRET, `${at}.${body}`)}` }),
  ],
  ['github', 'github', 'secret', (body) => ({ 'x-hub-signature-256': `sha256=${hmac('secret', body)}` })],
  [
    'slack',
    'slack',
    'secret',
    (body, at) => ({
      'x-slack-request-timestamp': `${at}`,
      'x-slack-signature': `v0=${hmac('secret', `v0:${at}:${body}`)}`,
    }),
  ],
  [
    'svix',
    'svix',
    SECRET,
    (body, at) => ({
      'svix-id': 'msg_1',
      'svix-timestamp': `${at}`,
      'svix-signature': `v1,AAAA v1,${hmac(KEY, `msg_1.${at}.${body}`, 'base64')}`,
    }),
  ],
  [
    'standard-webhooks',
    'standard-webhooks',
    SECRET,
    (body, at) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${at}`,
      'webhook-signature': `v1,${hmac(KEY, `msg_1.${at}.${body}`, 'base64')}`,
    }),
  ],
  [
    'a generic HMAC',
    { header: 'X-Signature', algorithm: 'sha1', encoding: 'base64', prefix: 'sha1=' },
    'secret',
    (body) => ({ 'x-signature': `sha1=${hmac('secret', body, 'base64', 'sha1')}` }),
  ],
];

describe.each(SCHEMES)('%s', (_name, scheme, secret, sign) => {
  const verify = (headers: Record<string, string>, given = secret, body = BODY) =>
    verifySignature({ headers, rawBody: Buffer.from(body), receivedAt: new Date(AT * 1_000) }, scheme, given);

  test('a body that was signed with the secret is right', () => {
    expect(verify(sign(BODY, AT))).toEqual({ ok: true });
  });

  test('the error distinguishes another secret from a body that was serialized again', () => {
    expect(verify(sign(BODY, AT), 'whsec_YW5vdGhlcg==')).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/^secret/),
    });
    expect(verify(sign(BODY, AT), `${secret} `)).toMatchObject({ ok: expect.any(Boolean) });
    const compact = JSON.stringify(JSON.parse(BODY));
    expect(verify(sign(compact, AT))).toMatchObject({
      ok: false,
      reason: 'body: the sender signed it as JSON without white space, but sent other bytes',
    });
  });

  test('the error names a missing header', () => {
    expect(verify({})).toMatchObject({ ok: false, reason: expect.stringMatching(/^header: /) });
  });
});

test.each(
  SCHEMES.filter(([, , , sign]) => JSON.stringify(sign('', 1)).includes('"1"') || 'stripe-signature' in sign('', 1)),
)('%s: what was signed long before it came has a wrong timestamp', (_name, scheme, secret, sign) => {
  const request = { headers: sign(BODY, AT - 301), rawBody: Buffer.from(BODY), receivedAt: new Date(AT * 1_000) };
  expect(verifySignature(request, scheme, secret)).toEqual({
    ok: false,
    reason: 'timestamp: it is 301 s before the request came, and 300 s are the limit',
  });
});

const BASE64 = KEY.toString('base64');
const OTHER = Buffer.from('>>>the key before???');

test.each([
  `v1,whsec_${BASE64}`,
  `"v1,whsec_${BASE64}"`,
  `'${BASE64}'`,
  `whsec_${KEY.toString('base64url')}`,
  `v1,whsec_${OTHER.toString('base64')}|v1,whsec_${BASE64}`,
  `whsec_${OTHER.toString('base64url')} whsec_${BASE64}`,
  `"whsec_${BASE64} | whsec_${OTHER.toString('base64')}"`,
])('%j, as a dashboard shows it, is a secret of Standard Webhooks', (secret) => {
  const signature = `v1,${hmac(KEY, `msg_1.${AT}.${BODY}`, 'base64')}`;
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': `${AT}`, 'webhook-signature': signature };
  const request = { headers, rawBody: Buffer.from(BODY), receivedAt: new Date(AT * 1_000) };
  expect(verifySignature(request, 'standard-webhooks', secret)).toEqual({ ok: true });
  const changed = { ...request, rawBody: Buffer.from(`${BODY} `) };
  expect(verifySignature(changed, 'standard-webhooks', secret)).toMatchObject({ ok: false });
});

test.each(['v1,whsec_', 'whsec_%%%', `whsec_${BASE64}|whsec_!`, '""'])(
  '%j is no secret of Standard Webhooks',
  (secret) => {
    const request = { headers: {}, rawBody: Buffer.from(BODY), receivedAt: new Date(AT * 1_000) };
    expect(verifySignature(request, 'standard-webhooks', secret).reason).toMatch(/^secret: .* must be base64/);
  },
);

test('the error names white space around a secret', () => {
  const request = {
    headers: { 'x-hub-signature-256': `sha256=${hmac('secret', BODY)}` },
    rawBody: Buffer.from(BODY),
    receivedAt: new Date(0),
  };
  expect(verifySignature(request, 'github', 'secret\n').reason).toBe(
    'secret: the sender signed with the secret without the white space around it',
  );
});

describe('a wrong description of an HMAC is an error', () => {
  const signed = (value: string) => ({
    headers: { 'x-signature': value },
    rawBody: Buffer.from(BODY),
    receivedAt: new Date(0),
  });

  test.each([
    [{ header: 'X-Signature' }, `sha256=${hmac('secret', BODY)}`, "encoding: 'hex', prefix: 'sha256='"],
    [{ header: 'X-Signature' }, hmac('secret', BODY, 'base64'), "encoding: 'base64', prefix: ''"],
    [{ header: 'X-Signature', prefix: 'v1=' }, hmac('secret', BODY), "encoding: 'hex', prefix: ''"],
    [{ header: 'X-Signature' }, hmac('secret', BODY, 'hex', 'sha512'), "algorithm: 'sha512'"],
  ] as const)('is reported with the right spelling: %o', (scheme, value, hint) => {
    const { ok, reason } = verifySignature(signed(value), scheme, 'secret');
    expect(ok).toBe(false);
    expect(reason).toMatch(/^header: the signature is valid as/);
    expect(reason).toContain(hint);
    expect(verifySignature(signed(value), scheme, 'another').reason).not.toContain('right as');
  });

  test('the error shows the signature as it came', () => {
    const value = hmac('secret', BODY, 'base64');
    expect(verifySignature(signed(value), { header: 'x-signature' }, 'another').reason).toContain(value);
    expect(verifySignature(signed(hmac('secret', BODY).toUpperCase()), { header: 'x-signature' }, 'secret').ok).toBe(
      true,
    );
  });
});

test('a secret of Svix that is no base64 is an error', () => {
  const headers = { 'svix-id': 'msg_1', 'svix-timestamp': `${AT}`, 'svix-signature': 'v1,AAAA' };
  const request = { headers, rawBody: Buffer.from(BODY), receivedAt: new Date(AT * 1_000) };
  expect(verifySignature(request, 'svix', 'whsec_not base64!').reason).toMatch(
    /^secret: the part after whsec_ must be base64/,
  );
});

test('the signature of 10 MB by another secret is refused at once, without a try of other forms', () => {
  const rawBody = new Uint8Array(10_000_000).fill(0x20);
  const headers = { 'x-hub-signature-256': `sha256=${hmac('secret', 'else')}` };
  const took = Array.from({ length: 5 }, () => {
    const startedAt = processorMs();
    const { ok, reason } = verifySignature({ headers, rawBody, receivedAt: new Date(0) }, 'github', 'another');
    expect(ok).toBe(false);
    expect(reason).toMatch(
      /^secret or body: .* \(the body has 10000000 bytes, too many to look for likely mistakes\)$/,
    );
    return processorMs() - startedAt;
  });
  // It usually takes ten milliseconds. The best of five runs counts, because the machine may be busy.
  expect(Math.min(...took)).toBeLessThan(100);
});
