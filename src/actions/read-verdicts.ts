import type { Context } from '../context.ts';
import { attachmentId } from '../domain/attachment-id.ts';
import type { Facts, Message } from '../domain/message.ts';
import type { ParsedMail, VirusScanStatus } from '../domain/parsed-mail.ts';
import type { SpfResult } from '../domain/spf.ts';

/**
 * The verdicts of DNS and of the scanner on a message. They are obtained when it is first read, so that no sender
 * waits.
 */
export interface Verdicts {
  readonly spf: SpfResult;
  /** One status per attachment, in their order. */
  readonly virusScan: readonly VirusScanStatus[];
}

/**
 * The longest time a reader waits for a scan, in milliseconds. A slower scan continues, and its verdict is cached for
 * later readers.
 */
const PATIENCE_MS = 5_000;

export async function readVerdicts(ctx: Context, message: Message, facts: Facts, mail: ParsedMail): Promise<Verdicts> {
  const [spf, virusScan] = await Promise.all([ctx.spf.evaluate(message.id, facts), scanAll(ctx, message, mail)]);
  return { spf, virusScan };
}

async function scanAll(ctx: Context, message: Message, mail: ParsedMail): Promise<VirusScanStatus[]> {
  // The parser recognizes the EICAR test file itself, so the daemon need not scan it.
  if (mail.attachments.every(({ virusScanStatus }) => virusScanStatus !== 0)) {
    return mail.attachments.map(({ virusScanStatus }) => virusScanStatus);
  }
  let waiting = true;
  let stop = () => {};
  const late = new Promise<VirusScanStatus>((resolve) => {
    stop = ctx.clock.after(PATIENCE_MS, () => {
      waiting = false;
      resolve(3);
    });
  });
  try {
    return await Promise.all(
      mail.attachments.map(({ virusScanStatus }, position) =>
        virusScanStatus === 0
          ? Promise.race([scanOne(ctx, message, position, () => waiting), late])
          : Promise.resolve(virusScanStatus),
      ),
    );
  } finally {
    stop();
  }
}

function scanOne(ctx: Context, message: Message, position: number, isWanted: () => boolean): Promise<VirusScanStatus> {
  const read = async () => {
    const raw = () => ctx.store.blobs.read(message.raw);
    return (await ctx.parser.attachment(message.id, position, raw))?.content ?? null;
  };
  return ctx.scanner.scan(attachmentId(message.id, position), read, isWanted);
}
