import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { Release } from '../app/api.ts';
import { InputField } from '../parts/fields.tsx';
import { FormEnd } from '../parts/form-ends.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { Tone } from '../parts/view-controls.tsx';
import { toneOfState } from '../timeline/timeline.ts';
import { useShell, useView } from '../use-shell.ts';

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
  const form = useSubmit(async () => setDone(await shell.api.releaseMessage(messageId, { to })));
  const relay = useView(({ info }) => info?.relay ?? null);
  if (relay === null) return <p>The server has no relay, so no mail leaves it.</p>;
  return (
    <>
      {done === null ? (
        <form className="release" onSubmit={form.submit}>
          <InputField
            label="To"
            hint={`The mail leaves this machine through ${harmlessLine(relay, 80)} and goes to a real mailbox.`}
            isFirst
            required
            value={to}
            onValue={setTo}
          />
          <FormEnd form={form} yes="Send" icon="send" onCancel={onClose} isDialog />
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
