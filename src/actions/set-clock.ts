import type { Context } from '../context.ts';
import { parseClockSetting } from '../domain/clock-setting.ts';
import { refuse } from '../domain/errors.ts';
import { sweep } from './sweep.ts';

/**
 * Sets the clock that retention, counters and rate limits follow. The setting survives restarts. Messages that are now
 * past their retention are removed at once. Throws `invalid_clock`.
 */
export async function setClock(ctx: Context, setting: unknown): Promise<void> {
  const offsetMs = parseClockSetting(setting, ctx.clock.now() - ctx.clock.offsetMs());
  if (offsetMs === null) throw refuse('invalid_clock');
  await ctx.store.transaction((tx) => tx.settings.setClockOffsetMs(offsetMs));
  ctx.clock.setOffsetMs(offsetMs);
  await sweep(ctx);
}
