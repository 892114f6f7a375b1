import type { SmtpStage } from '../domain/smtp-stage.ts';

/** By the first four letters as one number: this is asked of every command. */
const STAGES: ReadonlyMap<number, SmtpStage> = new Map(
  (
    [
      ['EHLO', 'helo'],
      ['HELO', 'helo'],
      ['AUTH', 'auth'],
      ['MAIL', 'mail'],
      ['RCPT', 'rcpt'],
      ['DATA', 'data'],
    ] as const
  ).map(([name, stage]) => [Buffer.from(name).readInt32BE(), stage]),
);

const UPPER_CASE = 0xdfdfdfdf;

/** The stage a command belongs to, null where to none. */
export function stageOf(command: Buffer): SmtpStage | null {
  return command.length < 4 ? null : (STAGES.get(command.readInt32BE() & UPPER_CASE) ?? null);
}

/** What follows the command's name. */
export function argumentOf(command: Buffer): string {
  return command.toString().trim().split(/\s+/)[1] ?? '';
}
