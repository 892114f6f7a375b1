import { expect, test } from 'vitest';
import { bccOf } from '../../src/domain/parsed-mail.ts';

test.each([
  ['the Bcc header if there is one', 'boss@x.test', ['a@x.test', 'boss@x.test'], ['a@x.test'], 'boss@x.test'],
  ['the header even where the envelope says more', 'boss@x.test', ['hidden@x.test'], [], 'boss@x.test'],
  [
    'else the recipients in neither To nor Cc',
    null,
    ['a@x.test', 'h@x.test', 'c@x.test'],
    ['a@x.test', 'c@x.test'],
    'h@x.test',
  ],
  ['in the order of the envelope', null, ['z@x.test', 'b@x.test'], [], 'z@x.test, b@x.test'],
  ['once each', null, ['h@x.test', 'H@X.test'], [], 'h@x.test'],
  ['none where everybody is named', null, ['A@X.TEST'], ['a@x.test'], null],
  ['none without an envelope', null, [], ['a@x.test'], null],
  ['domains compared as A-labels', null, ['a@bücher.test'], ['a@xn--bcher-kva.test'], null],
  ['a trailing dot is no other domain', null, ['a@x.test.'], ['a@x.test'], null],
])('bcc holds %s', (_what, header, rcptTo, toAndCc, bcc) => {
  expect(bccOf(header, rcptTo, toAndCc)).toBe(bcc);
});
