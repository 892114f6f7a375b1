import type { SmtpStage } from '../domain/smtp-stage.ts';

/**
 * The stage by the first four letters of a command, read as one number. Every command is looked up, so it must be fast.
 */
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

/** Returns the stage of a command, or null if it has none. */
export function stageOf(command: Buffer): SmtpStage | null {
  return command.length < 4 ? null : (STAGES.get(command.readInt32BE() & UPPER_CASE) ?? null);
}

/** Returns what follows the verb of a command. */
export function argumentOf(command: Buffer): string {
  const line = command.toString().trim();
  const space = line.search(/\s/);
  return space < 0 ? '' : line.slice(space).trim();
}
