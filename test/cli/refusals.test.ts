import { expect, test } from 'vitest';
import { asUserError } from '../../src/cli/connect.ts';
import { RefusedError } from '../../src/client/errors.ts';
import { ERRORS } from '../../src/domain/errors.ts';
import { sentenceOfCode } from '../../src/text/refusals.ts';

test.each(Object.keys(ERRORS))('%s becomes a sentence without the code', (code) => {
  const sentence = sentenceOfCode(code, {});
  expect(sentence).toMatch(/^[a-z-].+[.?]$/);
  expect(sentence).not.toMatch(/undefined|\{|client\.|[a-z]_[a-z]/);
});

test.each(Object.keys(ERRORS))('%s becomes a sentence for the page without options, commands or files', (code) => {
  const sentence = sentenceOfCode(code, {}, 'page');
  expect(sentence).toMatch(/^[a-z-].+[.?]$/);
  expect(sentence).not.toMatch(/undefined|\{|--\w|`|mailcap[ .]|docs\/|[a-z]_[a-z]/);
});

test('the sentence contains the further fields of the error, made harmless', () => {
  expect(sentenceOfCode('invalid_retention', { max: 90 })).toContain('90');
  const sentence = sentenceOfCode('recipients_not_allowed', { recipients: ['a@x.test', 'b\u001b[31m@x.test'] });
  expect(sentence).toContain('a@x.test');
  expect(sentence).not.toContain('\u001b');
});

test('an unknown code of a newer server is printed as it is', () => {
  const error = new RefusedError('not_found', 'x', { status: 409 });
  expect(asUserError(Object.assign(error, { code: 'moon_too_full' }))).toMatchObject({
    message: 'the server refused it: moon too full.',
    exitCode: 1,
  });
});
