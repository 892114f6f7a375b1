import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { evaluateSpf } from '../../src/adapters/spf.ts';
import { spfQuestion } from '../../src/domain/spf.ts';
import { facts } from '../support/facts.ts';
import { type Records, scriptedDns } from './scripted-dns.ts';

// The RFC 7208 test suite, see corpus/README.md.

interface Suite {
  readonly description: string;
  readonly tests: Readonly<Record<string, Case>>;
  readonly zonedata: Readonly<Record<string, readonly Row[]>>;
}
interface Case {
  readonly helo: string;
  readonly host: string;
  readonly mailfrom?: string;
  readonly result: string | readonly string[];
}
type Row = string | Readonly<Record<string, unknown>>;

const FILE = join(import.meta.dirname, '..', 'corpus', 'rfc7208', 'rfc7208-tests.json');
const SUITES = JSON.parse(readFileSync(FILE, 'utf8')) as Suite[];

/** The tests for which mailauth 4.13 returns another result, and that result. */
const DIFFERS: Readonly<Record<string, string>> = {
  // mailauth does not look for syntax errors after the mechanism that matched.
  'bare-ip6': 'fail',
  'exp-twice': 'fail',
  'exp-only-macro-char': 'fail',
  'exp-syntax-error': 'neutral',
  // mailauth expands macro p to the sender's domain.
  'p-macro-multiple': 'neutral',
  // Macro h expands to something that is no domain name.
  'invalid-hello-macro': 'permerror',
  'hello-domain-literal': 'permerror',
  'require-valid-helo': 'permerror',
};

function zoneOf(suite: Suite): Record<string, Records> {
  return Object.fromEntries(Object.entries(suite.zonedata).map(([name, rows]) => [name, recordsOf(rows)]));
}

function recordsOf(rows: readonly Row[]): Records {
  const failing = rows.includes('TIMEOUT');
  const values = (type: string): unknown[] =>
    rows.flatMap((row) => (typeof row === 'object' && type in row ? [row[type]] : []));
  // A policy of the old SPF type counts as TXT too, unless the zone defines the TXT records of the name.
  const texts = values('TXT').length > 0 ? values('TXT') : values('SPF');
  const txt = texts.filter((text) => text !== 'NONE').map((text) => [text].flat().join(''));
  const mx = values('MX').map((pair) => String([pair].flat()[1] ?? ''));
  const rest = {
    a: values('A').map(String),
    aaaa: values('AAAA').map(String),
    ptr: values('PTR').map(String),
    mx,
    txt,
  };
  const given = Object.entries(rest).filter(([, records]) => records.length > 0);
  return { ...Object.fromEntries(given), failing };
}

describe.each(SUITES)('$description', (suite) => {
  test.each(Object.entries(suite.tests))('%s', async (name, { helo, host, mailfrom = '', result }) => {
    const { of } = facts(host, mailfrom, helo);
    const question = spfQuestion(of, true);
    const { signal } = new AbortController();
    const found =
      question === null ? 'none' : await evaluateSpf(question, scriptedDns(zoneOf(suite)), 'receiver.test', signal);
    expect([DIFFERS[name] ?? result].flat()).toContain(found);
  });
});
