import { loadCode } from '../machine/load-code.ts';
import { IconButton } from '../parts/controls.tsx';
import { later } from '../parts/later.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { FormError } from '../parts/view-controls.tsx';
import { useShell } from '../use-shell.ts';
import { LookSwitches, MailFrame, RemoteHostList, SimulationNote, useMailFrame } from './MailFrame.tsx';
import { useMailLook } from './mail-look.ts';

const HtmlAsText = later(() => import('./HtmlAsText.tsx').then(({ HtmlAsText }) => HtmlAsText));

/**
 * Shows the HTML of a mail, with controls for its width, its colours and the content that it may load. While the reader
 * searches, its words stand in its place, because no page can look into the frame of a mail.
 */
export function HtmlView({
  messageId,
  attached = null,
  html,
  isSearched,
}: {
  readonly messageId: string;
  readonly attached?: string | null;
  readonly html: string | null;
  readonly isSearched: boolean;
}) {
  const shell = useShell();
  const look = useMailLook();
  const frame = useMailFrame(messageId, look, attached);
  const saving = useSubmit(async () => {
    const width = look.pixels ?? document.querySelector('.frame-ground')?.clientWidth ?? 800;
    const { drawMail, pngOf } = await loadCode(() => import('./picture.ts'));
    const picture = await drawMail(frame.value?.url ?? '', { width, colours: look.colours });
    shell.machine.save(`${attached ?? messageId}.png`, await pngOf(picture.canvas));
    shell.say(
      picture.missing === null ? 'Saved a picture of the mail' : `Saved a picture of the mail ${picture.missing}`,
    );
  });
  return (
    <>
      {isSearched && <HtmlAsText html={html ?? ''} />}
      <div className="html-view" hidden={isSearched}>
        <div className="view-bar">
          <LookSwitches look={look} />
          <IconButton
            icon="image"
            label="Save a picture (PNG)"
            disabled={frame.value === null || saving.isBusy}
            onClick={saving.submit}
          />
          {frame.value !== null && <RemoteHostList frame={frame.value} look={look} />}
        </div>
        <SimulationNote colours={look.colours} />
        <FormError reason={saving.failure} />
        <MailFrame frame={frame} look={look} />
      </div>
    </>
  );
}
