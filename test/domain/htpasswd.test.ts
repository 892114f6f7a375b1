import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isQuickUser as isUser, slowHashesOf, splitUsers } from '../../src/domain/htpasswd.ts';

const sha = (text: string) => createHash('sha1').update(text).digest();
const SHA = `ada:{SHA}${sha('secret').toString('base64')}`;
const SSHA = `ada:{SSHA}${Buffer.concat([createHash('sha1').update('secretsalt').digest(), Buffer.from('salt')]).toString('base64')}`;

test.for(['ada:secret', SHA, SSHA])('%s lets in ada with her password alone', (line) => {
  expect(isUser([line], 'ada', 'secret')).toBe(true);
  expect(isUser(['ron:other', line], 'ada', 'secret')).toBe(true);
  for (const [name, password] of [
    ['ada', 'Secret'],
    ['ada', ''],
    ['Ada', 'secret'],
    ['', 'secret'],
    ['ada:secret', ''],
  ])
    expect(isUser([line], name ?? '', password ?? '')).toBe(false);
});

test('a password may hold colons, and a text of a hash is not its password', () => {
  expect(isUser(['ada:a:b:c'], 'ada', 'a:b:c')).toBe(true);
  expect(isUser([SHA], 'ada', SHA.slice('ada:'.length))).toBe(false);
  expect(isUser([], 'ada', '')).toBe(false);
});

test('a hash that takes long is of its user, and an unknown name has that of somebody else', () => {
  const lines = ['ada:$2y$05$abc', 'ron:$6$salt$hash', 'eve:plain'];
  expect(isUser(lines, 'ada', '$2y$05$abc')).toBe(false);
  expect(slowHashesOf(lines, 'ron')).toEqual([{ hash: '$6$salt$hash', isOfUser: true }]);
  expect(slowHashesOf(lines, 'nobody')).toEqual([{ hash: '$2y$05$abc', isOfUser: false }]);
  expect(slowHashesOf(['eve:plain'], 'eve')).toEqual([]);
});

test('entries stand on lines or between spaces, and comments are none', () => {
  expect(splitUsers(' a:1  b:2\n#c\r\nd:4\n')).toEqual(['a:1', 'b:2', 'd:4']);
});
