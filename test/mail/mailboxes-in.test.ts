import { expect, test } from 'vitest';
import { mailboxesIn } from '../../src/mail/mailboxes-in.ts';

test.each([
  [null, []],
  ['', []],
  [
    'a@x.test, Ada <b@x.test>',
    [
      ['', 'a@x.test'],
      ['Ada', 'b@x.test'],
    ],
  ],
  ['"Shop, Inc." <c@x.test>', [['Shop, Inc.', 'c@x.test']]],
  [
    'Team: a@x.test, b@x.test;',
    [
      ['', 'a@x.test'],
      ['', 'b@x.test'],
    ],
  ],
  ['nobody', []],
])('the addresses of %j', async (list, addresses) => {
  expect((await mailboxesIn(list)).map(({ name, address }) => [name, address])).toEqual(addresses);
});

test('a list that is too long is read up to a whole address', async () => {
  const addresses = Array.from({ length: 2_000 }, (_, at) => `user${at}@x.test`);
  const read = (await mailboxesIn(addresses.join(', '))).map(({ address }) => address);
  expect(read.length).toBeGreaterThan(500);
  expect(read).toEqual(addresses.slice(0, read.length));
});
