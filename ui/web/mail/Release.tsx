import { type FormEvent, useEffect, useRef, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { Release } from '../app/api.ts';
import { BackendError } from '../app/ports.ts';
import { Button, FormError, FormField, Tone } from '../parts/controls.tsx';
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
  const [failure, setFailure] = useState<string | null>(null);
  const [done, setDone] = useState<Release | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const release = async (event: FormEvent) => {
    event.preventDefault();
    setFailure(null);
    try {
      setDone(await shell.api.release(messageId, to));
    } catch (error) {
      const isMissing = error instanceof BackendError && error.code === 'no_relay';
      setFailure(
        isMissing
          ? 'The server has no relay. To send mail to real mailboxes, start it with --relay smtp://user:password@host:port.'
          : shell.explain(error),
      );
    }
  };
  return (
    <>
      {done === null ? (
        <form className="release" onSubmit={(event) => void release(event)}>
          <FormField label="To" hint="The mail leaves this machine and goes to a real mailbox.">
            <input ref={field} required value={to} onInput={(event) => setTo(event.currentTarget.value)} />
          </FormField>
          <FormError reason={failure} />
          <div className="dialog-actions">
            <Button onClick={onClose}>Cancel</Button>
            <Button submit look="main" icon="send">
              Release
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
