import { isObject } from '../../text/unknown.ts';
import type { JsonSchema } from './components.ts';
import { resolve } from './components.ts';

// This module makes example answers from schemas. The name of a field decides its example, else its type.

const AT = '2026-11-20T15:55:21.123+00:00';
const LATER = '2026-11-20T15:55:30.000+00:00';

const BY_NAME: Readonly<Record<string, unknown>> = {
  id: '01KAH7R6N3C6PMX5S7HAJ4VQ8D',
  workspaceId: '01KAH7QZ0M8F3J9W2T5V6X7Y8Z',
  mailboxId: '01KAH7R0ZD6E4N1KX3M5P7R9S2',
  messageId: '01KAH7R6N3C6PMX5S7HAJ4VQ8D',
  webhookId: '01KAH7S2B4C6D8E0F2G4H6J8K0',
  endpointId: '01KAH7S2B4C6D8E0F2G4H6J8K0',
  outboundSendId: '01KAH7T9Q1R3S5T7V9W1X3Y5Z7',
  ...{ groupId: null, name: 'Sign up', subdomain: 'sign-up', address: '*@sign-up.mailcap.example.com' },
  ...{
    retentionDays: 30,
    maxRetentionDays: 90,
    dailyInboundUsed: 3,
    messageCount: 3,
    unreadCount: 1,
    sizeBytes: 1_824,
  },
  ...{ from: 'Shop <hello@shop.example>', to: 'ada@sign-up.mailcap.example.com', cc: null, bcc: null, replyTo: null },
  ...{
    subject: 'Your code is 481920',
    textBody: 'Your code is 481920.',
    htmlBody: '<p>Your code is <b>481920</b>.</p>',
  },
  ...{ headersJson: '{"subject":"Your code is 481920"}', spfResult: 'none', envelopeFrom: 'bounces@shop.example' },
  ...{ remoteIp: '127.0.0.1', sourceIp: '127.0.0.1', clientAddress: '127.0.0.1', clientPort: 50_412 },
  ...{ filename: 'invoice.pdf', contentType: 'application/pdf', contentId: null, attachmentCount: 1 },
  ...{ recipient: 'ada@elsewhere.example', recipientCount: 1, code: '481920', expiresAt: LATER, expiresInSeconds: 9 },
  ...{ key: 'svc_live_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE', requestCount: 1, total: 1, page: 1, pageSize: 50 },
  ...{ method: 'POST', path: '/orders/42', query: 'paid=true', responseStatus: 200, responseBody: '' },
  ...{
    bodyText: '{"paid":true}',
    forwardHttpStatus: null,
    forwardUrl: null,
    forwardError: null,
    forwardResponse: null,
  },
  ...{
    forwardAttempts: 0,
    forwardedAt: null,
    responseContentType: null,
    version: '0.1.0',
    mailDomain: 'mailcap.example.com',
  },
  ...{ host: 'cdn.shop.example', kinds: ['images', 'styles'], allowed: ['images'] },
  ...{ transcript: ['S: 220 mailcap.example.com ESMTP mailcap', 'C: EHLO app.example'] },
  ...{ addresses: ['alice@email.com', '*@acme.test'] },
  ...{ smtp: { url: 'smtp://sign-up:any@127.0.0.1:1025', host: '127.0.0.1', port: 1_025, user: 'sign-up' } },
  ...{
    url: 'http://127.0.0.1:8025',
    apiUrl: 'http://127.0.0.1:8025/v1',
    webhookBaseUrl: 'http://127.0.0.1:8025/hooks',
  },
  ...{ smtpUrl: 'smtp://127.0.0.1:1025', smtpHost: '127.0.0.1', smtpPort: 1_025 },
  ...{ feedUrl: 'ws://127.0.0.1:8025/_mailcap/feed', walletCents: 1_000, plan: 'business', limits: 'cloud' },
  ...{
    domain: 'shop.example',
    label: 'Shop:ada',
    issuer: 'Shop',
    period: 30,
    helo: 'app.example',
    user: null,
    tls: null,
  },
  ...{ mailFrom: 'bounces@shop.example', parseError: null, written: '481 920', tracker: null, rank: 1 },
  ...{ reason: 'stands after "code is"', text: 'Confirm', reply: '550 5.1.1 No such mailbox here', lastReply: null },
  ...{ offsetSeconds: 0, attempts: 1, nextAttemptAt: null, revokedAt: null, closedAt: AT, lastRefusal: null },
  ...{ complete: true, next: null, deleted: 3, updated: 3, skipped: 0 },
  ...{ read: false, starred: false, tags: ['spring'] },
  ...{ status: 'ok', probability: null, times: 2, applied: 1, remaining: 1, accepted: 1, leftOut: 0, sawLeftOut: 0 },
};

/** Returns a typical value that the schema allows. */
export function sampleOf(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>, name = ''): unknown {
  const {
    type,
    enum: choices,
    const: only,
    properties,
    items,
    anyOf,
    oneOf,
    minItems,
    minimum,
    format,
  } = resolve(schema, schemas);
  if (only !== undefined) return only;
  if (Array.isArray(choices)) return choices.includes(BY_NAME[name]) ? BY_NAME[name] : choices[0];
  const types = Array.isArray(type) ? type : [type];
  const named = BY_NAME[name];
  if (named !== undefined && types.includes(typeOf(named))) return named;
  const [first] = listOf(anyOf ?? oneOf);
  if (first !== undefined) return sampleOf(first, schemas, name);
  if (types.includes('array')) {
    const length = typeof minItems === 'number' ? Math.max(1, minItems) : 1;
    return isObject(items) ? Array.from({ length }, () => sampleOf(items, schemas, name)) : [];
  }
  if (types.includes('object')) {
    const fields = isObject(properties) ? Object.entries(properties) : [];
    return Object.fromEntries(
      fields.map(([field, one]) => [field, isObject(one) ? sampleOf(one, schemas, field) : null]),
    );
  }
  if (types.includes('string')) return format === 'date-time' ? AT : 'text';
  if (types.includes('integer') || types.includes('number'))
    return typeof minimum === 'number' ? Math.max(1, minimum) : 1;
  return types.includes('boolean') ? false : null;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' ? 'integer' : typeof value;
}

function listOf(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
