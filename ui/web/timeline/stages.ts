import type { Diagnosis } from '../app/api.ts';

/** The steps of an SMTP connection as people read them. */
export const STEPS: Readonly<Record<NonNullable<NonNullable<Diagnosis['lastConnection']>['reached']>, string>> = {
  connect: 'the greeting',
  helo: 'EHLO',
  auth: 'the sign-in',
  mail: 'MAIL FROM',
  rcpt: 'RCPT TO',
  data: 'DATA',
  end: 'the end of the mail',
};

/** Says where a refusal or a fault came. */
export function saidStage(stage: string | null): string {
  if (stage === null) return '';
  return `at ${stage === 'http' ? 'an HTTP request' : ((STEPS as Readonly<Record<string, string>>)[stage] ?? stage)}`;
}
