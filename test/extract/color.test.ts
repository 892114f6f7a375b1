import { expect, test } from 'vitest';
import { parseColor } from '../../src/extract/color.ts';

test.each([
  ['Red', [255, 0, 0]],
  ['#0af !important', [0, 170, 255]],
  ['rgb(1, 2, 3)', [1, 2, 3]],
  ['transparent', null],
  // A sender writes any name, also that of what every object has.
  ['constructor', null],
  ['__proto__', null],
])('the colour %j is %j', (text, color) => {
  expect(parseColor(text)).toEqual(color);
});
