import { Fragment, useEffect } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidMoment } from '../../../src/text/said.ts';
import { NO_SUBJECT } from '../../../src/text/wording.ts';
import { dateOf } from '../../model/mail-date.ts';
import type { AttachedMail } from '../app/api.ts';
import { aroundAttached } from '../app/route.ts';
import { Button, Failed, IconButton, Skeleton, useIsSlow } from '../parts/controls.tsx';
import { Fact } from '../parts/Fact.tsx';
import { permanentAddress, useShell, useView } from '../use-shell.ts';
import { CodesAndLinks } from './Found.tsx';
import { MailViews } from './MailViews.tsx';
import { Malformed, People } from './People.tsx';
import { printView } from './print-view.ts';
import { SubjectHeading } from './SubjectHeading.tsx';
import { saveAttached } from './save-messages.ts';

/** Shows a mail that is attached to a message, or to another attached mail, in the place of that message. */
export function AttachedMailView({
  messageId,
  outerSubject,
  isSearched,
}: {
  readonly messageId: string;
  readonly outerSubject: string | null;
  readonly isSearched: boolean;
}) {
  const shell = useShell();
  const attached = useView(({ attached }) => attached);
  const id = attached?.id ?? '';
  const slow = useIsSlow(id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attached mail begins at its head
  useEffect(() => document.getElementById('message')?.scrollTo({ top: 0 }), [id]);
  return (
    <>
      <WayBack messageId={messageId} outerSubject={outerSubject} id={id} mail={attached?.mail ?? null} />
      {attached?.failure ? (
        <Failed isPane reason={attached.failure} onRetry={() => shell.reopen()} />
      ) : attached?.mail ? (
        <Fragment key={id}>
          <Head mail={attached.mail} />
          <CodesAndLinks facts={attached.mail} />
          <MailViews
            messageId={messageId}
            attached={id}
            mail={attached.mail}
            links={attached.mail.links}
            isSearched={isSearched}
          />
        </Fragment>
      ) : (
        <Skeleton rows={4} slow={slow} />
      )}
    </>
  );
}

/** Names the message around an attached mail, leads back, and holds the actions of the attached mail. */
function WayBack({
  messageId,
  outerSubject,
  id,
  mail,
}: {
  readonly messageId: string;
  readonly outerSubject: string | null;
  readonly id: string;
  readonly mail: AttachedMail | null;
}) {
  const shell = useShell();
  const back = () => {
    const { route } = shell.state.value;
    // The button goes with this mail, and the focus stays in the pane.
    document.getElementById('message')?.focus({ preventScroll: true });
    if (route.at === 'mail') shell.go(aroundAttached(route));
  };
  return (
    <nav className="way-back" aria-label="The mail around this one">
      <Button look="quiet" icon="back" onClick={back} title="Back (esc)">
        Back
      </Button>
      <span>
        {id.includes('.') ? 'Attached to a mail in ' : 'Attached to '}
        <b>{harmlessLine(outerSubject ?? '', 160) || NO_SUBJECT}</b>
      </span>
      {mail !== null && (
        <div className="actions">
          <IconButton
            icon="link"
            label="Copy the link"
            hint="y"
            onClick={() => void shell.copy(permanentAddress(messageId, id), 'the link')}
          />
          <IconButton
            icon="download"
            label="Download (.eml)"
            hint="e"
            onClick={() => void saveAttached(shell, messageId, id, mail.subject)}
          />
          <IconButton icon="print" label="Print" hint="p" className="wide-only" onClick={() => void printView(shell)} />
        </div>
      )}
    </nav>
  );
}

function Head({ mail }: { readonly mail: AttachedMail }) {
  const shell = useShell();
  const date = dateOf(mail.headersJson);
  return (
    <header className="message-head">
      <SubjectHeading text={mail.subject ?? ''} />
      <People mail={mail}>
        {date !== null && (
          <Fact name="Date">{date.at === null ? harmlessLine(date.text, 80) : saidMoment(date.at, shell.now())}</Fact>
        )}
      </People>
      {mail.parseError !== null && <Malformed reason={mail.parseError} />}
    </header>
  );
}
