import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { durationOf } from '../../src/cli/command.ts';
import { writeSize } from '../../src/cli/output.ts';
import { lineOf } from '../../src/cli/progress.ts';
import { tabbedOf, tableOf } from '../../src/cli/table.ts';
import { nearest } from '../../src/text/nearest.ts';

const COLUMNS = [
  { title: 'ID', of: (row: { id: string }) => row.id },
  { title: 'SUBJECT', of: (row: { subject: string }) => row.subject, flexible: true },
  { title: 'SIZE', of: (row: { size: number }) => row.size, align: 'right' as const },
];
const ROWS = [
  { id: 'a', subject: 'Short', size: 1 },
  {
    id: 'bb',
    subject:
      '\u5bbf\u984c\u306e\u4ef6\u540d\u306f\u3068\u3066\u3082\u9577\u3044 \u{1f469}\u200d\u{1f469}\u200d\u{1f467} and more of it',
    size: 12_345,
  },
  { id: 'c', subject: 'Esc\u001b[31m \u202Eape\nline', size: 2 },
];

test.each([20, 24, 40, 80])('no line of a table is wider than %i columns', (width) => {
  const lines = tableOf(ROWS, COLUMNS, width).trimEnd().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines.map((line) => stringWidth(line)).filter((one) => one > width)).toEqual([]);
});

test('the last occurrence of what a row stresses is bold, and a table without styles has no sequence', () => {
  const stressed = () => 'Short';
  const isTTY = process.stdout.isTTY;
  const [forced, none] = [process.env['FORCE_COLOR'], process.env['NO_COLOR']];
  expect(tableOf(ROWS, COLUMNS, 80, stressed)).not.toContain('\u001b[1m');
  try {
    process.stdout.isTTY = true;
    delete process.env['NO_COLOR'];
    process.env['FORCE_COLOR'] = '1';
    const [, first, second] = tableOf(ROWS, COLUMNS, 80, stressed).split('\n');
    expect(first).toContain('\u001b[1mShort\u001b[22m');
    expect(second).not.toContain('\u001b[1m');
  } finally {
    process.stdout.isTTY = isTTY;
    for (const [name, value] of [
      ['FORCE_COLOR', forced],
      ['NO_COLOR', none],
    ] as const)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
});

test('a table that is not for a terminal is not cut, and has tabs between its columns', () => {
  const text = tabbedOf(ROWS, COLUMNS);
  expect(text).toContain('and more of it');
  expect(text).toContain('c\tEsc\u241b[31m ape line\t2\n');
  expect(text.split('\n')[0]).toBe('ID\tSUBJECT\tSIZE');
});

test.each([
  ['mesages', 'messages'],
  ['webhook', 'webhooks'],
  ['sned', 'send'],
  ['zzzzzz', null],
  ['x'.repeat(10_000), null],
])('%s is nearest to %s', (typed, name) => {
  expect(nearest(typed, ['messages', 'webhooks', 'send', 'dev'])).toBe(name);
});

test.each([
  ['30', 30],
  ['1.5', 1.5],
  ['2m', 120],
  ['1h', 3_600],
  ['250ms', 0.25],
  ['soon', null],
  ['-1', null],
])('%s is %s seconds', (text, seconds) => {
  expect(durationOf(text)).toBe(seconds);
});

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_536, '1.5 KB'],
  [26_214_400, '25 MB'],
])('%i bytes are written %s', (bytes, text) => {
  expect(writeSize(bytes)).toBe(text);
});

test('a progress line shows the share that is done if the total is known', () => {
  expect(lineOf('exporting', 50, 100, 2_000)).toBe(`exporting [${'#'.repeat(12)}${'.'.repeat(12)}] 50 of 100 25/s`);
  expect(lineOf('importing', 10, null, 1_000)).toMatch(/^. importing 10 10\/s$/);
});
