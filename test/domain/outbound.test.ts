import { expect, test } from 'vitest';
import { debit } from '../../src/domain/check-send.ts';
import type { WorkspaceId } from '../../src/domain/ids.ts';
import { allowlistMatcher, isVerified, parseIdentityDomain, simulated } from '../../src/domain/outbound.ts';
import {
  laneOf,
  MAX_ATTEMPTS,
  recipientAfterAttempt,
  retryDelayMs,
  type SendRecipient,
  stateOf,
} from '../../src/domain/send.ts';
import { enhancedStatusOf } from '../../src/domain/smtp.ts';

const MAIL_DOMAIN = 'mailcap.example.com';

test.each([
  ['a@example.com', ['*.example.com'], true],
  ['a@sub.example.com', ['*.example.com'], true],
  ['a@deep.sub.EXAMPLE.com', ['*.example.com'], true],
  ['a@notexample.com', ['*.example.com'], false],
  ['a@example.com.evil.test', ['*.example.com'], false],
  ['a@com', ['*.example.com'], false],
  ['a@example.com', ['*@example.com'], true],
  ['"a b"@EXAMPLE.com', ['*@Example.com'], true],
  ['a@sub.example.com', ['*@example.com'], false],
  ['a@notexample.com', ['*@example.com'], false],
  ['a@xn--bcher-kva.test', ['*@bücher.test'], true],
  ['bob@example.com', ['"bob"@example.com'], true],
  ['a@example.com', ['a@example.com'], true],
  ['A@Example.com', ['a@example.com'], true],
  ['b@example.com', ['a@example.com'], false],
  ['a@sub.example.com', ['a@example.com'], false],
  ['a+tag@example.com', ['a@example.com'], false],
  ['a@xn--bcher-kva.test', ['*.bücher.test'], true],
  ['ü@bücher.test', ['Ü@xn--bcher-kva.test'], true],
  ['bounce@simulator.mailcap.example.com', [], true],
  ['anything@simulator.mailcap.example.com', [], true],
  ['a@sub.simulator.mailcap.example.com', [], false],
  ['a@inbox.mailcap.example.com', [], false],
])('%s on the allowlist %j: %s', (address, allowlist, allowed) => {
  expect(allowlistMatcher(allowlist, MAIL_DOMAIN)(address)).toBe(allowed);
});

const [OURS, THEIRS] = ['W1' as WorkspaceId, 'W2' as WorkspaceId];

test.each([
  ['mailcap.example.com', [], null, true],
  ['box.mailcap.example.com', [], null, true],
  ['box.mailcap.example.com', [], OURS, true],
  ['box.mailcap.example.com', [], THEIRS, false],
  ['box.mailcap.example.com', ['box.mailcap.example.com'], THEIRS, true],
  ['a.b.mailcap.example.com', [], null, true],
  ['a.b.mailcap.example.com', [], THEIRS, false],
  ['a.b.mailcap.example.com', ['b.mailcap.example.com'], THEIRS, false],
  ['notmailcap.example.com', [], null, false],
  ['notmailcap.example.com', [], OURS, false],
  ['example.com', ['example.com'], null, true],
  ['sub.example.com', ['example.com'], null, false],
  ['example.com', [], null, false],
])('from at %s with %j added, under a subdomain of %s, is verified: %s', (domain, added, owner, verified) => {
  expect(isVerified(domain, { workspaceId: OURS, mailDomain: MAIL_DOMAIN, added, owner })).toBe(verified);
});

test.each([
  ['Example.COM.', 'example.com'],
  [' bücher.test ', 'xn--bcher-kva.test'],
])('the identity %j is kept as %s', (given, domain) => {
  expect(parseIdentityDomain(given)).toBe(domain);
});

test.each(['', 'a b', '*.x.test', '[127.0.0.1]', 'x..test', '-x.test', 7, null, undefined])(
  '%j is no identity',
  (given) => {
    expect(() => parseIdentityDomain(given)).toThrow('invalid_domain');
  },
);

test.each([
  [1_000_000, 1, 999_950],
  [50, 1, 0],
  [5_000, 100, 0],
])('a wallet of %i millicents after %i emails holds %i', (balance, emails, rest) => {
  expect(debit(balance, emails)).toBe(rest);
});

