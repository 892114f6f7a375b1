import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/program.ts';
import { flagOf } from '../../src/config/options.ts';
import { BIN, temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { IS_NIGHT } from '../support/night.ts';
import { has, lacking } from '../support/programs.ts';
import { serverIn } from '../support/server-in.ts';
import { unless } from '../support/unless.ts';
import { Terminal } from '../ui/terminal/tmux.ts';

const exec = promisify(execFile);

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout } = await command(['completion', shell], { cwd: await temporaryDirectory() });
  expect(code).toBe(0);
  return stdout;
}

unless(test, lacking('bash')).each([
  ['mes', ['messages']],
  ['messages ', ['list', 'show', 'wait', 'check', 'raw', 'attachments', 'report', 'reply', 'mark', 'delete']],
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
  for (const [name, { options = {} }] of Object.entries(COMMANDS)) {
    for (const word of name.split(' ')) expect(script).toContain(word);
    for (const flag of Object.keys(options).map(flagOf))
      expect(script).toContain(shell === 'fish' ? `-l ${flag}` : `--${flag}`);
  }
});

/** How to start each shell without the files of its user, and to read the script in it. */
const SHELLS = {
  bash: ['bash --norc -i', 'source ./script'],
  zsh: ['zsh -f', 'autoload -Uz compinit && compinit -u -D && source ./script'],
  fish: ['fish --no-config', 'source ./script'],
} as const;
/** A run with a share of the night installs neither zsh nor fish (.ci/programs). */
const IS_WHOLE_NIGHT = IS_NIGHT && !process.env['MAILCAP_NIGHT_SHARE'];
const TRIED = (['bash', 'zsh', 'fish'] as const).filter((shell) => shell === 'bash' || IS_WHOLE_NIGHT || has(shell));

for (const shell of TRIED) {
  unless(test, lacking('tmux', shell))(`${shell} completes words at the Tab key`, async () => {
    const cwd = await temporaryDirectory();
    await serverIn(cwd);
    await mkdir(join(cwd, 'bin'));
    const ours = `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`;
    await writeFile(join(cwd, 'bin', 'mailcap'), ours, { mode: 0o755 });
    await writeFile(join(cwd, 'bin', 'npx'), '#!/bin/sh\n', { mode: 0o755 });
    await writeFile(join(cwd, 'script'), await scriptFor(shell));
    const [start, read] = SHELLS[shell];
    const env = { HOME: cwd, XDG_CONFIG_HOME: cwd };
    const terminal = new Terminal(cwd, 120, 30, { env, shell: start });
    // tmux may start a shell with a path of its own.
    terminal.press(`export PATH="$PWD/bin:$PATH"; ${read}; echo is""read`, 'Enter');
    await terminal.shows('isread');
    for (const [typed, wanted] of [
      ['mailcap mess', 'mailcap messages'],
      ['mailcap messages wa', 'mailcap messages wait'],
      ['mailcap messages wait --timeo', 'mailcap messages wait --timeout'],
      ['mailcap env --format she', 'mailcap env --format shell'],
      ['mailcap clock se', 'mailcap clock set'],
      ['mailcap api addFa', 'mailcap api addFault'],
      ['mailcap api addFault --prob', 'mailcap api addFault --probability'],
      ['mailcap api addFault --stage rcp', 'mailcap api addFault --stage rcpt'],
      ['mailcap messages list --mailbox inb', 'mailcap messages list --mailbox inbox'],
      ['mailcap mailboxes delete inb', 'mailcap mailboxes delete inbox'],
      ['mailcap api getMailbox inb', 'mailcap api getMailbox inbox'],
      ['npx mailcap mess', 'npx mailcap messages'],
      ['npx mailcap messages wait --timeo', 'npx mailcap messages wait --timeout'],
      ['npx mailcap api addFa', 'npx mailcap api addFault'],
    ] as const) {
      // The screen holds this line alone.
      terminal.press('C-u', 'C-l');
      terminal.press('-l', typed);
      await terminal.shows(new RegExp(`${typed}\\s*$`, 'm'));
      terminal.press('Tab');
      const isCompleted = () => terminal.shows(new RegExp(`${wanted}\\s*$`, 'm'));
      await isCompleted().catch(() => {
        // On a busy machine the names of the server come too late for one Tab. Whoever types presses it again.
        terminal.press('Tab');
        return isCompleted();
      });
    }
  });
}
