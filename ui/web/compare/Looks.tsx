import { harmlessText } from '../../../src/text/harmless.ts';
import { LookSwitches, MailFrame, RemoteHostList, SimulationNote, useMailFrame } from '../mail/MailFrame.tsx';
import { type MailLook, useMailLook } from '../mail/mail-look.ts';
import { DRAWN_TEXT } from '../mail/TextView.tsx';
import { Pre } from '../parts/view-controls.tsx';
import type { LoadedMail } from './mail-facts.ts';

/** Shows both mails as a reader sees them, in the same width and colour scheme. */
export function Looks({ left, right }: { readonly left: LoadedMail; readonly right: LoadedMail }) {
  const look = useMailLook();
  return (
    <>
      <div className="view-bar">
        <LookSwitches look={look} />
      </div>
      <SimulationNote colours={look.colours} />
      <div className="two frames">
        <Seen side="left" mail={left} look={look} />
        <Seen side="right" mail={right} look={look} />
      </div>
    </>
  );
}

interface SeenMail {
  readonly side: 'left' | 'right';
  readonly mail: LoadedMail;
  readonly look: MailLook;
}

function Seen(props: SeenMail) {
  const { side, mail } = props;
  return (
    <section className="seen" aria-label={`The ${side} mail`}>
      {mail.content.htmlBody !== null ? (
        <Framed {...props} />
      ) : (
        <Pre className="text-body">
          {harmlessText((mail.content.textBody ?? '').slice(0, DRAWN_TEXT)) || 'The mail has no body.'}
        </Pre>
      )}
    </section>
  );
}

function Framed({ side, mail, look }: SeenMail) {
  const frame = useMailFrame(mail.facts.id, look);
  return (
    <>
      {frame.value !== null && <RemoteHostList frame={frame.value} look={look} />}
      <MailFrame frame={frame} look={look} title={`The ${side} mail`} />
    </>
  );
}
