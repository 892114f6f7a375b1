import { expect, test } from 'vitest';
import { namelessAs } from '../../src/text/mail-type.ts';

test.each([
  ['TEXT/Calendar', 'Invitation'],
  ['message/rfc822', 'Attached mail'],
  ['application/pdf', 'unnamed'],
  // A sender writes any type, also the name of what every object has.
  ['constructor', 'unnamed'],
  ['__proto__', 'unnamed'],
  ['', 'unnamed'],
])('a file of type %j without a name is called %j', (type, name) => {
  expect(namelessAs(type)).toBe(name);
});
