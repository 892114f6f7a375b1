import { useState } from 'react';
import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import { saidCount, saidMoment } from '../../../src/text/said.ts';
import { NotLoaded, Pre } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';

const SHOWN = 20;

/** Shows the latest SMTP sessions and their transcripts, including refused ones. */
export function SmtpSessions() {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(
    'sessions',
    () => shell.api.listSmtpSessions({ limit: SHOWN }),
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
          <Pre className="body-text">{session.transcript.map(harmlessText).join('\n')}</Pre>
        </details>
      ))}
    </section>
  );
}

/** The number of sessions among which that of a refusal is searched. */
const SEARCHED = 100;

/** Shows the SMTP session in which a refusal was made, when asked for. */
export function RefusedSession({ at, reply }: { readonly at: number; readonly reply: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="refused-session" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Its SMTP session</summary>
      {isOpen && <SessionOf at={at} reply={reply} />}
    </details>
  );
}

function SessionOf({ at, reply }: { readonly at: number; readonly reply: string }) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded('all sessions', () =>
    shell.api.listSmtpSessions({ limit: SEARCHED }),
  );
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={2} />;
  // The clock of a refusal may be that of a workspace, so its words count more than its time.
  const said = reply.replace(/…$/, '');
  const of = value.filter(({ transcript }) => transcript.some((line) => line.includes(said)));
  const session = of.find(
    ({ openedAt, closedAt }) => Date.parse(openedAt) <= at && (closedAt === null || at <= Date.parse(closedAt)),
  );
  const found = session ?? of[0];
  if (found === undefined) return <p className="faint">The server no longer has it: it keeps the last sessions.</p>;
  return (
    <Pre className="body-text">
      {found.transcript.map((line, index) =>
        line.includes(said) ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text never change places
          <mark key={index} ref={(mark) => mark?.scrollIntoView({ block: 'nearest' })}>
            {`${harmlessText(line)}\n`}
          </mark>
        ) : (
          `${harmlessText(line)}\n`
        ),
      )}
    </Pre>
  );
}
