import { saidAgo, saidMoment } from '../../../src/text/said.ts';
import { useNow } from '../use-loaded.ts';

/** A time as people say it, such as `3 min ago`, with the exact one on hover. */
export function TimeAgo({ at, className = '' }: { readonly at: number; readonly className?: string }) {
  const now = useNow(10_000);
  return (
    <time className={className} dateTime={new Date(at).toISOString()} title={saidMoment(at, now)}>
      {saidAgo(at, now)}
    </time>
  );
}
