import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { number } from './statistics.js';

/**
 * Returns a row of the table that compares a measured value with its target.
 * @param {{ figure: string, value: number, unit?: string, digits?: number, atLeast?: number, atMost?: number, absolute: string }} row
 */
export function row({ figure, value, unit = '', digits = 2, atLeast, atMost, absolute }) {
  const write = (n, places) => `${number(n, places)}${unit}`;
  const target = atLeast ?? atMost;
  const targetDigits = Number.isInteger(target) ? 0 : String(target).split('.')[1].length;
  return {
    figure,
    measured: write(value, digits),
    mustReach:
      atLeast === undefined ? `at most ${write(target, targetDigits)}` : `at least ${write(target, targetDigits)}`,
    verdict: (atLeast === undefined ? value <= atMost : value >= atLeast) ? 'met' : 'MISSED',
    absolute,
  };
}

/** Returns a row without a target. */
export function told({ figure, value, unit = '', digits = 2, absolute }) {
  return { figure, measured: `${number(value, digits)}${unit}`, mustReach: '', verdict: '', absolute };
}

export function notRun(figure, reason) {
  return { figure, measured: '', mustReach: '', verdict: `not run: ${reason}`, absolute: '' };
}

/** Returns the content of bench/RESULTS.md. */
export function page({ rows, notes, machine, at, minutes, command }) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    '# Results of the bench',
    '',
    `Measured ${at.toISOString()} by \`${command}\` in ${number(minutes, 1)} minutes. Figures of shared machines drift: the ratios count,`,
    'taken from medians of runs that alternate A B A B on one machine; absolute numbers are told beside them as',
    'median (least to most).',
    '',
    line(['figure', 'measured', 'must reach', 'verdict', 'absolute']),
    line(['---', '---', '---', '---', '---']),
    ...rows.map((one) => line([one.figure, one.measured, one.mustReach, one.verdict, one.absolute])),
    '',
    '## Machine',
    '',
    ...machine.map((fact) => `- ${fact}`),
    '',
    '## Notes',
    '',
    ...notes.map((note) => `- ${note}`),
    '',
  ].join('\n');
}

/**
 * Describes the machine of the measurement. `loadBefore` is the one-minute load average before the first run; null leaves
 * it out.
 */
export function describeMachine(loadBefore) {
  const cpus = os.cpus();
  return [
    `${cpus.length} cores, ${cpus[0]?.model.trim() ?? 'unknown processor'}, ${number(os.totalmem() / 2 ** 30, 1)} GiB of memory`,
    `${os.type()} ${os.release()} ${os.arch()}, Node ${process.versions.node}`,
    `temporary directory on ${fileSystemOf(os.tmpdir())}`,
    `mailcap ${version('../package.json')}, MailDev ${version('peers/package.json')}`,
    ...(loadBefore === null ? [] : [`load average before the first run: ${number(loadBefore, 2)}`]),
  ];
}

function fileSystemOf(directory) {
  if (process.platform !== 'linux') return 'an unknown file system';
  return execFileSync('stat', ['-f', '-c', '%T', directory], { encoding: 'utf8' }).trim();
}

function version(path) {
  const manifest = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  return manifest.dependencies?.maildev ?? manifest.version;
}
