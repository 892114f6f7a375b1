import { saidMoment } from '../../../src/text/said.ts';
import { useNow } from '../use-loaded.ts';
import { href, useShell } from '../use-shell.ts';
import { Button } from './controls.tsx';
import { Icon } from './Icon.tsx';

/** Says that the clock of the server is shifted, and sets it back. */
export function ClockBanner() {
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