test.each([
  [0, 1, { balance_cents: 0, required_cents: 1 }],
  [49, 1, { balance_cents: 0, required_cents: 1 }],
  [1_999, 41, { balance_cents: 1, required_cents: 3 }],
  [4_999, 100, { balance_cents: 4, required_cents: 5 }],
])('a wallet of %i millicents does not cover %i emails: %j', (balance, emails, extra) => {
  expect(() => debit(balance, emails)).toThrow(expect.objectContaining({ code: 'insufficient_funds', extra }));
});

test.each([
  ['bounce@simulator.mailcap.example.com', 'bounce'],
  ['Bounce+17@simulator.mailcap.example.com', 'bounce'],
  ['complaint@simulator.mailcap.example.com', 'complaint'],
  ['success@simulator.mailcap.example.com', 'success'],
  ['other@simulator.mailcap.example.com', null],
  ['bounce@simulator.other.test', null],
  ['bounce@box.mailcap.example.com', null],
] as const)('the simulator takes %s for %s', (address, what) => {
  expect(simulated(address, MAIL_DOMAIN)).toBe(what);
});

test.each([
  ['a@box.mailcap.example.com', true, 'here'],
  ['a@mailcap.example.com', true, 'here'],
  ['bounce@simulator.mailcap.example.com', true, 'here'],
  ['a@example.com', true, 'relay'],
  ['a@example.com', false, 'here'],
] as const)('%s with a relay (%s) goes by the lane %s', (address, hasRelay, lane) => {
  expect(laneOf(address, { mailDomain: MAIL_DOMAIN, hasRelay, isClaimed: false })).toBe(lane);
  expect(laneOf(address, { mailDomain: MAIL_DOMAIN, hasRelay, isClaimed: true })).toBe('here');
});

test.each([
  [['queued', 'failed'], 'queued'],
  [['delivered', 'failed', 'bounced'], 'failed'],
  [['delivered', 'bounced', 'complained'], 'bounced'],
  [['complained', 'captured'], 'complained'],
  [['captured', 'delivered'], 'captured'],
  [['delivered', 'delivered'], 'delivered'],
] as const)('recipients that are %j make a send %s', (states, state) => {
  expect(stateOf(states.map((reached) => ({ state: reached })))).toBe(state);
});

const queued: SendRecipient = {
  ...{ address: 'a@x.test', state: 'queued', attempts: 0, nextAttemptAt: null, handedOver: true, reply: null },
};

test('an attempt that may be repeated waits longer each time, ten minutes at most, and is given up after a day', () => {
  const delays = Array.from({ length: MAX_ATTEMPTS }, (_, i) => retryDelayMs(i + 1));
  expect(delays.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(Math.max(...delays.map((ms) => ms ?? 0))).toBe(600_000);
  expect(delays.indexOf(null)).toBe(MAX_ATTEMPTS - 1);
  const day = delays.reduce<number>((sum, ms) => sum + (ms ?? 0), 0) / 86_400_000;
  expect(day).toBeGreaterThan(0.95);
  expect(day).toBeLessThan(1.05);
  const deferred = { state: 'queued', reply: '451 later' } as const;
  expect(recipientAfterAttempt(queued, deferred, 7)).toMatchObject({
    state: 'queued',
    attempts: 1,
    nextAttemptAt: 1_007,
    handedOver: false,
  });
  const last = { ...queued, attempts: MAX_ATTEMPTS - 1 };
  expect(recipientAfterAttempt(last, deferred, 7)).toMatchObject({
    state: 'failed',
    nextAttemptAt: null,
    reply: '451 later',
  });
});

test('a recipient that is settled gets no further attempt', () => {
  const bounced = { state: 'bounced', reply: '550 no' } as const;
  expect(recipientAfterAttempt({ ...queued, nextAttemptAt: 5 }, bounced, 7)).toMatchObject({
    ...{ state: 'bounced', attempts: 1, nextAttemptAt: null, reply: '550 no' },
  });
});

test.each([
  ['550 5.1.1 No such user', '5.1.1'],
  ['550-5.7.1 Two', '5.7.1'],
  ['554 Refused', '5.0.0'],
  ['451 Later', '4.0.0'],
  ['550 4.2.2 Of another class', '5.0.0'],
  ['421 5.3.2 Of another class', '4.0.0'],
  ['connect ECONNREFUSED 127.0.0.1:25', null],
])('the enhanced status of %j is %s', (reply, status) => {
  expect(enhancedStatusOf(reply)).toBe(status);
});
