import { LookSwitches, MailFrame, RemoteHostList, useMailFrame } from './MailFrame.tsx';
import { useMailLook } from './mail-look.ts';

/** Shows the HTML of a mail, with controls for its width, its colours and the content that it may load. */
export function HtmlView({
  messageId,
  attached = null,
}: {
  readonly messageId: string;
  readonly attached?: string | null;
}) {
  const look = useMailLook();
  const frame = useMailFrame(messageId, look, attached);
  return (
    <div className="html-view">
      <div className="view-bar">
        <LookSwitches look={look} />
        {frame.value !== null && <RemoteHostList frame={frame.value} look={look} />}
      </div>
      <MailFrame frame={frame} look={look} />
    </div>
  );
}
