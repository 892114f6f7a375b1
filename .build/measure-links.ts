import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type CorpusMail, corpusMails } from '../test/extract/corpus.ts';
import { type LinkOutcome, linkOutcomes, type Outcome } from '../test/extract/link-outcomes.ts';

// This program measures the finder of links on mails with known values: `jiti .build/measure-links.ts [file.jsonl ...]`.
// Without a file it takes test/corpus. test/corpus/FIGURES.md has the method and the figures.

const files = process.argv.slice(2);
const mails = files.length === 0 ? corpusMails() : files.flatMap(fromFile);
const all = linkOutcomes(mails);
const OUTCOMES: readonly Outcome[] = ['right', 'wrong', 'missed', 'ambiguous'];

function say(...parts: readonly (string | number)[]): void {
  process.stdout.write(`${parts.join(' ')}\n`);
}

function fromFile(file: string): CorpusMail[] {
  const project = basename(file, '.jsonl');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => ({ text: null, html: null, code: null, ...JSON.parse(line), project }));
}

function row(name: string, some: readonly (Outcome | null)[]): void {
  const told = some.filter((one) => one !== null);
  if (told.length === 0) return;
  const counts = OUTCOMES.map((outcome) => String(told.filter((one) => one === outcome).length).padStart(10));
  say(name.padEnd(28), String(told.length).padStart(6), ...counts);
}

function table(title: string, nameOf: (one: LinkOutcome) => string, some: readonly LinkOutcome[]): void {
  say(`\nKinds by ${title}`);
  for (const name of [...new Set(some.map(nameOf))].sort()) {
    row(
      name,
      some.filter((one) => nameOf(one) === name).map(({ kindOutcome }) => kindOutcome),
    );
  }
}

say(''.padEnd(28), 'links', ...OUTCOMES.map((outcome) => outcome.padStart(10)));
row(
  'link()',
  all.map(({ chosen }) => chosen),
);
row(
  'link(kind)',
  all.map(({ chosenByKind }) => chosenByKind),
);
const main = all.filter(({ isMain }) => isMain);
row(
  'kind of the link to follow',
  main.map(({ kindOutcome }) => kindOutcome),
);
row(
  'kind of any other link',
  all.filter(({ isMain }) => !isMain).map(({ kindOutcome }) => kindOutcome),
);
table('kind', ({ kind }) => kind, all);
table('project', ({ mail }) => mail.project, all);
table('language', ({ mail }) => mail.language.split(/[-_]/, 1)[0] ?? '', all);
say('');
for (const { mail, kind, foundKind, reason, chosen, kindOutcome } of all) {
  if (kindOutcome !== 'right' || (chosen ?? 'right') !== 'right')
    say(`${mail.id} (${mail.language}): ${kind}, found ${foundKind} (${reason}); link() ${chosen ?? 'not asked'}`);
}
