import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { after } from '../../../src/client/environment.ts';
import { copyText, osc52, saidCopied } from '../../../src/clipboard.ts';

const LINUX = 'linux';

test('tmux takes a text, and passes it on to the terminal around it', async () => {
  const { env, taken } = await withPrograms({ tmux: 'echo "$@" > "$0.args"; cat > "$0.text"' });
  expect(
    await copyText('481516', {
      env: { ...env, TMUX: '/tmp/x,1,0', TERM: 'tmux-256color' },
      tell: null,
      after,
      platform: LINUX,
    }),
  ).toBe('copied');
  expect(await taken('tmux.args')).toBe('load-buffer -w -\n');
  expect(await taken('tmux.text')).toBe('481516');
});

test('a tmux that does not know -w is called without it', async () => {
  const { env, taken } = await withPrograms({ tmux: '[ "$2" = -w ] && exit 1; cat > "$0.text"' });
  expect(await copyText('x', { env: { ...env, TMUX: '1' }, tell: null, after, platform: LINUX })).toBe('copied');
  expect(await taken('tmux.text')).toBe('x');
});

test('a clipboard program that fails has copied nothing, and the next one is tried', async () => {
  const { env, taken } = await withPrograms({ xclip: 'exit 1', xsel: 'cat > "$0.text"' });
  expect(await copyText('x', { env: { ...env, DISPLAY: ':0' }, tell: null, after, platform: LINUX })).toBe('copied');
  expect(await taken('xsel.text')).toBe('x');
  const none = await withPrograms({ xclip: 'exit 1' });
  expect(await copyText('x', { env: { ...none.env, DISPLAY: ':0' }, tell: null, after, platform: LINUX })).toBe(
    'failed',
  );
});

test.each([
  ['a terminal that is known to copy', { TERM: 'xterm-kitty' }, 'copied'],
  ['one that does not say', { TERM: 'xterm-256color' }, 'asked'],
  ['a dumb one', { TERM: 'dumb' }, 'failed'],
  ['a console', { TERM: 'linux' }, 'failed'],
])('%s', async (_name, env, outcome) => {
  const told: string[] = [];
  expect(
    await copyText('481516', {
      env: { PATH: '', ...env },
      tell: (sequence) => told.push(sequence),
      after,
      platform: LINUX,
    }),
  ).toBe(outcome);
  expect(told).toEqual(outcome === 'failed' ? [] : [osc52('481516')]);
});

test('the inbox says "copied" only if it is true, and otherwise shows the text', () => {
  expect(saidCopied('copied', 'the code', '481516')).toBe('Copied the code: 481516');
  expect(saidCopied('asked', 'the code', '481516')).toBe('Asked the terminal to copy the code: 481516');
  expect(saidCopied('failed', 'the code', '481516')).toBe('Could not copy the code: 481516');
});

/** Creates a PATH with one shell script for each program, which write what they receive to files. */
async function withPrograms(programs: Readonly<Record<string, string>>) {
  const directory = await mkdtemp(join(tmpdir(), 'mailcap-test-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(directory, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(directory, name), 0o755);
  }
  const env = { PATH: [directory, '/bin', '/usr/bin'].join(delimiter) };
  return { env, taken: (name: string) => readFile(join(directory, name), 'utf8') };
}
