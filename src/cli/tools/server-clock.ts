import type { Client, Clock, ClockSetting } from '../../client/index.ts';
import { ConfigError } from '../../config/user-error.ts';
import { type Arguments, durationOf, EXIT } from '../command.ts';
import { connect } from '../connect.ts';
import { print, printedAsJson, say } from '../output.ts';

/** Runs `mailcap clock show`: prints the time of the server, by which mail expires and codes change. */
export async function showClock(args: Arguments): Promise<number> {
  const client = await connect(args);
  tell(args, args.isOn('server') ? await client.local.getClock() : await ownClock(client));
  return EXIT.done;
}

/**
 * Runs `mailcap clock set`: to a time, forward as in +2h, back as in -2h, or to the real time with `off`. The clock is
 * that of the workspace, or with --server that of the whole server.
 */
export async function setClock(args: Arguments): Promise<number> {
  const when = args.operand() ?? '';
  const shift = /^([+-]|minus )(.+)$/.exec(when);
  const seconds = shift === null ? null : durationOf(shift[2] ?? '');
  const isOff = /^off$/i.test(when);
  if (!isOff && seconds === null && Number.isNaN(Date.parse(when)))
    throw new ConfigError(`${when}: expected a time, a shift as in +2h, or off.`);
  const client = await connect(args);
  const isWhole = args.isOn('server');
  const { offsetSeconds } = isWhole ? await client.local.getClock() : await ownClock(client);
  const setting: ClockSetting = isOff
    ? null
    : seconds === null
      ? { now: new Date(when).toISOString() }
      : { offsetSeconds: offsetSeconds + (shift?.[1] === '+' ? seconds : -seconds) };
  tell(args, isWhole ? await client.local.setClock(setting) : await client.setClock(setting));
  return EXIT.done;
}

async function ownClock(client: Client): Promise<Clock> {
  return client.local.getWorkspaceClock(await client.workspaceId());
}

function tell(args: Arguments, clock: Clock): void {
  if (printedAsJson(args, clock)) return;
  const { now, offsetSeconds } = clock;
  print(now);
  if (offsetSeconds === 0) say('it is the real time.');
  else say(`it is ${Math.abs(offsetSeconds)} s ${offsetSeconds > 0 ? 'ahead of' : 'behind'} the real time.`);
}
