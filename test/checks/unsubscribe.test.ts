import { describe, expect, test } from 'vitest';
import { check, mailOf } from './mails.ts';

const POST = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
const URL = 'https://shop.example/u/1';

async function unsubscribeOf(header: Readonly<Record<string, string>>) {
  const { unsubscribe } = await check(mailOf(header, 'Hello.'));
  const { findings, ...rest } = unsubscribe;
  return { ...rest, rules: findings.map(({ rule }) => rule) };
}

describe('one click (RFC 8058)', () => {
  test('an https address and the header of one click are enough', async () => {
    const both = `<mailto:leave@shop.example?subject=1>, <${URL}>`;
    expect(await unsubscribeOf({ 'List-Unsubscribe': both, ...POST })).toEqual({
      url: URL,
      mailto: 'mailto:leave@shop.example?subject=1',
      isOneClick: true,
      rules: [],
    });
  });

  test.each([
    ['<http://localhost:3000/u>', POST, []],
    ['<http://shop.example/u>', POST, ['unsubscribe-invalid', 'unsubscribe-one-click']],
    [URL, POST, ['unsubscribe-invalid']],
    [`<${URL}>`, {}, ['unsubscribe-one-click']],
    [`<${URL}>`, { 'List-Unsubscribe-Post': 'One-Click' }, ['unsubscribe-one-click']],
    ['<mailto:leave@shop.example>', POST, ['unsubscribe-one-click']],
    ['<https://shop.example/u/{{token}}>', POST, ['unsubscribe-invalid']],
    [`<https://shop.example/u/\r\n  1>`, POST, []],
  ])('%s with %j has %j', async (header, post, rules) => {
    expect((await unsubscribeOf({ 'List-Unsubscribe': header, ...post })).rules).toEqual(rules);
  });

  test('the signatures of a signed mail cover both headers', async () => {
    const header = { 'List-Unsubscribe': `<${URL}>`, ...POST };
    const signed = (names: string) => `v=1; a=rsa-sha256; d=shop.example; s=s; h=${names}; bh=x; b=y`;
    const one = await unsubscribeOf({ ...header, 'DKIM-Signature': signed('From:Subject:List-Unsubscribe') });
    expect(one.rules).toEqual(['unsubscribe-unsigned']);
    const both = signed('from : list-unsubscribe\r\n : List-Unsubscribe-Post');
    expect((await unsubscribeOf({ ...header, 'DKIM-Signature': both })).rules).toEqual([]);
  });
});

describe('mail to many', () => {
  const missing = async (header: Readonly<Record<string, string>>, text: string) =>
    (await check(mailOf(header, text))).findings.map(({ rule }) => rule);

  test('a mail of a list, or one that offers to unsubscribe, needs the header', async () => {
    expect(await missing({ 'List-Id': '<news.shop.example>' }, 'Hello.')).toEqual(['unsubscribe-missing']);
    expect(await missing({ Precedence: 'bulk' }, 'Hello.')).toEqual(['unsubscribe-missing']);
    expect(await missing({}, 'Unsubscribe: https://shop.example/u')).toEqual(['unsubscribe-missing']);
  });

  test('a mail to one person does not need it', async () => {
    expect(await missing({}, 'Your code is 481516.')).toEqual([]);
  });
});
