import type { Client, Fault, FaultRule } from '../../client/index.ts';
import { ConfigError } from '../../config/user-error.ts';
import { saidCount } from '../../text/said.ts';
import { isAgreed } from '../ask.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect, findMailbox } from '../connect.ts';
import { byIdOrName } from '../named.ts';
import { print, printResult, say } from '../output.ts';
import { idColumn, printList } from '../table.ts';

/** The stages at which a rule may apply, in the order of a mail (docs/faults.md#a-rule). */
export const STAGES = ['connect', 'helo', 'auth', 'mail', 'rcpt', 'data', 'end', 'http'] as const;

export async function listFaults(args: Arguments): Promise<number> {
  const client = await connect(args);
  const faults = await client.local.listFaults();
  return printList(
    args,
    faults,
    [
      idColumn(faults),
      { title: 'STAGE', of: ({ stage }) => stage },
      { title: 'MATCH', of: matchOf, flexible: true, from: 60 },
      { title: 'ACTION', of: actionOf, flexible: true },
      { title: 'APPLIED', of: ({ applied }) => applied, align: 'right' },
      { title: 'LEFT', of: ({ remaining }) => remaining ?? 'all', align: 'right' },
    ],
    'there is no fault rule; `mailcap faults add <stage>` adds one.',
  );
}

/** Adds a rule after the others, and prints its id. */
export async function addFault(args: Arguments): Promise<number> {
  const stage = STAGES.find((one) => one === args.operand());
  if (stage === undefined) throw new ConfigError(`${args.operand()}: expected a stage: ${STAGES.join(', ')}.`);
  const rule = ruleOf(stage, args);
  const client = await connect(args);
  const mailbox = args.text('mailbox') === null ? null : await findMailbox(client, args.text('mailbox'));
  const match = { ...rule.match, ...(mailbox === null ? {} : { mailboxId: mailbox.id }) };
  const fault = await client.local.addFault({ ...rule, match });
  return printResult(args, fault, () => print(fault.id));
}

function ruleOf(stage: FaultRule['stage'], args: Arguments): FaultRule {
  const reply = args.text('reply');
  const delay = args.seconds('delay');
  const isDropped = args.isOn('drop');
  if (reply !== null && isDropped) throw new ConfigError('--reply and --drop exclude each other: give one of them.');
  if (reply === null && delay === null && !isDropped)
    throw new ConfigError('a rule needs an effect: give --reply, --drop or --delay.');
  const [times, probability] = [args.count('times'), args.text('probability')];
  if (probability !== null && !(Number(probability) >= 0 && Number(probability) <= 1))
    throw new ConfigError(`--probability: expected a number from 0 to 1, got ${probability}.`);
  return {
    stage,
    match: Object.fromEntries(args.texts('match').map(partOfMatch)),
    action: {
      ...(reply === null ? {} : { reply }),
      ...(isDropped ? { drop: true } : {}),
      ...(delay === null ? {} : { delayMs: Math.round(delay * 1_000) }),
    },
    ...(times === null ? {} : { times }),
    ...(probability === null ? {} : { probability: Number(probability) }),
  };
}

/** Reads `to=*@slow.*`. */
function partOfMatch(text: string): [name: string, pattern: string] {
  const mark = text.indexOf('=');
  if (mark <= 0) throw new ConfigError(`--match: expected name=pattern, as in to=*@slow.*, got ${text}.`);
  return [text.slice(0, mark), text.slice(mark + 1)];
}

/** Removes a rule, or all with --all: those of other programs too. */
export async function removeFault(args: Arguments): Promise<number> {
  const named = args.operand();
  if ((named === null) !== args.isOn('all')) throw new ConfigError('name a rule by its id, or remove all with --all.');
  const client = await connect(args);
  const faults = await client.local.listFaults();
  if (named === null) return removeAll(client, faults, args);
  const { id } = byIdOrName(faults, named, () => null, 'fault rule', 'faults');
  const removed = await client.local.removeFault(id);
  return printResult(args, removed, () =>
    say(`the rule was applied ${removed.applied === 1 ? 'once' : `${removed.applied} times`}, and is removed.`),
  );
}

async function removeAll(client: Client, faults: readonly Fault[], args: Arguments): Promise<number> {
  const what = saidCount(faults.length, 'fault rule');
  const follows = 'Those of tests that run now are among them.';
  if (faults.length > 0 && !(await isAgreed(args, `remove ${what}`, follows, 'Nothing was removed.')))
    return EXIT.failed;
  await client.local.setFaults([]);
  return printResult(args, faults, () => say(`${what} removed.`));
}

function matchOf({ match }: Fault): string {
  return Object.entries(match)
    .map(([name, pattern]) => `${name}=${pattern}`)
    .join(' ');
}

function actionOf({ action: { reply, delayMs, drop }, probability }: Fault): string {
  const does = [
    ...(typeof reply === 'string' ? [reply] : reply === undefined ? [] : [`${reply.status}`]),
    ...(drop ? ['drop'] : []),
    ...(delayMs === undefined ? [] : [`after ${delayMs} ms`]),
  ];
  return `${does.join(' ')}${probability === null ? '' : `, at ${probability * 100} %`}`;
}
