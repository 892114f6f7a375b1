import { harmlessLine, harmlessText } from '../../text/harmless.ts';
import { wrapLine } from '../../text/width.ts';
import type { Project } from './project.ts';
import { NAMES } from './runner.ts';
import type { InitPlan, InitStep } from './step.ts';

const WIDTH = 80;

/** Returns the lines that describe a plan to a person. */
export function showPlan({ manifest }: Project, { manager, runner, isTypeScript, steps, notes }: InitPlan): string[] {
  const modules = manifest.type === 'module' ? 'ES modules' : 'CommonJS';
  return [
    [manager, NAMES[runner], ...(isTypeScript ? ['TypeScript'] : []), modules].join(', '),
    ...steps.flatMap(linesOf),
    ...notes.flatMap((note) => wrapLine(harmlessLine(note), WIDTH)),
  ];
}

function linesOf(step: InitStep): string[] {
  switch (step.do) {
    case 'install':
      return [`  run     ${step.command.join(' ')}`];
    case 'create':
    case 'edit':
      return [`  ${step.do.padEnd(7)} ${harmlessLine(step.path)}: ${step.why}`];
    case 'paste':
      return [
        `  by hand ${harmlessLine(step.path)}, because ${step.why}:`,
        ...harmlessText(step.lines)
          .split('\n')
          .map((line) => `            ${line}`.trimEnd()),
      ];
  }
}

/** Returns a plan as JSON. */
export function written(
  { directory, manifest }: Project,
  { manager, runner, isTypeScript, steps, notes, run }: InitPlan,
) {
  return {
    project: { directory, manager, runner, typescript: isTypeScript, module: manifest.type },
    steps: steps.map((step) => {
      if (step.do !== 'edit') return step;
      const { change: _, ...told } = step;
      return told;
    }),
    notes,
    run,
  };
}
