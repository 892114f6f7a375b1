import { useEffect, useRef, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { Release } from '../app/api.ts';
import { Button } from '../parts/controls.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { FormError, FormField, Tone } from '../parts/view-controls.tsx';
import { toneOfState } from '../timeline/timeline.ts';
import { useShell } from '../use-shell.ts';

/**
 * Sends a captured message through the relay to recipients that the reader enters. It shows the relay's reply for each.
 */
export function ReleaseForm({
  messageId,
  to: given,
  onClose,
}: {
  readonly messageId: string;
  readonly to: string;
  readonly onClose: () => void;
}) {
  const shell = useShell();
  const [to, setTo] = useState(given);
  const [done, setDone] = useState<Release | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const { submit, isBusy, failure } = useSubmit(async () => setDone(await shell.api.release(messageId, to)));
  return (
    <>
      {done === null ? (
        <form className="release" onSubmit={submit}>
          <FormField
            label="To"
            hint="The mail leaves this machine and goes to a real mailbox, if the server has a relay."
          >
            <input ref={field} required value={to} onInput={(event) => setTo(event.currentTarget.value)} />
          </FormField>
          <FormError reason={failure} />
          <div className="dialog-actions">
            <Button onClick={onClose}>Cancel</Button>
            <Button submit look="main" icon="send" disabled={isBusy}>
              Send
            </Button>
          </div>
        </form>
      ) : (
        <ul className="stack">
          {done.recipients.map(({ address, outcome, reply }) => (
            <li key={address}>
              <Tone tone={outcome === 'accepted' ? 'good' : toneOfState('failed')}>
                {harmlessLine(address, 120)}: {outcome} <span className="faint">{harmlessLine(reply, 200)}</span>
              </Tone>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
