import { flagOf } from '../../config/options.ts';
import { type CliOption, type Command, type Commands, type Operand, type OptionTable, YES_OPTION } from '../command.ts';
import { CALLED_OPERATIONS, type CalledOperation, type GivenParameter } from './called.ts';
import type { ApiParameter } from './operations.ts';

/** Every operation as a command of its own, by its name. Help, completion and the parser take it as any other. */
export function apiCommands(): Commands {
  return Object.fromEntries(CALLED_OPERATIONS.map((operation) => [operation.name, commandOf(operation)]));
}

function commandOf(operation: CalledOperation): Command {
  const { method, path, summary, options, ids, takes, isDeletion } = operation;
  const operands = ids.map(({ name: id, isRequired }): Operand => ({ name: flagOf(id), required: isRequired }));
  const data: OptionTable =
    takes === undefined ? {} : { data: { type: 'string', value: DATA[takes].value, help: DATA[takes].help } };
  return {
    summary,
    page: 'api',
    operands,
    options: {
      ...Object.fromEntries([...options].map(([key, parameter]) => [key, optionOf(parameter)])),
      ...data,
      ...(isDeletion ? { yes: YES_OPTION } : {}),
    },
    normalize: asFlag,
    notes: [`It requests ${method} ${path}.`],
    examples: [],
    run: async (args) => (await import('./call.ts')).callOperation(operation, args),
  };
}

const DATA = {
  json: { value: '<json>', help: 'The whole body as JSON, @file, or @- for standard input' },
  message: { value: '<mail>', help: 'The mail as RFC 5322 has it, @file, or @- for standard input' },
} as const;

const PLACEHOLDERS: Readonly<Record<ApiParameter['kind'], string>> = {
  text: '<text>',
  number: '<number>',
  time: '<time>',
  flag: '',
  list: '<a,b>',
  json: '<json>',
  textOrJson: '<text>',
};

function optionOf({ kind, about = '', choices, isRequired }: GivenParameter): CliOption {
  const help = `${about}${isRequired ? `${about === '' ? '' : '; '}required` : ''}`;
  if (kind === 'flag') return { type: 'boolean', help };
  if (choices !== undefined) return { type: { oneOf: choices }, help };
  return { type: 'string', value: PLACEHOLDERS[kind], help };
}

/** Writes an option in the way of the command line, where it is typed as the API has it: `--page-size` for `--pageSize`. */
function asFlag(typed: string): string {
  const [, name, rest = ''] = /^--([A-Za-z]+)(=.*)?$/s.exec(typed) ?? [];
  return name === undefined ? typed : `--${flagOf(name)}${rest}`;
}
