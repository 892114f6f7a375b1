import { useLayoutEffect, useRef, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidCount, saidMoment, saidSize } from '../../../src/text/said.ts';
import { dateOf } from '../../model/mail-date.ts';
import { ALL_MAIL, type MessageContent, type MessageFacts } from '../app/api.ts';
import { compareMessages, searchOfSender } from '../app/compare-messages.ts';
import { mailboxRoute } from '../app/route.ts';
import { listBeside, rowOfMessage } from '../app/state.ts';
import { FIND, NEXT_WIDTH } from '../on-command.ts';
import { Button, Failed, IconButton, Skeleton, useIsSlow } from '../parts/controls.tsx';
import { Fact } from '../parts/Fact.tsx';
import { later } from '../parts/later.tsx';
import { Menu } from '../parts/Menu.tsx';
import { MenuItem } from '../parts/MenuItem.tsx';
import { TimeAgo } from '../parts/TimeAgo.tsx';
import { href, permanentAddress, useShell, useView } from '../use-shell.ts';
import { Conversation } from './Conversation.tsx';
import { FindInMessage } from './FindInMessage.tsx';
import { CodesAndLinks } from './Found.tsx';
import { InvisibleNote, withMarks } from './Invisible.tsx';
import { MailViews } from './MailViews.tsx';
import { Malformed, People } from './People.tsx';
import { printView } from './print-view.ts';
import { SubjectHeading } from './SubjectHeading.tsx';
import { saveMessages } from './save-messages.ts';
import { Tags } from './Tags.tsx';

const SecondFactor = later(() => import('./SecondFactor.tsx').then(({ SecondFactor }) => SecondFactor));
const ChecksView = later(() => import('./ChecksView.tsx').then(({ ChecksView }) => ChecksView));
const LinksView = later(() => import('./LinksView.tsx').then(({ LinksView }) => LinksView));
const AttachedMailView = later(() => import('./AttachedMailView.tsx').then(({ AttachedMailView }) => AttachedMailView));
const Delivery = later(() => import('./Delivery.tsx').then(({ Delivery }) => Delivery));

/** Shows a message in the tab that the address names. */
export function MessagePane() {
  const shell = useShell();
  const open = useView(({ open }) => open);
  const ahead = useView(({ ahead }) => ahead?.loaded ?? null);
  const isAttached = useView(({ route }) => route.at === 'mail' && route.attached !== null);
  const [isSearched, setSearched] = useState(false);
  const id = open?.id ?? '';
  const slow = useIsSlow(id);
  const back = () => {
    const { route } = shell.state.value;
    shell.go(mailboxRoute(route.at === 'mail' ? route.mailboxId : null, route.at === 'mail' ? route.query : ''));
  };
  const pane = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each message begins at its top
  useLayoutEffect(() => pane.current?.scrollTo(0, 0), [id]);
  return (
    <article ref={pane} className="message-pane" aria-label="Message" tabIndex={-1} data-place="message" id="message">
      {open?.content && <FindInMessage key={id} onTurn={setSearched} />}
      {open?.failure ? (
        <>
          <BackRow onBack={back} />
          <Failed
            isPane
            title={open.gone ? 'The message is gone' : undefined}
            reason={open.failure}
            onRetry={open.gone ? undefined : () => shell.reopen()}
          />
        </>
      ) : open?.facts && open.content && isAttached ? (
        <AttachedMailView messageId={open.id} outerSubject={open.content.subject} isSearched={isSearched} />
      ) : (
        !open?.content && (
          <>
            <BackRow onBack={back} />
            <Skeleton rows={4} slow={slow} />
          </>
        )
      )}
      {/* The elements of a message that was loaded ahead are those of the opened one, so that its frame loads once. */}
      {[isAttached ? null : open, ahead].map(
        (one) =>
          one?.facts &&
          one.content && (
            <div key={one.id} className="message" hidden={one !== open}>
              <Shown facts={one.facts} content={one.content} isSearched={isSearched && one === open} onBack={back} />
            </div>
          ),
      )}
    </article>
  );
}

function BackRow({ onBack }: { readonly onBack: () => void }) {
  return (
    <div className="back-row">
      <IconButton icon="back" label="Back to the list" hint="esc" onClick={onBack} />
    </div>
  );
}

interface LoadedMessage {
  readonly facts: MessageFacts;
  readonly content: MessageContent;
  readonly onBack: () => void;
}

function Shown({ facts, content, isSearched, onBack }: LoadedMessage & { readonly isSearched: boolean }) {
  const shell = useShell();
  return (
    <>
      <MessageHead facts={facts} content={content} onBack={onBack} />
      <Conversation facts={facts} />
      <CodesAndLinks facts={facts} />
      {isSignIn(facts) && <SecondFactor facts={facts} />}
      <MailViews
        messageId={facts.id}
        mail={content}
        links={facts.links}
        isSearched={isSearched}
        place={() => ({ mailboxId: listBeside(shell.state.value, facts.mailboxId), messageId: facts.id })}
        more={{
          delivery: <Delivery facts={facts} content={content} />,
          links: <LinksView messageId={facts.id} />,
          checks: <ChecksView messageId={facts.id} content={content} />,
        }}
      />
    </>
  );
}

