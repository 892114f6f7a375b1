import type { CheckFinding, Checks } from '../../client/index.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { saidCount } from '../../text/said.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect } from '../connect.ts';
import { outputStyles, print, printForAgent, printJson, say } from '../output.ts';
import { printHanging } from '../table.ts';
import { messageNamed } from './message-named.ts';

const INDENT = 5;

/**
 * Runs `mailcap messages check`. The exit code is 1 if a finding is an error or a warning, or if the mail could not be
 * checked.
 */
export async function checkMessage(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { id } = await messageNamed(client, args.operand(), args.text('mailbox'));
  const given = (name: string) => (args.text(name) === null ? undefined : args.list(name));
  const checks = await client.local.checkMessage(id, {
    clients: given('clients'),
    allow: given('allow'),
    deny: given('deny'),
    reach: args.isOn('reach'),
  });
  if (args.isOn('agent')) await printForAgent(({ checksResult }, fenceId) => checksResult(checks, fenceId));
  else if (args.isOn('json')) printJson(checks);
  else show(checks, args.isOn('notes'));
  return checks.passed ? EXIT.done : EXIT.failed;
}

function show(checks: Checks, withNotes: boolean): void {
  const { findings, checkError, notChecked, leftOut } = checks;
  const notes = findings.filter(({ severity }) => severity === 'note');
  const shown = withNotes ? findings : findings.filter(({ severity }) => severity !== 'note');
  for (const finding of shown) showFinding(finding);
  if (checkError !== null) say(`the message could not be checked: ${harmlessLine(checkError)}`);
  for (const sentence of notChecked) say(harmlessLine(sentence.slice(0, 1).toLowerCase() + sentence.slice(1)));
  const count = findings.length - notes.length;
  const kept = withNotes || notes.length === 0 ? '' : `, and ${counted(notes.length, 'note')} (--notes)`;
  const more = leftOut === 0 ? '' : `, and ${leftOut} more`;
  const { clients, clientData } = checks;
  say(
    `${counted(count, 'finding')}${kept}${more}; ${counted(clients.length, 'client')} by ${clientData.source} of ${clientData.date}.`,
  );
}

function showFinding({ rule, detail, severity, message, remedy, place, count }: CheckFinding): void {
  const { bold, red, yellow, dim } = outputStyles();
  const sign = { error: red('FAIL'), warning: yellow('warn'), note: dim('note') }[severity];
  print(`${sign} ${bold(detail === null ? rule : `${rule}:${harmlessLine(detail, 60)}`)}`);
  const margin = ' '.repeat(INDENT);
  printHanging(margin, INDENT, harmlessLine(message));
  if (place !== null) {
    const more = count > 1 ? `, and ${count - 1} more` : '';
    const { part, line, column, excerpt } = place;
    printHanging(margin, INDENT, `${part} ${line}:${column}${more}: ${harmlessLine(excerpt, 100)}`, dim);
  }
  printHanging(margin, INDENT, harmlessLine(remedy), dim);
}

function counted(count: number, word: string): string {
  return count === 0 ? `no ${word}s` : saidCount(count, word);
}
