import type { ReactNode } from 'react';
import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import type { MessageContent, MessageFacts } from '../app/api.ts';
import { Fact } from '../parts/Fact.tsx';
import { CopyButton, Pre, Tone } from '../parts/view-controls.tsx';
import { providerName } from './TellApp.tsx';

const SOURCES: Readonly<Record<string, string>> = {
  smtp: 'by SMTP',
  api: 'through the API',
  send: 'as a send from this mailbox',
  notification: 'as a report of this server',
  provider: 'by the API of a mail provider',
};

/** The rows that only a mail by SMTP has. */
const OF_SMTP: ReadonlySet<string> = new Set(['Encryption', 'Sign-in', 'SPF', 'HELO/EHLO name']);

/** Shows how a message arrived: envelope, TLS, sign-in, SPF, and the dialogue of SMTP or of a provider's API. */
export function Delivery({ facts, content }: { readonly facts: MessageFacts; readonly content: MessageContent }) {
  const { envelope, tls, user, helo, clientAddress, clientPort, transcript } = facts;
  const spf = content.spfResult;
  const isSmtp = facts.source === 'smtp';
  const rows: readonly (readonly [string, ReactNode])[] = [
    [
      'Came',
      facts.provider === null
        ? (SOURCES[facts.source] ?? facts.source)
        : `by the API of ${providerName(facts.provider.name)}`,
    ],
    ['Envelope from', <code key="f">{`<${harmlessLine(envelope.mailFrom, 300)}>`}</code>],
    [
      'Envelope to',
      <span key="t" className="stack">
        {envelope.rcptTo.map((to) => (
          <code key={to}>{`<${harmlessLine(to, 300)}>`}</code>
        ))}
      </span>,
    ],
    [
      'Encryption',
      tls === null ? (
        <Tone key="e" tone="plain">
          none: the mail came in the clear
        </Tone>
      ) : (
        <Tone key="e" tone="good">{`${tls.protocol}, ${tls.cipher}`}</Tone>
      ),
    ],
    ['Sign-in', user === null ? 'none' : <code key="u">{harmlessLine(user, 120)}</code>],
    [
      'SPF',
      spf === null ? (
        'not checked'
      ) : (
        <Tone key="s" tone={spf === 'pass' ? 'good' : /fail|error/.test(spf) ? 'bad' : 'plain'}>
          {spf === 'none' ? 'none: the client is of this network, or the domain has no SPF record' : spf}
        </Tone>
      ),
    ],
    [
      'Client',
      clientAddress === null ? (
        'none'
      ) : (
        <code key="c">{`${clientAddress}${clientPort === null ? '' : `:${clientPort}`}`}</code>
      ),
    ],
    ['HELO/EHLO name', helo === null ? 'none' : <code key="h">{harmlessLine(helo, 200)}</code>],
  ];
  const shown = isSmtp ? rows : rows.filter(([name]) => !OF_SMTP.has(name));
  return (
    <>
      <dl className="facts">
        {shown.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
      {transcript.length > 0 && (
        <section className="transcript">
          <div className="view-bar">
            <h2>{facts.provider === null ? 'SMTP transcript' : 'Request and answer'}</h2>
            <span className="grow" />
            <CopyButton text={transcript.join('\n')} what="the transcript" look="quiet" />
          </div>
          <Pre>
            {transcript.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text never change places
              <span key={index} className={/^(?:S:|<|\d{3}[ -])/.test(line) ? 'said-server' : 'said-client'}>
                {harmlessText(line)}
                {'\n'}
              </span>
            ))}
          </Pre>
          {isSmtp && (
            <p className="faint after">Then the mail itself came, and the server stored it and answered 250.</p>
          )}
        </section>
      )}
    </>
  );
}