/** Names the mailbox of a message that is opened from the list of all. */
function InMailbox({ id }: { readonly id: string }) {
  const mailbox = useView(({ mailboxes }) => mailboxes.find((one) => one.id === id) ?? null);
  if (mailbox === null) return null;
  return (
    <>
      <span className="faint"> · in </span>
      <a href={href(mailboxRoute(id))}>{harmlessLine(mailbox.name || mailbox.subdomain, 80)}</a>
    </>
  );
}

/** The time that the sender wrote, beside the one at which the server received the mail. */
function DateRow({ headersJson }: { readonly headersJson: string | null }) {
  const shell = useShell();
  const date = dateOf(headersJson);
  if (date === null) return null;
  return (
    <Fact name="Date">
      {date.at === null ? harmlessLine(date.text, 80) : saidMoment(date.at, shell.now())}
      <span className="faint"> · {harmlessLine(date.text, 80)}</span>
    </Fact>
  );
}

function MessageHead({ facts, content, onBack }: LoadedMessage) {
  const shell = useShell();
  const [isWhole, setWhole] = useState(false);
  const [isMarked, setMarked] = useState(false);
  const hasRelay = useView(({ info }) => info !== null && info.relay !== null);
  const isInAll = useView(({ mail }) => mail?.mailboxId === ALL_MAIL);
  const { id, mailboxId } = facts;
  const remove = () => {
    shell.deletions.begin([row]);
    // The button goes with this message, and the focus stays in the pane or goes to the list.
    const next = document.getElementById('message') ?? document.querySelector<HTMLElement>('.rows');
    next?.focus({ preventScroll: true });
  };
  const row = rowOfMessage(facts, content);
  return (
    <header className="message-head">
      <div className="head-row">
        <IconButton icon="back" label="Back to the list" hint="esc" className="back" onClick={onBack} />
        <SubjectHeading text={isMarked ? withMarks(row.subject) : row.subject} />
        <div className="actions">
          <Button
            icon="code"
            title="The lines of a test that waits for this mail (t)"
            onClick={() => shell.show({ kind: 'as-test' })}
          >
            Copy as test
          </Button>
          <Button icon="trash" title="Delete (d)" onClick={remove}>
            Delete
          </Button>
          <Menu label="More actions on the message">
            <MenuItem icon="star" hint="s" onClick={() => shell.marks.star([row], !facts.starred)}>
              {facts.starred ? 'Remove the star' : 'Star'}
            </MenuItem>
            <MenuItem icon="mail" hint="r" onClick={() => shell.marks.read([row], false)}>
              Mark as unread
            </MenuItem>
            <MenuItem icon="replay" onClick={() => shell.go({ at: 'outbound', part: 'compose', id })}>
              Reply
            </MenuItem>
            <MenuItem icon="compare" hint="=" onClick={() => compareMessages(shell, [row])}>
              Compare with another message
            </MenuItem>
            {row.from !== '' && (
              <MenuItem
                icon="search"
                onClick={() =>
                  shell.go(mailboxRoute(listBeside(shell.state.value, mailboxId), searchOfSender(row.from)))
                }
              >
                Show all of this sender
              </MenuItem>
            )}
            {hasRelay && (
              <MenuItem
                icon="send"
                hint="R"
                onClick={() => shell.show({ kind: 'release', messageId: id, to: facts.envelope.rcptTo.join(', ') })}
              >
                Send through the relay
              </MenuItem>
            )}
            {(facts.provider?.interactions.length ?? 0) > 0 && (
              <MenuItem icon="webhook" onClick={() => shell.show({ kind: 'tell-app' })}>
                Tell the app that it was opened…
              </MenuItem>
            )}
            <MenuItem
              icon="link"
              hint="y"
              onClick={() => void shell.copy(permanentAddress(id), 'the link to this message')}
            >
              Copy the link
            </MenuItem>
            <MenuItem icon="download" hint="e" onClick={() => void saveMessages(shell, mailboxId, [row])}>
              Download (.eml)
            </MenuItem>
            <MenuItem icon="search" hint="/" onClick={() => dispatchEvent(new Event(FIND))}>
              Find in this text
            </MenuItem>
            {content.htmlBody !== null && (
              <MenuItem icon="phone" hint="w" onClick={() => dispatchEvent(new Event(NEXT_WIDTH))}>
                Next width: phone, tablet, desktop
              </MenuItem>
            )}
            <MenuItem icon="print" hint="p" onClick={() => void printView(shell)}>
              Print
            </MenuItem>
          </Menu>
        </div>
      </div>
      <InvisibleNote
        text={row.subject.slice(0, 1_000)}
        where=" in the subject"
        isMarked={isMarked}
        onMark={setMarked}
      />
      <People mail={content} isBrief={!isWhole} onWhole={() => setWhole(!isWhole)}>
        <Fact name="Received">
          {isWhole && `${saidMoment(row.receivedAt, shell.now())} · `}
          <TimeAgo at={row.receivedAt} />
          <span className="faint">
            {' · '}
            {facts.segments === null || facts.segments === undefined
              ? saidSize(facts.sizeBytes)
              : `${saidCount(facts.segments, 'segment')} of ${facts.encoding}`}
          </span>
          {isInAll && <InMailbox id={mailboxId} />}
        </Fact>
        {isWhole && <DateRow headersJson={content.headersJson} />}
        <Tags facts={facts} />
      </People>
      {facts.parseError !== null && <Malformed reason={facts.parseError} />}
    </header>
  );
}

function isSignIn({ codes, links }: MessageFacts): boolean {
  return codes.length > 0 || links.some(({ kind }) => kind === 'magic');
}
