import { expect, test } from 'vitest';
import { createLog } from '../../src/adapters/console-log.ts';
import type { LogLevel } from '../../src/ports/system.ts';

function logged(level: LogLevel, act: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  act(createLog(level, (line) => lines.push(line)));
  return lines;
}

test.each([
  ['silent', []],
  ['error', ['error']],
  ['warn', ['error', 'warn']],
  ['info', ['error', 'warn', 'info']],
  ['debug', ['error', 'warn', 'info', 'debug']],
] as const)('%s shows %j', (level, shown) => {
  const lines = logged(level, (log) => {
    for (const own of ['error', 'warn', 'info', 'debug'] as const) log[own](own);
  });
  expect(lines.map((line) => line.split(/\s+/)[1])).toEqual(shown);
});

test('an entry is one line: time, level, message, fields', () => {
  const [line] = logged('info', (log) =>
    log.info('started', { port: 25, host: '::1', name: 'a b', nothing: undefined }),
  );
  expect(line).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z info {2}started port=25 host=::1 name="a b" nothing=undefined\n$/);
});

test('what a peer sent neither breaks the line nor drives the terminal', () => {
  const [line] = logged('info', (log) =>
    log.info('got\nfake', { subject: '\u001b[2J\u009b1m\r\n\u2028x', error: new Error('a\nb') }),
  );
  expect(line?.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028]/u);
  expect(line).toContain('got\\u000afake');
});
