import { type FormEvent, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { mailboxRoute, type Route } from '../app/route.ts';
import { Button } from '../parts/controls.tsx';
import { InputField, SelectField } from '../parts/fields.tsx';
import { NotLoaded } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { href, useShell, useView } from '../use-shell.ts';
import { DiagnosisView } from './DiagnosisView.tsx';
import { SendMatching } from './NearMisses.tsx';
import { SmtpSessions } from './Sessions.tsx';

/** The times to look back, by their minutes. */
const WINDOWS = [
  { id: 5, name: 'the last 5 minutes' },
  { id: 60, name: 'the last hour' },
  { id: 1_440, name: 'the last day' },
];

const NAMES = ['subject', 'from', 'to', 'body', 'query'] as const;
type WhyRoute = Extract<Route, { at: 'why' }>;

function conditionsOf({ subject, from, to, body, query }: WhyRoute) {
  return { subject, from, to, body, query };
}

/** Returns the conditions that are not empty. */
function givenOf(conditions: ReturnType<typeof conditionsOf>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(conditions).filter(([, text]) => text !== ''));
}

/** Shows the diagnosis of a mailbox that received no mail. */
export function WhyPage({ route }: { readonly route: WhyRoute }) {
  const shell = useShell();
  const mailbox = useView(({ mailboxes }) => mailboxes.find(({ id }) => id === route.mailboxId) ?? null);
  const [asked, setAsked] = useState(conditionsOf(route));
  const { mailboxId } = route;
  const conditions = conditionsOf(route);
  const minutes = route.minutes ?? 60;
  const { value, failure, slow, reload } = useLoaded(
    `why ${mailboxId} ${JSON.stringify(conditions)} ${minutes}`,
    (signal) => {
      const since = new Date(shell.now() - minutes * 60_000).toISOString();
      return shell.api.diagnosis(mailboxId, { ...conditions, since }, signal);
    },
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
          <div className="form-row why-form">
            {NAMES.map((name) => (
              <InputField
                key={name}
                label={name === 'query' ? 'Search words' : `${name.charAt(0).toUpperCase()}${name.slice(1)} has`}
                value={asked[name]}
                onValue={(value) => setAsked({ ...asked, [name]: value })}
              />
            ))}
            <SelectField
              label="In"
              value={minutes}
              options={WINDOWS}
              onPick={(chosen) => shell.go({ ...route, ...asked, minutes: chosen }, { replace: true })}
            />
            <Button submit look="main">
              Ask
            </Button>
          </div>
        </form>
        {value === null ? (
          <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={3} />
        ) : (
          <DiagnosisView
            diagnosis={value}
            action={<SendMatching mailboxId={mailboxId} conditions={givenOf(conditions)} />}
          />
        )}
        <SmtpSessions />
      </div>
    </div>
  );
}
