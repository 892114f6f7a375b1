import { useView } from '../use-shell.ts';
import { Icon } from './Icon.tsx';
import { later } from './later.tsx';

const ClockBanner = later(() => import('./ClockBanner.tsx').then(({ ClockBanner }) => ClockBanner), { quiet: true });

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
