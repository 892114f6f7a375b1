import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { apiCommands } from '../../src/cli/api/commands.ts';
import { Arguments, optionsOf } from '../../src/cli/command.ts';
import { commandHelp, groupHelp, topHelp } from '../../src/cli/help.ts';
import { COMMAND_GROUPS, COMMANDS } from '../../src/cli/program.ts';
import { docs } from '../../src/cli/tools/docs.ts';

const { isTTY, columns } = process.stdout;
let printed = '';

beforeEach(() => {
  printed = '';
  process.stdout.isTTY = true;
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(process.stdout, { isTTY, columns });
});

/** Returns the lines that do not fit, and those that end with a space. */
function faulty(text: string, width: number): string[] {
  return stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.length > width || /\s$/.test(line));
}

const WIDTHS = [40, 47, 59, 60, 61, 80, 111, 120, 200];

test.each(WIDTHS)(
  'on a terminal of %i columns no help page has a wider line, or a space at the end of one',
  (width) => {
    const operations = apiCommands();
    const groups = new Set(
      Object.keys(COMMANDS).flatMap((name) => (name.includes(' ') ? [name.replace(/ .*/, '')] : [])),
    );
    process.stdout.columns = width;
    const pages = [
      topHelp(COMMAND_GROUPS),
      ...[...groups].map((group) => groupHelp(group, COMMANDS)),
      ...Object.entries(COMMANDS).map(([name, command]) => commandHelp(name, command, optionsOf(command))),
      ...Object.entries(operations).map(([name, command]) => commandHelp(`api ${name}`, command, optionsOf(command))),
    ];
    expect(pages.length).toBeGreaterThan(100);
    expect(faulty(pages.join(''), width)).toEqual([]);
  },
);

test.each(WIDTHS)(
  'on a terminal of %i columns the pages of the documentation are listed and found in it',
  async (width) => {
    process.stdout.columns = width;
    for (const words of [[], ['claimed', 'address']]) {
      await docs(new Arguments({}, words));
      expect(printed).toContain('claimed-addresses');
    }
    expect(faulty(printed, width)).toEqual([]);
  },
);
