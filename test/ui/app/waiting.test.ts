import { expect, test } from 'vitest';
import type { HeldWait } from '../../../ui/web/app/api.ts';
import { diagnosisOf, filtersOf, matchingOf, reasonsOf } from '../../../ui/web/timeline/waiting.ts';

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
