import type { Commands } from '../../src/cli/command.ts';
import { usageOf } from '../../src/cli/help.ts';

/** The table of commands, as the README has it. */
export function commandTable(commands: Commands): string {
  const rows = Object.entries(commands).map(([name, command]) => {
    const typed = usageOf(name, command).replace('Usage: ', '').replace(' [options]', '');
    return [`\`${typed}\``, command.summary];
  });
  const width = Math.max(...rows.map(([typed = '']) => typed.length));
  const line = (typed: string, summary: string) => `| ${typed.padEnd(width)} | ${summary} |`;
  return [
    line('command', ''),
    `| ${'-'.repeat(width)} | --- |`,
    ...rows.map(([typed = '', summary = '']) => line(typed, summary)),
  ].join('\n');
}
