import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { IS_NIGHT } from './night.ts';

/** The programs that tests use beside Node.js, npm and git, each with the Debian package that has it. */
export const PROGRAMS = {
  bash: 'bash',
  chromium: 'chromium-headless-shell',
  clamd: 'clamav-daemon',
  curl: 'curl',
  fetchmail: 'fetchmail',
  find: 'findutils',
  fish: 'fish',
  getmail: 'getmail6',
  haproxy: 'haproxy',
  mbsync: 'isync',
  mpop: 'mpop',
  msmtp: 'msmtp',
  mutt: 'mutt',
  neomutt: 'neomutt',
  offlineimap: 'offlineimap3',
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
  zsh: 'zsh',
} as const;

const CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/**
 * The place of Debian's Chromium. Tests use it, so that Playwright need not download its own. By day it is the headless
 * shell, if that is installed: the same engine without the windows, for half of the processor time.
 */
export const CHROMIUM = (IS_NIGHT ? CHROMIUMS.toReversed() : CHROMIUMS).find((path) => existsSync(path)) ?? '';
/** The search path with the directories of services, which are not on the path of every user. */
export const PATH = [process.env['PATH'] ?? '', '/usr/sbin'].join(delimiter);

/** Tells whether a program is installed. */
export function has(program: string): boolean {
  if (program === 'chromium') return CHROMIUM !== '';
  return PATH.split(delimiter).some((directory) => existsSync(join(directory, program)));
}

/** Returns the reason to skip a test that needs these programs. Null if all of them are installed. */
export function lacking(...programs: readonly (keyof typeof PROGRAMS)[]): string | null {
  const missing = programs.filter((program) => !has(program));
  if (missing.length === 0) return null;
  return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed here`;
}

/** Tells whether a command succeeds, for programs that are installed in parts. */
export function runs(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}
