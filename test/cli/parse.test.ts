import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnyLine } from '../../src/cli/any-line.ts';
import type { CliOption, OptionTable } from '../../src/cli/command.ts';
import { plainLine } from '../../src/cli/parse.ts';
import { ConfigError } from '../../src/config/user-error.ts';

const option = (type: CliOption['type']): CliOption => ({ type, help: '' });
const TABLE: OptionTable = {
  json: option('boolean'),
  code: option('boolean'),
  link: option('optional'),
  apiKey: option('string'),
  to: option('texts'),
  limit: option('count'),
  timeout: option('seconds'),
};

const words = ['--json', '--code', '--link', '--api-key', '--to', '--limit', '--timeout', '--help', '-h', '--version'];
const odd = [
  '--',
  '-',
  '-v',
  '-V',
  '--no-json',
  '--jsn',
  '--json=true',
  '--link=',
  '-5',
  '',
  '"a"',
  'true',
  'false',
  '1',
];
const word = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom(...odd),
  fc.constantFrom('verify', 'a@b.test', '2m', 'from:shop', "it's", 'a=b', 'a b', '12', '007', '1e3', '0x10'),
  fc.tuple(fc.constantFrom(...words), fc.string()).map(([flag, value]) => `${flag}=${value}`),
  fc.string(),
);

test('what is read without yargs is what yargs reads', () => {
  let plain = 0;
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (args) => {
      const read = plainLine(TABLE, args);
      if (read === null) return;
      plain += 1;
      const byYargs = readAnyLine(TABLE, args, 'messages wait', () => false);
      expect({ ...read, flags: { help: undefined, version: undefined, ...read.flags } }).toEqual(byYargs);
    }),
    { numRuns: 2_000 },
  );
  expect(plain).toBeGreaterThan(50);
});

test.each([
  [[], {}, []],
  [['--code', '--timeout', '2m', '--api-key=k'], { code: true, timeout: '2m', apiKey: 'k' }, []],
  [['01KAEX', '--link'], { link: '' }, ['01KAEX']],
  [['--link', 'verify', '--json'], { link: 'verify', json: true }, []],
  [['--link', '--json'], { link: '', json: true }, []],
  [['--to', 'a@b.test', '--to=c@d.test'], { to: ['a@b.test', 'c@d.test'] }, []],
  [['-h'], { help: true }, []],
  [['--version'], { version: true }, []],
])('%j needs no yargs', (args, flags, operands) => {
  expect(plainLine(TABLE, args)).toEqual({ flags, operands });
});

test.each([[['--jsn']], [['--api-key']], [['--timeout', '--json']]])(
  '%j is left to yargs, which refuses it',
  (args) => {
    expect(plainLine(TABLE, args)).toBeNull();
    expect(() => readAnyLine(TABLE, args, 'messages wait', () => false)).toThrow(ConfigError);
  },
);
