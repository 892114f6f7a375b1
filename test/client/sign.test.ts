import { createHmac, timingSafeEqual } from 'node:crypto';
import { verify as verifyGitHub } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { expect, test } from 'vitest';
import { OptionError, type SignatureScheme, sign } from '../../src/client/index.ts';
import { loadHmac, verifySignature } from '../../src/client/webhook/signature.ts';
import { SCHEME_NAMES } from '../../src/webhooks/schemes.ts';
import { propertyRuns } from '../support/night.ts';

const hmac = await loadHmac();
const BODY = '{"id":"evt_1","object":"event","text":"größer 🚀"}';
const SECRET = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`;

test("Stripe's constructEvent takes the signature", async () => {
  const headers = await sign({ scheme: 'stripe', secret: SECRET, body: BODY });
  const { webhooks } = new Stripe('sk_test_none');
  const event = webhooks.constructEvent(BODY, headers['Stripe-Signature'] ?? '', SECRET);
  expect(event).toMatchObject({ id: 'evt_1' });
  const old = await sign({ scheme: 'stripe', secret: SECRET, body: BODY, timestamp: '2020-01-01T00:00:00Z' });
  expect(() => webhooks.constructEvent(BODY, old['Stripe-Signature'] ?? '', SECRET)).toThrow(/tolerance/);
});

test("Octokit's verify takes the signature", async () => {
  const { 'X-Hub-Signature-256': signature = '' } = await sign({ scheme: 'github', secret: 'secret', body: BODY });
  expect(await verifyGitHub('secret', BODY, signature)).toBe(true);
  expect(await verifyGitHub('another', BODY, signature)).toBe(false);
});

test('the libraries of Standard Webhooks and of Svix take the signatures', async () => {
  const standard = await sign({ scheme: 'standard-webhooks', secret: SECRET, body: BODY, id: 'msg_1' });
  expect(new StandardWebhook(SECRET).verify(BODY, standard)).toEqual(JSON.parse(BODY));
  expect(standard['webhook-id']).toBe('msg_1');
  const svix = await sign({ scheme: 'svix', secret: SECRET, body: BODY });
  expect(new SvixWebhook(SECRET).verify(BODY, svix)).toEqual(JSON.parse(BODY));
  expect(() => new SvixWebhook(SECRET).verify(`${BODY} `, svix)).toThrow();
});

test('the signature of Slack follows its rule, and so does that of Shopify', async () => {
  const at = new Date('2026-11-20T15:55:21Z');
  const headers = await sign({ scheme: 'slack', secret: 'secret', body: BODY, timestamp: at });
  const seconds = String(at.getTime() / 1_000);
  const wanted = `v0=${createHmac('sha256', 'secret').update(`v0:${seconds}:${BODY}`).digest('hex')}`;
  expect(headers).toEqual({ 'X-Slack-Request-Timestamp': seconds, 'X-Slack-Signature': wanted });
  const { 'X-Shopify-Hmac-Sha256': shopify = '' } = await sign({ scheme: 'shopify', secret: 'secret', body: BODY });
  const mine = createHmac('sha256', 'secret').update(BODY).digest();
  expect(timingSafeEqual(Buffer.from(shopify, 'base64'), mine)).toBe(true);
});

test('verify() accepts what sign() signed, by every scheme and for any bytes, and refuses other bytes', async () => {
  const own: SignatureScheme = { header: 'X-Sig', algorithm: 'sha512', encoding: 'base64', prefix: 'v=' };
  const schemes = fc.constantFrom<SignatureScheme>(...SCHEME_NAMES, own);
  await fc.assert(
    fc.asyncProperty(schemes, fc.uint8Array({ maxLength: 200 }), async (scheme, body) => {
      const headers = await sign({ scheme, secret: SECRET, body });
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const verified = (rawBody: Uint8Array) =>
        verifySignature({ headers: lower, rawBody, receivedAt: new Date() }, scheme, SECRET, hmac);
      expect(verified(body)).toEqual({ ok: true });
      expect(verified(Uint8Array.of(...body, 1)).ok).toBe(false);
    }),
    { numRuns: propertyRuns(200) },
  );
});

test.each([
  [{ scheme: 'nobody' }, 'There is no scheme "nobody"'],
  [{ secret: '' }, 'The secret is empty'],
  [{ secret: 17 }, 'The secret must be a string.'],
  [{ scheme: 'svix', secret: 'whsec_hidden!' }, 'The secret of Svix must be base64'],
  [{ body: { id: 1 } }, 'The body must be a string or bytes; it is an object'],
  [{ timestamp: 'soon' }, 'timestamp must be a time'],
  [{ scheme: 'svix', secret: SECRET, id: 'a\r\nb: c' }, 'The id must be 1 to 200 ASCII characters without spaces'],
  [{ scheme: { header: 'a\r\nb' } }, '"a\\r\\nb" is not a name of a header'],
  [{ scheme: { header: 'a', prefix: 'x\ny' } }, 'The header a is not one line of ASCII'],
  [{ secrte: 'x' }, 'has no "secrte"'],
])('sign refuses %j with a sentence that holds no secret', async (given, sentence) => {
  const made = sign({ scheme: 'stripe', secret: 'secret', body: BODY, ...given } as Parameters<typeof sign>[0]);
  const error: unknown = await made.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OptionError);
  expect(String(error)).toContain(sentence);
  expect(String(error)).not.toContain('hidden');
});
