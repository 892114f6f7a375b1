import { describe, expect, test } from 'vitest';
import {
  type ApiKey,
  bearerKey,
  canReadAuthenticator,
  canReadMailbox,
  canUseWebhooks,
  hashKey,
  parseScopes,
  writeKey,
} from '../../src/domain/api-key.ts';
import type { AuthenticatorId, KeyId, MailboxId, WorkspaceId } from '../../src/domain/ids.ts';

test('a key is svc_live_ and 43 characters of base64url', () => {
  expect(writeKey(new Uint8Array(32).fill(255))).toMatch(/^svc_live_[A-Za-z0-9_-]{43}$/);
});

test('the server keeps only its SHA-256', () => {
  expect(hashKey('svc_live_abc')).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['Bearer svc_live_abc', 'svc_live_abc'],
  ['bearer svc_live_abc', 'svc_live_abc'],
  ['Bearer   svc_live_abc', 'svc_live_abc'],
  [undefined, null],
  ['', null],
  ['svc_live_abc', null],
  ['Basic svc_live_abc', null],
  ['Bearer', null],
  ['Bearer abc', null],
  ['Bearer svc_live_', null],
  ['Bearer svc_live_a b', null],
  ['Bearer svc_live_ä', null],
  [`Bearer svc_live_${'a'.repeat(201)}`, null],
])('the key of %j is %j', (header, key) => {
  expect(bearerKey(header)).toBe(key);
});

// Scopes compare ids as texts, so any text is good enough here.
const OWN = 'W1' as WorkspaceId;
const BOX = 'M1' as MailboxId;

function key(mailboxes: ApiKey['scopes']['mailboxes']): ApiKey {
  const scopes = { mailboxes, authenticators: 'all' as const, webhooks: 'all' as const };
  return {
    id: 'K1' as KeyId,
    workspaceId: OWN,
    name: '',
    hash: '',
    scopes,
    seeded: false,
    createdAt: 0,
    revokedAt: null,
  };
}

test.each([
  ['all mailboxes of the workspace', 'all' as const, { id: BOX, workspaceId: OWN }, true],
  ['none of another workspace', 'all' as const, { id: BOX, workspaceId: 'W2' as WorkspaceId }, false],
  ['those of an explicit set', [BOX], { id: BOX, workspaceId: OWN }, true],
  ['no others of the workspace', [BOX], { id: 'M2' as MailboxId, workspaceId: OWN }, false],
  ['none with an empty set', [], { id: BOX, workspaceId: OWN }, false],
  ['none of another workspace in the set', [BOX], { id: BOX, workspaceId: 'W2' as WorkspaceId }, false],
])('a key reads %s', (_what, mailboxes, mailbox, readable) => {
  expect(canReadMailbox(key(mailboxes), mailbox)).toBe(readable);
});

const TOTP = 'A1' as AuthenticatorId;

test.each([
  ['all authenticators of the workspace', 'all' as const, { id: TOTP, workspaceId: OWN }, true],
  ['none of another workspace', 'all' as const, { id: TOTP, workspaceId: 'W2' as WorkspaceId }, false],
  ['those of an explicit set', [TOTP], { id: TOTP, workspaceId: OWN }, true],
  ['no others of the workspace', [TOTP], { id: 'A2' as AuthenticatorId, workspaceId: OWN }, false],
  ['none with an empty set', [], { id: TOTP, workspaceId: OWN }, false],
  ['none of another workspace in the set', [TOTP], { id: TOTP, workspaceId: 'W2' as WorkspaceId }, false],
])('a key reads codes of %s', (_what, authenticators, authenticator, readable) => {
  const scoped = { ...key([]), scopes: { mailboxes: [], authenticators, webhooks: 'all' as const } };
  expect(canReadAuthenticator(scoped, authenticator)).toBe(readable);
});

describe('scopes', () => {
  const ID = '01JD5Z3V8W0123456789ABCDEF';

  test.each([
    [{}, {}],
    [{ mailboxes: 'all', authenticators: [] }, { authenticators: [] }],
    [{ mailboxes: [ID.toLowerCase(), ID] }, { mailboxes: [ID] }],
    [{ mailboxes: null, webhooks: null }, {}],
    [{ webhooks: 'all' }, {}],
    [{ webhooks: 'none' }, { webhooks: 'none' }],
  ])('%j are all but %j', (value, scopes) => {
    expect(parseScopes(value)).toEqual({ mailboxes: 'all', authenticators: 'all', webhooks: 'all', ...scopes });
  });

  test.each([
    ['all', true],
    ['none', false],
    // A key of an earlier version.
    [undefined, true],
  ] as const)('with %s webhooks the key may use them: %s', (webhooks, may) => {
    const scopes = { ...key('all').scopes, ...(webhooks === undefined ? {} : { webhooks }) };
    expect(canUseWebhooks({ ...key('all'), scopes })).toBe(may);
  });

  test.each([
    ['all'],
    [null],
    [[]],
    [{ mailboxes: ID }],
    [{ mailboxes: ['x'] }],
    [{ authenticators: [1] }],
    [{ mailboxes: {} }],
  ])('%j are none', (value) => {
    expect(parseScopes(value)).toBeNull();
  });
});
