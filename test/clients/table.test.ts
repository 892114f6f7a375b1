import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unless } from '../support/unless.ts';
import { CONFIGURATIONS, type Program } from './configurations.ts';
import { delivered, MODES, namesOf, sendBy, serverFor } from './deliver.ts';
import { prepare } from './programs.ts';
import { tableOf } from './table.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PROGRAMS = [...new Set(CONFIGURATIONS.map(({ program }) => program))];

// This test downloads from six registries and uses five compilers. Run it after changes to SMTP or TLS.
unless(test, process.env['MAIL_CLIENTS'] ? null : 'it downloads for minutes, and runs if MAIL_CLIENTS is set')(
  'README.md has what was delivered by every client that is installed here',
  async () => {
    const came: Record<string, ReadonlySet<string>> = {};
    const tried = new Set<string>();
    const reasons: string[] = [];
    const runnables = new Map<Program, NonNullable<Awaited<ReturnType<typeof prepare>>>>();
    for (const program of PROGRAMS) {
      const runnable = await prepare(program);
      if (runnable === null) continue;
      runnables.set(program, runnable);
      for (const name of namesOf(program)) tried.add(name);
    }
    for (const mode of MODES) {
      const server = await serverFor(mode);
      await Promise.all(
        [...runnables].map(async ([program, runnable]) => {
          const said = await sendBy(runnable, namesOf(program), server, mode);
          for (const [name, told] of said) if (told !== 'ok') reasons.push(`${mode}\t${name}\t${told}`);
        }),
      );
      came[mode] = await delivered(server);
    }
    const rows = CONFIGURATIONS.filter(({ name }) => tried.has(name));
    await writeFile(join(ROOT, 'node_modules', '.cache', 'mail-clients', 'reasons.tsv'), `${reasons.join('\n')}\n`);
    await writeFile(join(import.meta.dirname, 'README.md'), tableOf(rows, came));
    expect(came['auto']?.size ?? 0).toBeGreaterThanOrEqual(51);
  },
  900_000,
);
