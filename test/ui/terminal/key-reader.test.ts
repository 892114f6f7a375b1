import { expect, test } from 'vitest';
import { keyReader } from '../../../ui/terminal/key-reader.ts';

test.each([
  ['j', ['j']],
  ['jjk', ['j', 'j', 'k']],
  ['\u001b', ['escape']],
  ['\u001b\u001b', ['escape', 'escape']],
  ['\u001b/', ['escape', '/']],
  ['\u001b[A\u001bOB', ['up', 'down']],
  ['\u001b[5~\u001b[6;2~\u001b[1;5H', ['pageup', 'pagedown', 'home']],
  ['\u001b[3~\u007f', ['delete', 'backspace']],
  ['\r\t\u001b[Z ', ['enter', 'tab', 'shift-tab', 'space']],
  ['\u0004\u0015\u0003', ['ctrl-d', 'ctrl-u', 'ctrl-c']],
  ['é🎉', ['é', '🎉']],
  ['\u001b[?1;2c\u001b[99~\u0000', []],
])('%j is %j', (piece, keys) => {
  expect(keyReader()(piece).flatMap((pressed) => pressed.keys)).toEqual(keys);
});

test('a sequence that comes in pieces is one key', () => {
  const read = keyReader();
  expect(read('\u001b[')).toEqual([]);
  expect(read('A')).toEqual([{ keys: ['up'], pasted: false }]);
});

test('pasted text is distinguished from typed keys', () => {
  const read = keyReader();
  expect(read('a\u001b[200~bc')).toEqual([
    { keys: ['a'], pasted: false },
    { keys: ['b', 'c'], pasted: true },
  ]);
  expect(read('d\u001b[201~e')).toEqual([
    { keys: ['d'], pasted: true },
    { keys: ['e'], pasted: false },
  ]);
});
