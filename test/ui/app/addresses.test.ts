import { expect, test } from 'vitest';
import { splitAddresses } from '../../../ui/web/mail/addresses.ts';

test('addresses are split at the commas between them, and at no other', () => {
  expect(splitAddresses('Ada <ada@x.test>, "Hopper, Grace" <grace@x.test>,bob@x.test')).toEqual([
    'Ada <ada@x.test>',
    '"Hopper, Grace" <grace@x.test>',
    'bob@x.test',
  ]);
  expect(splitAddresses('"A \\" B, C" <a@x.test>, <"b,c"@x.test>')).toEqual([
    '"A \\" B, C" <a@x.test>',
    '<"b,c"@x.test>',
  ]);
});

test('what is no list of addresses keeps all its characters', () => {
  expect(splitAddresses('"never closed, <a@x.test')).toEqual(['"never closed, <a@x.test']);
  expect(splitAddresses('Undisclosed recipients:;')).toEqual(['Undisclosed recipients:;']);
  expect(splitAddresses('"ends in \\')).toEqual(['"ends in \\']);
  expect(splitAddresses(' , ')).toEqual([]);
});
