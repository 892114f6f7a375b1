import { expect, test } from 'vitest';
import { isSmsSender, parsePhone, smsSize } from '../../src/domain/phone.ts';

test.each([
  ['+15005550006', '+15005550006'],
  [' +1 (500) 555-00.06 ', '+15005550006'],
  ['tel:+44-20-7946-0018', '+442079460018'],
  ['0044 20 7946 0018', '+442079460018'],
  ['+1\u2011500\u2011555\u20110006', '+15005550006'],
  ['+123456789012345', '+123456789012345'],
  ['+1234567890123456', null],
  ['+123456', null],
  ['+05005550006', null],
  ['5005550006', null],
  ['+1500555000a', null],
  ['++15005550006', null],
  ['+1500555\r\n0006x', null],
  ['whatsapp:+15005550006', null],
  ['', null],
  [`+1${' '.repeat(60)}5005550006`, null],
])('the number %j is %j', (given, phone) => {
  expect(parsePhone(given)).toBe(phone);
});

test.each([
  ['+15005550006', true],
  ['12345', true],
  ['Acme', true],
  ['Acme & Co 1', true],
  ['12', false],
  ['Acme & Co 12', false],
  ['Acme\nCo', false],
  ['Ämter', false],
  ['', false],
])('the sender %j is valid: %j', (given, isValid) => {
  expect(isSmsSender(given)).toBe(isValid);
});

// 3GPP TS 23.038 and 23.040: 160 septets alone, 153 in each of several; 70 and 67 units of UCS-2.
test.each([
  ['', 'GSM-7', 1],
  ['x'.repeat(160), 'GSM-7', 1],
  ['x'.repeat(161), 'GSM-7', 2],
  ['x'.repeat(306), 'GSM-7', 2],
  ['x'.repeat(307), 'GSM-7', 3],
  ['€'.repeat(80), 'GSM-7', 1],
  ['€'.repeat(81), 'GSM-7', 2],
  // An escape and its character stay together: 76 fit into a segment of 153.
  ['€'.repeat(152), 'GSM-7', 2],
  ['€'.repeat(153), 'GSM-7', 3],
  ['ñÑüÜ@£$¥èéùìòÇ\n{}[]~|\\^', 'GSM-7', 1],
  ['`', 'UCS-2', 1],
  ['я'.repeat(70), 'UCS-2', 1],
  ['я'.repeat(71), 'UCS-2', 2],
  ['😀'.repeat(35), 'UCS-2', 1],
  ['😀'.repeat(36), 'UCS-2', 2],
  // A surrogate pair stays together: 33 fit into a segment of 67 units.
  ['😀'.repeat(66), 'UCS-2', 2],
  ['😀'.repeat(67), 'UCS-2', 3],
])('a text is carried as its alphabet allows (%#)', (text, encoding, segments) => {
  expect(smsSize(text)).toEqual({ encoding, segments });
});
