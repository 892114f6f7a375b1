import { expect, test } from 'vitest';
import { claimKey, claimKeysFor, parseClaim } from '../../src/domain/routing.ts';

test.each([
  ['alice@email.com', 'alice@email.com'],
  [' Alice@EMAIL.com ', 'Alice@email.com'],
  ['*@acme.test', '*@acme.test'],
  ['*@BÜCHER.example', '*@xn--bcher-kva.example'],
  ['"alice"@email.com', 'alice@email.com'],
  ['"a b"@email.com', '"a b"@email.com'],
  ['alice+news@email.com', 'alice+news@email.com'],
  ['root@localhost', 'root@localhost'],
  ['a@[127.0.0.1]', 'a@[127.0.0.1]'],
  ['пошта@x.test', 'пошта@x.test'],
  ['+1 (500) 555-0006', '+15005550006'],
  ['0049 30 901820', '+4930901820'],
  ['5005550006', null],
  ['alice', null],
  ['', null],
  ['@email.com', null],
  ['*@', null],
  ['*@*.acme.test', null],
  ['*.acme.test', null],
  ['al*@acme.test', null],
  ['Alice <alice@email.com>', null],
  ['a@x.test, b@x.test', null],
  ['a@x.test\r\nb@x.test', null],
] as const)('the claim %j is read as %j', (text, claim) => {
  expect(parseClaim(text)).toBe(claim);
});

test.each([
  ['alice@email.com', ['alice@email.com', '*@email.com']],
  ['ALICE@Email.COM.', ['alice@email.com', '*@email.com']],
  ['Alice+a+b@email.com', ['alice+a+b@email.com', 'alice@email.com', '*@email.com']],
  ['+tag@email.com', ['+tag@email.com', '*@email.com']],
  ['"alice"@email.com', ['alice@email.com', '*@email.com']],
  ['"a\\"b"@email.com', ['a"b@email.com', '*@email.com']],
  ['"a@b"@email.com', ['a@b@email.com', '*@email.com']],
  ['alice@bücher.example', ['alice@xn--bcher-kva.example', '*@xn--bcher-kva.example']],
  ['+15005550006', ['+15005550006']],
  ['+15005550006@email.com', ['+15005550006@email.com', '*@email.com']],
  ['alice', []],
] as const)('mail to %j is taken by the claims %j, the first of them first', (recipient, keys) => {
  expect(claimKeysFor(recipient)).toEqual(keys);
});

test.each(['Alice@email.com', '"a b"@email.com', '*@acme.test', 'alice+News@x.test', '+15005550006'])(
  'what is claimed as %s is found by mail to it',
  (claim) => {
    expect(claimKeysFor(claim)[0]).toBe(claimKey(claim));
  },
);
