import type { ReactNode } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { AttachedMail } from '../app/api.ts';
import { Addresses } from './Addresses.tsx';

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
  children,
}: {
  readonly mail: Pick<AttachedMail, (typeof ROLES)[number][1]>;
  readonly children: ReactNode;
}) {
  return (
    <dl className="people">
      {ROLES.filter(([, role]) => mail[role] !== null && mail[role] !== '').map(([name, role]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Addresses value={mail[role] ?? ''} />
          </dd>
        </div>
      ))}
      {children}
    </dl>
  );
}

/** Says why a mail could be read only in part. */
export function Malformed({ reason }: { readonly reason: string }) {
  return <p className="note bad">The mail is malformed: {harmlessLine(reason)}. Only the readable parts are shown.</p>;
}
