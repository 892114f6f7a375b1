import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isLike,
  likeBefore,
  searchOfSender,
  senderAddress,
  subjectShape,
} from '../../../ui/web/app/compare-messages.ts';
import { lineDiff } from '../../../ui/web/compare/line-diff.ts';
import { comparedFacts } from '../../../ui/web/compare/mail-facts.ts';
import { changedPart, markupLines, sideBySide, stretches } from '../../../ui/web/compare/side-by-side.ts';
import { anyText } from '../../support/any-text.ts';

test.each([
  ['Your code is 481516', 'Your code is 730218'],
  ['[ACME-17] Build #204 failed', '[ACME-18] Build #205 failed'],
  ['Reset 6f1c2a34-9d1e-4f7a-8a55-0c2b1d3e4f5a', 'Reset 0a9b8c7d-1111-2222-3333-444455556666'],
  ['Welcome,  Ada', 'welcome, ada'],
])('%j and %j are one mail of two runs', (one, other) => {
  expect(subjectShape(one)).toBe(subjectShape(other));
});

test('another sender or other words make another mail', () => {
  const mail = { id: '5', from: 'Shop <shop@shop.test>', subject: 'Your code is 1' };
  expect(isLike(mail, { ...mail, from: 'shop@SHOP.test' })).toBe(true);
  expect(isLike(mail, { ...mail, from: 'Shop <other@shop.test>' })).toBe(false);
  expect(isLike(mail, { ...mail, subject: 'Your link is 1' })).toBe(false);
});

test('the mail of the last run is the newest similar one before it', () => {
  const mails = ['9', '5', '4', '3', '2'].map((id) => ({
    id,
    from: 'a@b.test',
    subject: id === '4' ? 'Another' : `Code ${id}`,
  }));
  const [, open] = mails;
  expect(open === undefined ? null : likeBefore(mails, open)?.id).toBe('3');
  expect(likeBefore(mails, { id: '2', from: 'a@b.test', subject: 'Code 2' })).toBe(null);
});

test('a sender is searched for by the address alone, whatever stands in it', () => {
  expect(searchOfSender('"Shop, Inc." <Shop@Shop.test>')).toBe('from:"shop@shop.test"');
  expect(searchOfSender('<a"b\\c@d.test>')).toBe('from:"a\\"b\\\\c@d.test"');
  expect([searchOfSender(''), searchOfSender('<>')]).toEqual(['', '']);
  expect(senderAddress('plain@shop.test ')).toBe('plain@shop.test');
});

const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 14 });

test('each column of a comparison is its text, line by line', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pairs = sideBySide(lineDiff(before.join('\n'), after.join('\n')));
      const column = (side: 'left' | 'right') => pairs.flatMap((pair) => pair[side] ?? []).join('\n');
      expect(column('left')).toBe(before.join('\n'));
      expect(column('right')).toBe(after.join('\n'));
      for (const { same, left, right } of pairs) expect(same).toBe(left !== null && left === right);
    }),
  );
});

test('no differing line is left out where equal lines are folded', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pairs = sideBySide(lineDiff(before.join('\n'), after.join('\n')));
      const found = stretches(pairs);
      expect(found.flatMap((stretch) => stretch.pairs)).toEqual(pairs);
      for (const stretch of found) {
        expect(pairs[stretch.from]).toBe(stretch.pairs[0]);
        if (stretch.is === 'left out') expect(stretch.pairs.every(({ same }) => same)).toBe(true);
      }
    }),
  );
});

test('the differing part of two lines is marked, without a break inside a character', () => {
  expect(changedPart('Your code is 481516.', 'Your code is 730218.')).toEqual({
    start: 'Your code is ',
    left: '481516',
    right: '730218',
    end: '.',
  });
  expect(changedPart('a😀b', 'a😁b')).toEqual({ start: 'a', left: '😀', right: '😁', end: 'b' });
  fc.assert(
    fc.property(anyText({ maxLength: 20 }), anyText({ maxLength: 20 }), (one, other) => {
      const { start, left, right, end } = changedPart(one, other);
      expect([start + left + end, start + right + end]).toEqual([one, other]);
    }),
  );
});

test('HTML is broken into lines between its tags, and keeps its words', () => {
  expect(markupLines('<p>Hi <b>you</b></p>\n\n  <p>bye</p>')).toBe('<p>Hi <b>you</b>\n</p>\n<p>bye</p>');
});

test('a comparison leaves out the facts that neither mail has, and shows those that one has', () => {
  const mail = {
    from: 'a@b.test',
    to: '',
    cc: '',
    replyTo: '',
    size: '1 KB',
    codes: ['1', '1'],
    links: [],
    attachments: [],
  };
  expect(comparedFacts(mail, { ...mail, codes: ['2', '1'], links: ['https://a.test'] })).toEqual([
    { name: 'From', left: [], right: [], same: true },
    { name: 'Codes', left: ['1'], right: ['2'], same: false },
    { name: 'Links', left: [], right: ['https://a.test'], same: false },
    { name: 'Size', left: [], right: [], same: true },
  ]);
});
