import { expect, test } from 'vitest';
import type { Diagnosis, HeldWait } from '../../../ui/web/app/api.ts';
import {
  diagnosisOf,
  differenceOf,
  filtersOf,
  matchingConditions,
  matchingOf,
  nearMissesOf,
  reasonsOf,
} from '../../../ui/web/timeline/waiting.ts';

const AWAIT: HeldWait = {
  ...{ kind: 'message', workspaceId: 'w', mailboxId: 'm', webhookId: null, note: null },
  ...{ heldSince: '2026-11-20T15:55:21+00:00', until: '2026-11-20T15:56:21+00:00' },
  filters: { body: 'unicorn', link: 'verify', count: '2', since: '2026-11-20T15:55:16+00:00' },
};
const NOTED: HeldWait = {
  ...AWAIT,
  filters: { since: '2026-11-20T15:55:20+00:00' },
  note: {
    ...{ call: 'waitForCode', since: '2026-11-20T15:50:00+00:00', undecided: ['subject'] },
    ...{ filters: { subject: '/code/', body: '"unicorn"' }, asked: { body: 'unicorn' } },
    refused: [{ id: '1', reason: 'subject has no /code/' }],
  },
};

test('a pending await is explained by all of its conditions, from where its wait began', () => {
  expect(diagnosisOf(AWAIT)).toEqual({ body: 'unicorn', link: 'verify', since: '2026-11-20T15:55:16+00:00' });
  expect(diagnosisOf(NOTED)).toEqual({ body: 'unicorn', since: '2026-11-20T15:50:00+00:00' });
  expect(diagnosisOf({ ...AWAIT, filters: {} })).toEqual({ since: AWAIT.heldSince });
});

test('it shows its filters as the client wrote them', () => {
  expect(filtersOf(NOTED)).toEqual(Object.entries(NOTED.note?.filters ?? {}));
  expect(filtersOf(AWAIT).map(([name]) => name)).toEqual(['body', 'link', 'count']);
});

test('a mail that the client refused does not match, whatever the server knows', () => {
  const seen = [
    { id: '1', refusedBy: [] },
    { id: '2', refusedBy: [] },
    { id: '3', refusedBy: ['subject'] },
  ];
  expect(matchingOf(seen, reasonsOf(NOTED)).map(({ id }) => id)).toEqual(['2']);
  expect(matchingOf(seen, reasonsOf(AWAIT)).map(({ id }) => id)).toEqual(['1', '2']);
});

const NO_FILTERS = {
  ...{ subject: null, from: null, to: null, body: null },
  ...{ header: null, code: null, link: null, query: null },
};
type Seen = Diagnosis['messages']['items'][number];
const seen = (id: string, ...refusedBy: Seen['refusedBy']): Seen => ({
  ...{ id, kind: 'email', receivedAt: `2026-11-20T15:55:0${id}+00:00`, from: null, to: null, subject: null, refusedBy },
});
const refusal = (filter: Seen['refusedBy'][number]['filter'], wanted: string, ...saw: string[]) => ({
  ...{ filter, wanted, saw, sawLeftOut: 0 },
});
const diagnosis = (items: Seen[], elsewhere: Diagnosis['elsewhere']['items'] = []): Diagnosis => ({
  ...{ mailboxId: 'm', address: '*@box.test', since: '', until: '', lastConnection: null, filters: NO_FILTERS },
  refusals: { items: [], leftOut: 0, exact: true },
  messages: { items, leftOut: 0, exact: true },
  elsewhere: { items: elsewhere, leftOut: 0, exact: true },
});

test('a wait for a code or a link is ended by a mail that has one', () => {
  expect(matchingConditions(NOTED)).toEqual({ code: '1', body: 'unicorn' });
  expect(matchingConditions(AWAIT)).toEqual({ body: 'unicorn', link: 'verify' });
});

test('near misses met a condition or have half of what was wanted, and are ranked by failed ones, then by what the texts share, then by time', () => {
  const wanted = 'Sign in code';
  const items = [
    seen('1', refusal('subject', wanted, 'Invoice')),
    seen('2', refusal('subject', wanted, 'Invoice')),
    seen('3', refusal('subject', wanted, 'Sign-in code for Ada'), refusal('body', 'x', 'y')),
    seen('4', refusal('subject', wanted, 'Old', 'Your sign-in code')),
    seen('5'),
  ];
  const elsewhere = [
    { ...seen('6'), mailboxId: 'n', subdomain: 'other', matches: true },
    { ...seen('7'), mailboxId: 'n', subdomain: 'other', matches: false },
  ];
  const asked = diagnosis(items, elsewhere);
  const misses = nearMissesOf(
    { ...asked, filters: { ...NO_FILTERS, subject: wanted, body: 'x' } },
    new Map([['5', 'where returned false']]),
  );
  expect(misses.map(({ message }) => message.id)).toEqual(['6', '5', '4', '2', '1', '3']);
  expect(misses[0]).toMatchObject({ cameTo: 'other', failed: [] });
});

test('a mail that meets no condition is near only if it has half of what was wanted', () => {
  const items = [
    seen('1', refusal('subject', 'Sign in code', 'Invoice')),
    seen('2', refusal('subject', 'Sign in code', 'Sign-in code')),
    seen('3', refusal('subject', 'Sign in code', 'A long subject that does not fit in a narrow column')),
  ];
  const asked = { ...diagnosis(items), filters: { ...NO_FILTERS, subject: 'Sign in code' } };
  expect(nearMissesOf(asked, new Map()).map(({ message }) => message.id)).toEqual(['2']);
  // Half of the letters are enough: a word in another language or with a slip.
  const welcome = {
    ...diagnosis([seen('4', refusal('subject', 'Welcome', 'Welkom, Ada'))]),
    filters: { ...NO_FILTERS, subject: 'Welcome' },
  };
  expect(nearMissesOf(welcome, new Map()).map(({ message }) => message.id)).toEqual(['4']);
});

test('a wanted text and the nearest seen one are split at what they share', () => {
  expect(differenceOf(refusal('subject', 'Sign in code', 'Invoice', 'Your sign-in CODE 12'))).toEqual({
    wanted: { start: '', before: 'Sign ', same: 'in code', after: '', end: '' },
    // More than what was wanted is no fault.
    saw: { start: 'Your ', before: 'sign-', same: 'in CODE', after: '', end: ' 12' },
  });
  const nothingShared = { start: '', before: '', after: '', end: '' };
  expect(differenceOf(refusal('body', 'unicorn', 'Hello'))).toEqual({
    wanted: { ...nothingShared, same: 'unicorn' },
    saw: { ...nothingShared, same: 'Hello' },
  });
  expect(differenceOf(refusal('subject', 'Sign in code', 'It fits in a column'))?.saw).toEqual({
    ...nothingShared,
    same: 'It fits in a column',
  });
  expect(differenceOf(refusal('code', '1'))).toBeNull();
});
