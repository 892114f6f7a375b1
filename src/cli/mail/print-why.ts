import type { AnyMessage } from '../../client/mailbox/any-kind.ts';
import { type Explanation, whyCode, whyLink } from '../../extract/why.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { outputStyles, print, printJson } from '../output.ts';
import { codesOf, linksOf, titleOf } from './find-in-message.ts';

const VERDICTS = { chosen: 'chosen', unsure: 'equally likely', further: 'less likely', no: 'no code' } as const;

/** Prints the candidates for the code and the link of a message, each with the decision and its reasons. */
export function printWhy(message: AnyMessage, json: boolean): void {
  const [code, link] = [whyCode(codesOf(message)), whyLink(linksOf(message))];
  if (json) {
    printJson({ code, link });
    return;
  }
  const { bold } = outputStyles();
  const lines = [
    bold(titleOf(message, 2_000)),
    '',
    ...section('Code', code, 'No text in it looks like a code.'),
    '',
    ...section('Link', link, 'It has no link.'),
  ];
  print(lines.join('\n'));
}

function section(title: string, { candidates, hint }: Explanation, nothing: string): string[] {
  const { bold, dim } = outputStyles();
  const rows = candidates.flatMap(({ value, kind, verdict, reason }) => [
    `  ${[VERDICTS[verdict], kind].filter((part) => part !== null).join(', ')}: ${harmlessLine(value, 2_000)}`,
    `    ${dim(harmlessLine(reason, 300))}`,
  ]);
  return [
    bold(title),
    ...(rows.length === 0 ? [`  ${nothing}`] : rows),
    ...(hint === null ? [] : [`  ${harmlessLine(hint, 500)}`]),
  ];
}
