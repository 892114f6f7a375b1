import { saidMoment } from '../../../src/text/said.ts';
import { href, useNow, useShell, useView } from '../use-shell.ts';
import { Button } from './controls.tsx';
import { Icon } from './Icon.tsx';

/** Shows warnings that concern every page: a lost connection and a shifted clock. */
export function Banners() {
  const connection = useView(({ connection }) => connection);
  const shifted = useView(({ shiftedSeconds }) => shiftedSeconds);
  return (
    <>
      {connection.state === 'lost' && (
        <div className="banner bad" role="status">
          <Icon name="alert" />
          <span>
            <strong>Not connected:</strong> {connection.reason}. The page shows the last known data and tries to
            reconnect.
          </span>
        </div>
      )}
      {Math.abs(shifted) >= 1 && <ClockBanner />}
    </>
  );
}

function ClockBanner() {
  const shell = useShell();
  const now = useNow(1_000);
  const back = () =>
    shell.attempt(async () => {
      const { now: there, offsetSeconds } = await shell.api.setClock(null);
      shell.server.setShifted(offsetSeconds, Date.parse(there));
    }, 'The clock is back at real time');
  return (
    <div className="banner waiting" role="status">
      <Icon name="clock" />
      <span>
        <strong>The clock is shifted:</strong> the time of the server is {saidMoment(now, shell.clock.now())}.{' '}
        <a href={href({ at: 'tools', tool: 'clock' })}>Clock</a>
      </span>
      <Button look="quiet" onClick={() => void back()}>
        Real time
      </Button>
    </div>
  );
}
