import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/program.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';

const exec = promisify(execFile);

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout } = await command(['completion', shell], { cwd: await temporaryDirectory() });
  expect(code).toBe(0);
  return stdout;
}

unless(test, lacking('bash')).each([
  ['mes', ['messages']],
  ['messages ', ['list', 'show', 'wait', 'check', 'raw', 'mark', 'delete']],
  ['messages wait --ti', ['--timeout']],
  ['env --format ', ['dotenv', 'shell', 'json']],
  ['dev --plan b', ['business']],
  ['completion f', ['fish']],
  ['messages list has', ['has:attachment', 'has:inline', 'has:code', 'has:link']],
  ['messages list to', ['to:']],
  // bash splits `has:c` into three words.
  ['messages list has : c', ['code']],
  ['messages list has :', ['attachment', 'inline', 'code', 'link']],
])('bash completes mailcap %s', async (typed, words) => {
  const script = await scriptFor('bash');
  const line = `${script}
    COMP_WORDS=(mailcap ${typed.replace(/ $/, " ''")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _mailcap; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await exec('bash', ['-c', line]);
  expect(stdout.trim().split('\n')).toEqual(words);
});

test.each(['bash', 'zsh', 'fish'])('the script for %s names every command and option', async (shell) => {
  const script = await scriptFor(shell);
  for (const [name, { options }] of Object.entries(COMMANDS)) {
    for (const word of name.split(' ')) expect(script).toContain(word);
    for (const { flag } of Object.values(options))
      expect(script).toContain(shell === 'fish' ? `-l ${flag}` : `--${flag}`);
  }
});
