import type { Checks } from '../../client/index.ts';
import { defusedLine, fence } from '../../text/fence.ts';

const SHOWN = 4;

/** The findings of a check. Rules and counts are plain data. The texts quote the mail, so they are inside a fence. */
export interface ChecksResult {
  readonly passed: boolean;
  readonly errors: number;
  readonly warnings: number;
  readonly rules: string[];
  readonly content: string;
}

/** Describes the checks of a message for a language model. It leaves out notes, because they never fail a check. */
export function checksResult({ passed, findings, checkError }: Checks, fenceId: string): ChecksResult {
  const counted = findings.filter(({ severity }) => severity !== 'note');
  const lines = counted.slice(0, SHOWN).map(({ rule, message, remedy, place, count }) => {
    const where =
      place === null ? '' : ` (${place.part} ${place.line}:${place.column}${count > 1 ? `, ${count} places` : ''})`;
    return `${rule}: ${defusedLine(message, 140)}${where} ${defusedLine(remedy, 100)}`;
  });
  const more = counted.length > SHOWN ? [`and ${counted.length - SHOWN} more`] : [];
  const failed = checkError === null ? [] : [`not checked: ${defusedLine(checkError, 160)}`];
  const all = [...failed, ...lines, ...more];
  return {
    passed,
    errors: counted.filter(({ severity }) => severity === 'error').length,
    warnings: counted.filter(({ severity }) => severity === 'warning').length,
    rules: [...new Set(counted.map(({ rule }) => rule))],
    content: all.length === 0 ? '' : fence(fenceId, all),
  };
}
