import { type FormEvent, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { mailboxRoute, type Route } from '../../model/route.ts';
import { Button, Failed, FormField, Skeleton } from '../parts/controls.tsx';
import { href, useLoaded, useShell, useView } from '../use-shell.ts';
import { DiagnosisView } from './DiagnosisView.tsx';
import { SmtpSessions } from './Sessions.tsx';

const WINDOWS = [
  { minutes: 5, name: 'the last 5 minutes' },
  { minutes: 60, name: 'the last hour' },
  { minutes: 1_440, name: 'the last day' },
];

/** Shows the diagnosis of a mailbox that received no mail. */
export function WhyPage({ route }: { readonly route: Extract<Route, { at: 'why' }> }) {
  const shell = useShell();
  const mailbox = useView(({ mailboxes }) => mailboxes.find(({ id }) => id === route.mailboxId) ?? null);
  const [asked, setAsked] = useState({ subject: route.subject, from: route.from, to: route.to });
  const { mailboxId, subject, from, to } = route;
  const minutes = route.minutes ?? 60;
  const { value, failure, slow, reload } = useLoaded(
    `why ${mailboxId} ${subject} ${from} ${to} ${minutes}`,
    () =>
      shell.api.diagnosis(mailboxId, {
        subject,
        from,
        to,
        since: new Date(shell.now() - minutes * 60_000).toISOString(),
      }),
    ({ type }) => type.startsWith('message.') || type === 'smtp.refused',
  );
  const ask = (event: FormEvent) => {
    event.preventDefault();
    shell.go({ ...route, ...asked }, { replace: true });
  };
  return (
    <div className="page">
      <header>
        <h1>Why did no mail arrive?</h1>
        <p>
          To <a href={href(mailboxRoute(mailboxId))}>{harmlessLine(mailbox?.name ?? 'this mailbox', 80)}</a>
          {mailbox !== null && (
            <>
              , which takes <code>{mailbox.address}</code>
            </>
          )}
        </p>
      </header>
      <div className="page-body">
        <form className="form" onSubmit={ask}>
          <div className="form-row">
            {(['subject', 'from', 'to'] as const).map((name) => (
              <FormField key={name} label={`${name.charAt(0).toUpperCase()}${name.slice(1)} has`}>
                <input
                  value={asked[name]}
                  onInput={(event) => setAsked({ ...asked, [name]: event.currentTarget.value })}
                />
              </FormField>
            ))}
            <FormField label="In">
              <select
                value={minutes}
                onChange={(event) =>
                  shell.go({ ...route, ...asked, minutes: Number(event.currentTarget.value) }, { replace: true })
                }
              >
                {WINDOWS.map((one) => (
                  <option key={one.minutes} value={one.minutes}>
                    {one.name}
                  </option>
                ))}
              </select>
            </FormField>
            <Button submit look="main">
              Ask
            </Button>
          </div>
        </form>
        {failure !== null && value === null ? (
          <Failed reason={failure} onRetry={reload} />
        ) : value === null ? (
          <Skeleton slow={slow} rows={3} />
        ) : (
          <DiagnosisView diagnosis={value} />
        )}
        <SmtpSessions />
      </div>
    </div>
  );
}
