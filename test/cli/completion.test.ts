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
  ['messages ', ['list', 'show', 'wait', 'check', 'raw', 'attachments', 'mark', 'delete']],
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

unless(test, lacking('bash'))(
  'bash completes npx mailcap, and leaves other programs of npx to the completion that it had',
  async () => {
    const script = await scriptFor('bash');
    const complete = (words: string) => `COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMPREPLY=()
    _mailcap_npx; echo "\${COMPREPLY[@]}"`;
    const line = `_theirs() { COMPREPLY=(theirs); }; complete -F _theirs npx
    ${script}
    ${script}
    ${complete('npx mailcap messages wait --ti')}
    ${complete("npx mailcap clock ''")}
    ${complete('npx vit')}
    complete -p npx`;
    const { stdout } = await exec('bash', ['-c', line]);
    expect(stdout.trim().split('\n')).toEqual([
      '--timeout',
      'show set',
      'theirs',
      'complete -o default -F _mailcap_npx npx',
    ]);
  },
);

unless(test, lacking('bash'))('names of mailboxes come from npx where no mailcap is on the path', async () => {
  const script = await scriptFor('bash');
  const line = `npx() { echo "$*"; }; ${script}\nPATH=; _mailcap_names mailboxes`;
  const { stdout } = await exec('/bin/bash', ['-c', line]);
  expect(stdout).toBe('--no-install mailcap completion mailboxes\n');
});

test.each(['bash', 'zsh', 'fish'])('the script for %s names every command and option', async (shell) => {
  const script = await scriptFor(shell);
  for (const [name, { options }] of Object.entries(COMMANDS)) {
    for (const word of name.split(' ')) expect(script).toContain(word);
    for (const { flag } of Object.values(options))
      expect(script).toContain(shell === 'fish' ? `-l ${flag}` : `--${flag}`);
  }
});
