import { expect, test } from 'vitest';
import type { MessageId } from '../../src/domain/ids.ts';
import { parentsIn, threadIdOf } from '../../src/domain/thread.ts';

const ID = '01M80WB2NZ579TBFQ5268DEQ50' as MessageId;
const mail = (
  id: string,
  messageId: string | null,
  references: string | null = null,
  inReplyTo: string | null = null,
) => ({
  id: id as MessageId,
  headers: {
    ...(messageId !== null && { 'message-id': messageId }),
    ...(references !== null && { references }),
    ...(inReplyTo !== null && { 'in-reply-to': inReplyTo }),
  },
});
const threadOf = ({ headers }: ReturnType<typeof mail>) => threadIdOf(headers, ID);

const ROOT = threadOf(mail('1', '<root@x.test>'));

test.each([
  ['a reply names its ancestors', mail('2', '<b@x>', '<root@x.test> <a@x>', '<a@x>'), true],
  ['References are folded over lines', mail('2', '<b@x>', ' <root@x.test>\r\n\t<a@x>'), true],
  ['References have no space between them', mail('2', '<b@x>', '<root@x.test><a@x>'), true],
  ['a reply names its parent alone', mail('2', '<b@x>', null, '<root@x.test>'), true],
  ['In-Reply-To has words beside the id', mail('2', '<b@x>', null, 'Your mail of Monday <root@x.test>'), true],
  ['References come before In-Reply-To', mail('2', '<b@x>', '<root@x.test>', '<other@x.test>'), true],
  ['References without an id are none', mail('2', '<b@x>', 'none', '<root@x.test>'), true],
  ['another mail', mail('2', '<other@x.test>'), false],
  ['a mail without ids', mail('2', null), false],
  ['a Message-ID that is no id', mail('2', 'root@x.test'), false],
])('a conversation is that of the first Message-ID: %s', (_what, one, isSame) => {
  expect(threadOf(one) === ROOT).toBe(isSame);
});

test('mails without ids are conversations of their own', () => {
  const other = '01M80WB2NZ579TBFQ5268DEQ51' as MessageId;
  expect(threadIdOf({}, ID)).not.toBe(threadIdOf({}, other));
  expect(threadIdOf({}, ID)).toMatch(/^[0-9a-f]{16}$/);
});

test('the parent of a mail is its nearest ancestor that is there', () => {
  const parents = parentsIn([
    mail('1', '<a@x>'),
    mail('2', '<b@x>', '<a@x>'),
    mail('4', '<d@x>', '<a@x> <b@x> <missing@x>'),
    mail('5', '<e@x>', '<missing@x>'),
    mail('6', '<f@x>', null, '<d@x>'),
  ]);
  expect(Object.fromEntries(parents)).toEqual({ 1: null, 2: '1', 4: '2', 5: null, 6: '4' });
});

test('mails that name one another, or themselves, are in no circle', () => {
  const parents = parentsIn([mail('1', '<a@x>', '<b@x>'), mail('2', '<b@x>', '<a@x>'), mail('3', '<c@x>', '<c@x>')]);
  expect(Object.fromEntries(parents)).toEqual({ 1: '2', 2: null, 3: null });
});

test('of two mails with one Message-ID, the first is answered', () => {
  const parents = parentsIn([mail('1', '<a@x>'), mail('2', '<a@x>'), mail('3', '<b@x>', '<a@x>')]);
  expect(parents.get('3' as MessageId)).toBe('1');
});

test('a header of a megabyte takes no longer than the part that is read', () => {
  const long = `${'<'.repeat(500_000)}${'<a@x>'.repeat(100_000)}`;
  expect(threadIdOf({ references: long, 'message-id': '<root@x.test>' }, ID)).toBe(ROOT);
});
