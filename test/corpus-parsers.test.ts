import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { comparableAddress } from '../src/domain/address.ts';
import { parseMail } from '../src/mail/parse.ts';
import { readAddresses } from '../src/text/addresses.ts';
import { DIFFERENCES } from './corpus-parsers/differences.ts';
import { bodyOf, type Part } from './corpus-parsers/rfc8621.ts';
import { has, lacking } from './support/programs.ts';
import { unless } from './support/unless.ts';

// Compares what mailcap reads in real and damaged mails with three parsers that share no code with it: Python's email,
// Go's net/mail and mime/multipart, and postal-mime. What they can't read is not compared.

const CORPUS = join(import.meta.dirname, 'corpus');
const PROGRAMS = join(import.meta.dirname, 'corpus-parsers');
const FILES = ['enmime', 'reports', 'ruby-mail'].flatMap((folder) =>
  readdirSync(join(CORPUS, folder))
    .filter((name) => /\.(eml|raw)$/.test(name))
    .map((name) => `${folder}/${name}`),
);
const VALUES = ['subject', 'from', 'toAndCc', 'text', 'html'] as const;
type Value = (typeof VALUES)[number];
type Told = Readonly<Record<Value, unknown>>;
interface Failed {
  readonly failed: string;
}
type Answer = Failed | (Omit<Told, 'text' | 'html'> & (Pick<Told, 'text' | 'html'> | { readonly body: Part | Failed }));

/** The parsers, with the number of values that each of them reads at least. */
const PARSERS = {
  python: { lacks: lacking('python3'), reads: 1_330, start: () => program('python3', ['parse.py']) },
  go: {
    lacks: has('go') ? null : 'go is not installed here',
    reads: 1_200,
    start: () => program('go', ['run', 'parse.go']),
  },
  'postal-mime': { lacks: null, reads: 1_350, start: startPostalMime },
} as const;

async function program(file: string, args: readonly string[], cwd = PROGRAMS): Promise<Answer[]> {
  const done = promisify(execFile)(file, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
  done.child.stdin?.end(FILES.map((name) => `${join(CORPUS, name)}\n`).join(''));
  return JSON.parse((await done).stdout);
}

async function startPostalMime(): Promise<Answer[]> {
  const directory = mkdtempSync(join(tmpdir(), 'mailcap-parsers-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, 'package.json'), '{"private":true}');
  cpSync(join(PROGRAMS, 'parse.mjs'), join(directory, 'parse.mjs'));
  const quietly = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  await promisify(execFile)('npm', ['install', ...quietly, 'postal-mime@4.0.0'], { cwd: directory });
  return program(process.execPath, ['parse.mjs'], directory);
}

async function byMailcap(raw: Buffer): Promise<Told> {
  const { mail } = await parseMail(raw);
  const from = readAddresses(mail.from ?? '').map(({ address }) => address);
  return { subject: mail.subject, from, toAndCc: mail.toAndCc, text: mail.textBody, html: mail.htmlBody };
}

/** Returns the values of an answer. A value that the parser could not read is undefined. */
function toldIn(answer: Answer): Partial<Told> {
  if ('failed' in answer) return {};
  const { subject, from, toAndCc } = answer;
  if (!('body' in answer)) return { subject, from, toAndCc, text: answer.text, html: answer.html };
  return { subject, from, toAndCc, ...('failed' in answer.body ? {} : bodyOf(answer.body)) };
}

/** Returns a value as it is compared: without differences of white space, and addresses as a set. */
function comparable(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/[\s\p{Cc}]+/gu, ' ').trim() || null;
  if (Array.isArray(value))
    return [...new Set(value.filter(Boolean).map((address) => comparableAddress(address).toLowerCase()))].sort();
  return value === null ? null : undefined;
}

describe.each(Object.entries(PARSERS))('%s', (parser, { lacks, reads, start }) => {
  unless(test, lacks)('reads the same, or the difference has a reason', { timeout: 300_000 }, async () => {
    const answers = await start();
    const differences: Readonly<Record<string, Partial<Record<Value, string>>>> = DIFFERENCES[parser] ?? {};
    let compared = 0;
    for (const [at, name] of FILES.entries()) {
      const own = await byMailcap(readFileSync(join(CORPUS, name)));
      const other = toldIn(answers[at] ?? { failed: 'no answer' });
      for (const value of VALUES) {
        const theirs = comparable(other[value]);
        const reason = differences[name]?.[value];
        if (theirs === undefined) continue;
        compared++;
        const what = `${name} ${value}`;
        if (reason === undefined) expect.soft(comparable(own[value]), what).toEqual(theirs);
        else expect.soft(comparable(own[value]), `${what}: ${reason}`).not.toEqual(theirs);
      }
    }
    expect(compared).toBeGreaterThan(reads);
  });
});
