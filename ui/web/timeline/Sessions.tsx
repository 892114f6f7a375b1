import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import { saidCount, saidMoment } from '../../../src/text/said.ts';
import { NotLoaded } from '../parts/controls.tsx';
import { useLoaded, useShell } from '../use-shell.ts';

const SHOWN = 20;

/** Shows the latest SMTP sessions and their transcripts, including refused ones. */
export function SmtpSessions() {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(
    'sessions',
    () => shell.api.sessions(SHOWN),
    ({ type }) => type.startsWith('message.'),
  );
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={3} />;
  if (value.length === 0) return null;
  return (
    <section className="sessions">
      <h2>The last SMTP sessions of all mailboxes</h2>
      {value.map((session) => (
        <details key={`${session.openedAt} ${session.transcript.length}`}>
          <summary>
            {saidMoment(Date.parse(session.openedAt), shell.now())}{' '}
            <span className="faint">
              {[
                harmlessLine(session.helo ?? session.clientAddress, 80),
                `${saidCount(session.accepted, 'mail')} accepted`,
                session.lastRefusal === null ? '' : harmlessLine(session.lastRefusal, 120),
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
          <pre className="body-text" tabIndex={0}>
            {session.transcript.map(harmlessText).join('\n')}
          </pre>
        </details>
      ))}
    </section>
  );
}
