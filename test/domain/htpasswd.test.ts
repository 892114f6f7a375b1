import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isUser, splitUsers, uncheckedHash } from '../../src/domain/htpasswd.ts';

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

test.for([
  ['$2y$05$abcdefghijklmnopqrstuv', 'bcrypt'],
  ['$apr1$salt$hash', 'MD5'],
  ['$5$salt$hash', 'SHA-256 crypt'],
  ['$6$salt$hash', 'SHA-512 crypt'],
] as const)('the hash %s is %s, which lets nobody in', ([hash, name]) => {
  expect(uncheckedHash(`ada:${hash}`)).toBe(name);
  expect(isUser([`ada:${hash}`], 'ada', hash)).toBe(false);
});

test('entries stand on lines or between spaces, and comments are none', () => {
  expect(splitUsers(' a:1  b:2\n#c\r\nd:4\n')).toEqual(['a:1', 'b:2', 'd:4']);
});
