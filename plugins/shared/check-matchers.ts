import {
  type CheckFinding,
  type CheckMessageQuery,
  type Checks,
  type Message,
  OptionError,
} from '../../src/client/index.ts';
import { sitedMatcher } from './call-site.ts';
import type { MatcherResult } from './matchers.ts';
import { messageName } from './message-name.ts';

/** The number of findings that a failure message lists. */
const SHOWN = 12;

/**
 * Checks that the message has no errors and no warnings. Notes do not fail. Throws a LocalOnlyError if the server has
 * no local API, a RefusedError for an unknown client or rule.
 */
export const toPassEmailChecks = sitedMatcher(
  async (message: Message, options: CheckMessageQuery = {}): Promise<MatcherResult> => {
    const checks = await checksOf('toPassEmailChecks', message, options);
    const failing = checks.findings.filter(({ severity }) => severity !== 'note');
    return judged(message, checks.checkError, checks.passed, (name) =>
      checks.passed
        ? `${name} should not pass the checks of ${checks.clients.length} clients, but it passes.`
        : `${name} ${counted(failing)}:\n\n${listed(failing)}\n\n${howToAllow(failing)}\n${dataOf(checks)}`,
    );
  },
);

/**
 * Checks that a reader can unsubscribe with one click (RFC 8058), and that the DKIM signatures of a signed mail cover
 * the headers for it.
 */
export const toBeUnsubscribable = sitedMatcher(async (message: Message): Promise<MatcherResult> => {
  const { unsubscribe, checkError } = await checksOf('toBeUnsubscribable', message, {});
  const { findings, isOneClick, url } = unsubscribe;
  const pass = checkError === null && isOneClick && findings.length === 0;
  return judged(message, checkError, pass, (name) =>
    pass
      ? `${name} should not be unsubscribable, but one click at ${url} unsubscribes.`
      : `${name} offers no one-click unsubscribe:\n\n${listed(findings)}`,
  );
});

/** Checks that Gmail shows the whole HTML. Gmail clips HTML after about 102 KB. */
export const toFitGmail = sitedMatcher(async (message: Message): Promise<MatcherResult> => {
  const { findings, checkError } = await checksOf('toFitGmail', message, { clients: ['gmail'] });
  const clipped = findings.filter(({ rule }) => rule === 'gmail-clip');
  const pass = checkError === null && clipped.length === 0;
  return judged(message, checkError, pass, (name) => {
    const bytes = new TextEncoder().encode(message.html ?? '').length.toLocaleString('en-US');
    return pass
      ? `${name} should not fit Gmail, but its HTML has only ${bytes} bytes.`
      : `Gmail clips ${name}:\n\n${listed(clipped)}`;
  });
});

function judged(
  message: Message,
  checkError: string | null,
  pass: boolean,
  say: (name: string) => string,
): MatcherResult {
  const name = messageName(message);
  return { pass, message: () => (checkError === null ? say(name) : `${name} could not be checked: ${checkError}`) };
}

async function checksOf(matcher: string, message: Message, options: CheckMessageQuery): Promise<Checks> {
  if (typeof message !== 'object' || message === null || !('checks' in message))
    throw new OptionError(`${matcher} needs a message: expect(await mailbox.waitForMessage()).${matcher}(...)`);
  return message.checks(options);
}

function counted(findings: readonly CheckFinding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  const parts = [errors === 1 ? '1 error' : `${errors} errors`, warnings === 1 ? '1 warning' : `${warnings} warnings`];
  return `has ${parts.filter((part) => !part.startsWith('0 ')).join(' and ')}`;
}

function listed(findings: readonly CheckFinding[]): string {
  const shown = findings.slice(0, SHOWN).map((finding) => {
    const { rule, detail, severity, message, remedy, place, count } = finding;
    const places = count > 1 ? ` and ${count - 1} more` : '';
    const where =
      place === null ? '' : `\n    ${place.part} ${place.line}:${place.column}${places}  ${place.excerpt.slice(0, 90)}`;
    return `  ${severity} ${nameOfRule(rule, detail)}\n    ${message}${where}\n    ${remedy}`;
  });
  const rest = findings.length - shown.length;
  return [...shown, ...(rest > 0 ? [`  … and ${rest} more`] : [])].join('\n');
}

function nameOfRule(rule: string, detail: string | null): string {
  return rule === 'client-support' && detail !== null ? `${rule}:${detail}` : rule;
}

function howToAllow([first]: readonly CheckFinding[]): string {
  return first === undefined ? '' : `Allow a rule with { allow: ['${nameOfRule(first.rule, first.detail)}'] }.`;
}

function dataOf({ clients, clientData: { source, date } }: Checks): string {
  return `Checked for ${clients.length} ${clients.length === 1 ? 'client' : 'clients'}, with data of ${source} from ${date}.`;
}
