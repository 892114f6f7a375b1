import { expect, test } from 'vitest';
import { attachmentId, attachmentPosition, type MessageId, parseUlid } from '../../src/domain/ids.ts';

const MESSAGE = '01M7XJJF4F9Q3J2C2772HRK8S6' as MessageId;
const OTHER = '01M7XJJF4F9Q3J2C2772XXK8S6' as MessageId;

test.each([0, 1, 31, 32, 9_999, 32_767])(
  'the attachment at position %i has a ULID of its own, in either case',
  (position) => {
    const id = attachmentId(MESSAGE, position);
    expect(parseUlid(id)).toBe(id);
    expect(attachmentPosition(MESSAGE, id)).toBe(position);
    expect(attachmentPosition(MESSAGE, id.toLowerCase())).toBe(position);
    expect(attachmentPosition(OTHER, id)).toBeNull();
  },
);

test.each(['0', '', '../0', '__proto__', `${MESSAGE}0`])('%j is no attachment', (text) => {
  expect(attachmentPosition(MESSAGE, text)).toBeNull();
});
