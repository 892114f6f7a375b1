import type { SmtpStage } from '../domain/smtp-stage.ts';

const STAGES: ReadonlyMap<string, SmtpStage> = new Map([
  ['EHLO', 'helo'],
  ['HELO', 'helo'],
  ['AUTH', 'auth'],
  ['MAIL', 'mail'],
  ['RCPT', 'rcpt'],
  ['DATA', 'data'],
]);

/** The stage a command belongs to, null where to none. */
export function stageOf(command: Buffer): SmtpStage | null {
  return STAGES.get(command.toString('latin1', 0, 4).toUpperCase()) ?? null;
}

/** What follows the command's name. */
export function argumentOf(command: Buffer): string {
  return command.toString().trim().split(/\s+/)[1] ?? '';
}
