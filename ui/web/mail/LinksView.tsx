import { useRef, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidCount } from '../../../src/text/said.ts';
import { plainReason } from '../../../src/text/unreached.ts';
import { asSentence } from '../../../src/text/wording.ts';
import type { LinkCheck, MailLinks } from '../app/api.ts';
import { Button, Empty } from '../parts/controls.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { CopyButton, FormError, NotLoaded, Tone } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';
import { KINDS } from './Why.tsx';

type MailLink = MailLinks['links'][number];
type Answer = LinkCheck['links'][number];

const USES = { link: 'Link', text: 'Link in the text', style: 'Style sheet', picture: 'Picture' } as const;
/** Statuses that do not show whether the page exists: it wants a sign-in, another method, or no automatic requests. */
const TELL_NOTHING = new Set([401, 403, 405, 407, 408, 425, 429, 501, 503]);

/** Lists the addresses of a mail. Their servers are asked only after a click. */
export function LinksView({ messageId }: { readonly messageId: string }) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(`links ${messageId}`, (signal) =>
    shell.api.listLinks(messageId, { signal }),
  );
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answer>>(new Map());
  /** The address whose own button was clicked. */
  const asked = useRef<string | null>(null);
  const request = useSubmit(async () => {
    const { links } = await shell.api.checkLinks(messageId, asked.current === null ? {} : { urls: [asked.current] });
    setAnswers((before) => new Map([...before, ...links.map((link) => [link.url, link] as const)]));
  });
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={5} />;
  const { links } = value;
  const harmless = links.filter(({ isWeb, acts }) => isWeb && !acts);
  const acting = links.filter(({ isWeb, acts }) => isWeb && acts);
  const broken = [...answers.values()].filter((answer) => toneOf(answer) === 'bad').length;
  if (links.length === 0)
    return (
      <Empty icon="link" title="No addresses">
        <p>The mail has no link, picture or style sheet with an address.</p>
      </Empty>
    );
  return (
    <>
      <div className="view-bar">
        <Button
          icon="link"
          disabled={request.isBusy || harmless.length === 0}
          onClick={() => {
            asked.current = null;
            request.submit();
          }}
        >
          {request.isBusy ? 'Checking…' : `Check ${saidCount(harmless.length, 'address', 'addresses')}`}
        </Button>
        <span className="faint" role="status">
          {answers.size === 0
            ? 'Nothing was requested yet. The server asks with HEAD when you click.'
            : broken === 0
              ? `${saidCount(answers.size, 'address', 'addresses')} checked, none is broken.`
              : `${saidCount(answers.size, 'address', 'addresses')} checked, ${broken} broken.`}
        </span>
      </div>
      {acting.length > 0 && (
        <p className="note waiting">
          Links that sign in, verify or unsubscribe are left out, because a request can use them up. Check each by its
          own button.
        </p>
      )}
      <FormError reason={request.failure} />
      <ul className="mail-links">
        {links.map((link) => (
          <LinkRow
            key={`${link.use} ${link.url}`}
            link={link}
            answer={answers.get(link.url) ?? null}
            isBusy={request.isBusy}
            onCheck={() => {
              asked.current = link.url;
              request.submit();
            }}
          />
        ))}
      </ul>
    </>
  );
}

function LinkRow({
  link: { url, use, text, kind, acts, isWeb },
  answer,
  isBusy,
  onCheck,
}: {
  readonly link: MailLink;
  readonly answer: Answer | null;
  readonly isBusy: boolean;
  readonly onCheck: () => void;
}) {
  const said = text !== null && text !== '' && text !== url ? harmlessLine(text, 160) : null;
  return (
    <li>
      <span className="kind">{kind === null || kind === 'other' ? USES[use] : KINDS[kind]}</span>
      <div className="about">
        {said !== null && <strong>{said}</strong>}
        {isWeb && (use === 'link' || use === 'text') ? (
          <a href={url} target="_blank" rel="noopener noreferrer">
            {harmlessLine(url, 2_000)}
          </a>
        ) : (
          <code>{harmlessLine(url, 2_000)}</code>
        )}
        {answer?.redirects.map((next) => (
          <code key={next}>→ {harmlessLine(next, 2_000)}</code>
        ))}
      </div>
      {answer !== null && (
        <Tone tone={toneOf(answer)}>
          {answer.status === null ? (
            asSentence(plainReason(answer.error ?? 'no answer came'))
          ) : (
            <span>
              {saidStatus(answer.status)} <span className="faint">{answer.status}</span>
            </span>
          )}
        </Tone>
      )}
      {acts && isWeb && (
        <Button look="quiet" disabled={isBusy} onClick={onCheck}>
          Check
        </Button>
      )}
      <CopyButton text={url} what="the address" look="quiet" />
    </li>
  );
}

/** Says what the status of an answer means for somebody who follows the link. */
function saidStatus(status: number): string {
  if (status < 400) return status < 300 ? 'Works' : 'Redirects too often';
  const said: Readonly<Record<number, string>> = {
    401: 'Wants a sign-in',
    403: 'Lets only some people in',
    404: 'Not found',
    405: 'Answers no such check',
    407: 'Wants a sign-in at the proxy',
    410: 'Gone for good',
    429: 'Gets too many requests',
    501: 'Answers no such check',
    503: 'Busy or being repaired',
  };
  return said[status] ?? (status < 500 ? 'Refuses the request' : 'The server failed');
}

function toneOf({ status }: Answer): 'good' | 'bad' | 'waiting' {
  if (status === null) return 'bad';
  return TELL_NOTHING.has(status) ? 'waiting' : status < 400 ? 'good' : 'bad';
}
