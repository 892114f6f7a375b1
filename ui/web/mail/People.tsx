import { type ReactNode, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { AttachedMail } from '../app/api.ts';
import { Button } from '../parts/controls.tsx';
import { splitAddresses } from './addresses.ts';

const ROLES = [
  ['From', 'from'],
  ['To', 'to'],
  ['Cc', 'cc'],
  ['Bcc', 'bcc'],
  ['Reply to', 'replyTo'],
] as const;

/** Shows the addresses of a mail, and what else stands in its head. */
export function People({
  mail,
  isBrief = false,
  onWhole,
  children,
}: {
  readonly mail: Pick<AttachedMail, (typeof ROLES)[number][1]>;
  /** True for a line with the sender and the recipients, each cut where it is long, in place of a list of all. */
  readonly isBrief?: boolean;
  /** Changes between the two. Without it, the whole list is shown. */
  readonly onWhole?: () => void;
  readonly children: ReactNode;
}) {
  const given = ROLES.filter(([, role]) => mail[role] !== null && mail[role] !== '');
  const shown = isBrief ? given.filter(([, role]) => role !== 'replyTo') : given;
  return (
    <div className={`people-box ${isBrief ? 'brief' : ''}`}>
      <dl className="people">
        {shown.map(([name, role]) => (
          <div key={name} className={`of-${role}`}>
            <dt>{name}</dt>
            <dd title={isBrief ? harmlessLine(mail[role] ?? '', 500) : undefined}>
              {isBrief ? harmlessLine(mail[role] ?? '', 320) : <Addresses value={mail[role] ?? ''} />}
            </dd>
          </div>
        ))}
        {children}
      </dl>
      {onWhole !== undefined && (
        <Button look="quiet" className="more" aria-expanded={!isBrief} onClick={onWhole}>
          {isBrief ? 'Details' : 'Less'}
        </Button>
      )}
    </div>
  );
}

/** Says why a mail could be read only in part. */
export function Malformed({ reason }: { readonly reason: string }) {
  return <p className="note bad">The mail is malformed: {harmlessLine(reason)}. Only the readable parts are shown.</p>;
}

/** The number of addresses shown before the reader asks for the rest. */
const SHOWN = 4;
/** The most addresses that are drawn. The tab of headers has all of them. */
const MOST = 500;

/** Shows the addresses of a header. A line is broken between two of them. */
function Addresses({ value }: { readonly value: string }) {
  const [all, setAll] = useState(false);
  const addresses = splitAddresses(value);
  // One more is shown at once, because the button needs its room too.
  const isCut = !all && addresses.length > SHOWN + 1;
  const shown = addresses.slice(0, isCut ? SHOWN : MOST);
  return (
    <>
      {shown.map((address, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: addresses can repeat
        <span key={index} className="one-address">
          {harmlessLine(address, 320)}
          {index < shown.length - 1 ? ', ' : ''}
        </span>
      ))}
      {(isCut || addresses.length > MOST) && (
        <Button look="quiet" className="more" disabled={all} onClick={() => setAll(true)}>
          {addresses.length - shown.length} more
        </Button>
      )}
    </>
  );
}
