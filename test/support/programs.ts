import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs that tests use beside Node.js, npm and git, each with the Debian package that has it. */
export const PROGRAMS = {
  bash: 'bash',
  chromium: 'chromium',
  clamd: 'clamav-daemon',
  curl: 'curl',
  find: 'findutils',
  haproxy: 'haproxy',
  msmtp: 'msmtp',
  mutt: 'mutt',
  perl: 'perl',
  pgbouncer: 'pgbouncer',
  php: 'php-cli',
  python3: 'python3-venv',
  ruby: 'ruby-mail',
  script: 'bsdutils',
  'smtp-sink': 'postfix',
  'smtp-source': 'postfix',
  spamd: 'spamd',
  swaks: 'swaks',
  tar: 'tar',
  tmux: 'tmux',
} as const;

/** The place of Debian's Chromium. Tests use it, so that Playwright need not download its own. */
export const CHROMIUM = '/usr/bin/chromium';
/** The search path with the directories of services, which are not on the path of every user. */
export const PATH = [process.env['PATH'] ?? '', '/usr/sbin'].join(delimiter);

/** Tells whether a program is installed. */
export function has(program: string): boolean {
  if (program === 'chromium') return existsSync(CHROMIUM);
  return PATH.split(delimiter).some((directory) => existsSync(join(directory, program)));
}

/** Tells whether a command succeeds, for programs that are installed in parts. */
export function runs(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}
