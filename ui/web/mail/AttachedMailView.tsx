import { useEffect, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidMoment } from '../../../src/text/said.ts';
import { NO_SUBJECT } from '../../../src/text/wording.ts';
import { dateOf } from '../../model/mail-date.ts';
import type { AttachedMail } from '../app/api.ts';
import { aroundAttached, MESSAGE_TABS, type MessageTab } from '../app/route.ts';
import { Button, Failed, IconButton, Skeleton } from '../parts/controls.tsx';
import { permanentAddress, useShell, useView } from '../use-shell.ts';
import { Attachments, AttachmentsBelow } from './Attachments.tsx';
import { CodesAndLinks } from './Found.tsx';
import { HtmlView } from './HtmlView.tsx';
import { MessageTabs } from './MessageTabs.tsx';
import { Malformed, People } from './People.tsx';
import { printView } from './print-view.ts';
import { RawViews } from './RawViews.tsx';
import { SubjectHeading } from './SubjectHeading.tsx';
import { saveAttached } from './save-messages.ts';
import { TextView } from './TextView.tsx';
import { useDistinct } from './use-distinct.ts';

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
  const [slow, setSlow] = useState(false);
  const id = attached?.id ?? '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attached mail begins at its head
  useEffect(() => {
    document.getElementById('message')?.scrollTo({ top: 0 });
    setSlow(false);
    const timer = setTimeout(() => setSlow(true), 300);
    return () => clearTimeout(timer);
  }, [id]);
  return (
    <>
      <WayBack messageId={messageId} outerSubject={outerSubject} id={id} mail={attached?.mail ?? null} />
      {attached?.failure ? (
        <Failed isPane reason={attached.failure} onRetry={() => shell.reopen()} />
      ) : attached?.mail ? (
        <Shown key={id} messageId={messageId} id={id} mail={attached.mail} isSearched={isSearched} />
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

function Shown({
  messageId,
  id,
  mail,
  isSearched,
}: {
  readonly messageId: string;
  readonly id: string;
  readonly mail: AttachedMail;
  readonly isSearched: boolean;
}) {
  const shell = useShell();
  const asked = useView(({ route }) => (route.at === 'mail' ? route.tab : null));
  const tabs = MESSAGE_TABS.filter((tab) => {
    if (tab === 'html') return mail.htmlBody !== null;
    if (tab === 'text') return mail.textBody !== null || mail.htmlBody === null;
    if (tab === 'attachments') return mail.attachments.length > 0;
    // An attached mail was neither delivered nor checked on its own.
    return tab !== 'delivery' && tab !== 'links' && tab !== 'checks';
  });
  const attachments = useDistinct(messageId, mail.attachments);
  const first = mail.htmlBody !== null ? 'html' : 'text';
  const tab = asked !== null && tabs.includes(asked) ? asked : first;
  const pick = (next: MessageTab) => {
    const { route } = shell.state.value;
    if (route.at === 'mail') shell.go({ ...route, tab: next, part: null }, { replace: true });
  };
  return (
    <>
      <Head mail={mail} />
      <CodesAndLinks facts={mail} />
      <MessageTabs tabs={tabs} current={tab} onPick={pick} attachmentCount={attachments.length} />
      <div className={`view view-${tab}`} role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'html' && (
          <HtmlView messageId={messageId} attached={id} html={mail.htmlBody} isSearched={isSearched} />
        )}
        {tab === 'text' && <TextView text={mail.textBody} links={mail.links} />}
        {(tab === 'html' || tab === 'text') && attachments.length > 0 && (
          <AttachmentsBelow messageId={messageId} attachments={attachments} onAll={() => pick('attachments')} />
        )}
        {(tab === 'headers' || tab === 'parts' || tab === 'source') && (
          <RawViews messageId={messageId} attached={id} tab={tab} />
        )}
        {tab === 'attachments' && <Attachments messageId={messageId} attachments={attachments} />}
      </div>
    </>
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
          <div>
            <dt>Date</dt>
            <dd>{date.at === null ? harmlessLine(date.text, 80) : saidMoment(date.at, shell.now())}</dd>
          </div>
        )}
      </People>
      {mail.parseError !== null && <Malformed reason={mail.parseError} />}
    </header>
  );
}
