import type { Client } from '../../client/index.ts';
import { flagOf } from '../../config/options.ts';
import { ConfigError } from '../../config/user-error.ts';
import { nearest } from '../../text/nearest.ts';
import { isAgreed } from '../ask.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect, findMailbox, workspaceOf } from '../connect.ts';
import { byIdOrName, isId } from '../named.ts';
import { printBytes, printedAsJson, printJson, printJsonText, printText, say } from '../output.ts';
import { readData } from '../read-given.ts';
import { printTable } from '../table.ts';
import { CALLED_OPERATIONS, type CalledOperation, type GivenParameter, type PathId } from './called.ts';

/** The largest body that a server takes, in bytes: a mail of 256 MiB. */
const MAX_BYTES = 256 * 1024 * 1024;

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** Runs `mailcap api`: lists the operations. A name that stands here is none of them, or behind an option. */
export async function listOperations(args: Arguments): Promise<number> {
  const named = args.operand();
  if (named !== null) throw new ConfigError(unknownName(named));
  const rows = CALLED_OPERATIONS.map(({ name, method, path, summary, isLocal }) => ({
    name,
    method,
    path,
    summary,
    api: isLocal ? 'local' : 'cloud',
  }));
  if (printedAsJson(args, rows)) return EXIT.done;
  printTable(rows, [
    { title: 'OPERATION', of: ({ name }) => name },
    { title: 'REQUEST', of: ({ method, path }) => `${method} ${path}`, flexible: true, from: 100 },
    { title: 'WHAT IT DOES', of: ({ summary }) => summary, flexible: true },
  ]);
  say('`mailcap api <operation> --help` shows the parameters of one.');
  return EXIT.done;
}

function unknownName(named: string): string {
  const names = CALLED_OPERATIONS.map(({ name }) => name);
  if (names.includes(named)) return `${named}: the operation comes first, as in \`mailcap api ${named} --json\`.`;
  const word = named.toLowerCase();
  const alike = names.filter((name) => name.toLowerCase().includes(word));
  if (alike.length > 1)
    return `${named}: no such operation; there are ${alike.slice(0, 5).join(', ')}. \`mailcap api\` lists them all.`;
  const meant = alike[0] ?? nearest(named, names);
  return `${named}: no such operation; ${meant === null ? '`mailcap api` lists them.' : `did you mean ${meant}?`}`;
}

/** Calls an operation with what the command line gives, and prints its answer. */
export async function callOperation(operation: CalledOperation, args: Arguments): Promise<number> {
  const { name, isLocal, takes, options } = operation;
  const query = valuesOf(options, 'query', args);
  const missing = [...options].find(([key, { isRequired }]) => isRequired && !args.isGiven(key));
  if (missing !== undefined)
    throw new ConfigError(`--${flagOf(missing[0])} is missing: \`mailcap api ${name} --help\` shows what it takes.`);
  const body = await bodyOf(operation, args);
  const client = await connect(args);
  const ids: string[] = [];
  for (const [at, id] of operation.ids.entries()) ids.push(await idOf(client, id, args.operand(at)));
  if ('mailboxId' in query) query['mailboxId'] = await mailboxId(client, String(query['mailboxId']));
  if (operation.isDeletion && !(await isAgreed(args, `call ${name}${ids.length > 0 ? ` of ${ids.join(', ')}` : ''}`)))
    return EXIT.failed;
  const calls = (isLocal ? client.local : client) as unknown as Readonly<Record<string, Call>>;
  const given = [...ids, ...(takes === undefined ? [] : [body]), ...(operation.asks ? [query] : [])];
  return tell(operation, await calls[name]?.(...given), args);
}

/** Prints an answer. Where a wait ended without a result, the exit code is that of a wait. */
async function tell({ gives, isWait }: CalledOperation, answer: unknown, args: Arguments): Promise<number> {
  if (answer instanceof Uint8Array) await printBytes(answer);
  else if (gives === 'text') printText(String(answer));
  else if (answer !== undefined && answer !== null) printAnswer(answer, args);
  else if (isWait) {
    say('nothing came in time.');
    return EXIT.timedOut;
  } else say('done.');
  return EXIT.done;
}

/** Prints JSON: on one line for programs, with indents for a reader. */
function printAnswer(answer: unknown, args: Arguments): void {
  if (process.stdout.isTTY && !args.isOn('json')) printJsonText(`${JSON.stringify(answer, null, 2)}\n`);
  else printJson(answer);
}

/** Returns the values of the options that go to one place, by their names in the API. */
function valuesOf(
  options: CalledOperation['options'],
  place: GivenParameter['place'],
  args: Arguments,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, parameter] of options)
    if (parameter.place === place && args.isGiven(key)) values[parameter.name] = valueFor(key, parameter, args);
  return values;
}

function valueFor(key: string, { kind }: GivenParameter, args: Arguments): unknown {
  const text = args.value(key) ?? '';
  switch (kind) {
    case 'flag':
      return args.isOn(key);
    case 'number':
      if (text.trim() === '' || !Number.isFinite(Number(text)))
        throw new ConfigError(`--${flagOf(key)}: expected a number, got ${JSON.stringify(text)}.`);
      return Number(text);
    case 'list':
      return text.startsWith('[') ? jsonOf(`--${flagOf(key)}`, text) : text.split(',').filter((one) => one !== '');
    case 'json':
      return jsonOf(`--${flagOf(key)}`, text);
    case 'textOrJson':
      return /^[{[]/.test(text) ? jsonOf(`--${flagOf(key)}`, text) : text;
    default:
      return text;
  }
}

function jsonOf(option: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${option}: expected JSON, as in '{"name": "value"}' or '["a"]': ${why}.`);
  }
}

/** Returns the body: --data with the fields that have options. Throws a {@link ConfigError} for one that can't be. */
async function bodyOf(operation: CalledOperation, args: Arguments): Promise<unknown> {
  const { name, takes, options } = operation;
  if (takes === undefined) return undefined;
  const data = await readData(args, MAX_BYTES);
  if (takes === 'message') {
    if (data !== null) return data;
    throw new ConfigError(`${name} takes a mail: give --data @file, or --data @- for standard input.`);
  }
  const fields = valuesOf(options, 'body', args);
  const hasFields = [...options.values()].some(({ place }) => place === 'body');
  if (data === null) {
    if (hasFields) return fields;
    throw new ConfigError(`${name} takes a list: give it as JSON, as in --data '["a"]', or --data @file.`);
  }
  const whole = jsonOf('--data', data.toString());
  if (Object.keys(fields).length === 0) return whole;
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole))
    throw new ConfigError('--data is no object, so no field can be added to it by an option.');
  return { ...whole, ...fields };
}

/** Returns an id of the path. A mailbox, a webhook and a workspace may be given by their names, as in other commands. */
async function idOf(client: Client, { of }: PathId, given: string | null): Promise<string> {
  if (given === null) return workspaceOf(client);
  if (isId(given)) return given;
  if (of === 'mailboxes') return mailboxId(client, given);
  if (of === 'webhooks') return (await (await import('../tools/webhooks.ts')).findWebhook(client, given)).id;
  if (of !== 'workspaces') return given;
  const all = await client.local.listWorkspaces();
  return byIdOrName(all, given, ({ name }) => name, 'workspace', 'api listWorkspaces').id;
}

async function mailboxId(client: Client, named: string): Promise<string> {
  return isId(named) ? named : (await findMailbox(client, named)).id;
}
