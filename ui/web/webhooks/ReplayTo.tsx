import { useEffect, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { InputField } from '../parts/fields.tsx';
import { FormEnd } from '../parts/form-ends.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useShell } from '../use-shell.ts';
import { playbackOf } from './request-as.ts';
import type { LoadedRequest } from './request-body.ts';

/** The browser keeps the last URL, because one app is usually the target of many requests. */
const URL_KEPT = 'mailcap.replay-to';

/** Sends a captured request once to a URL, whether or not its webhook forwards. Shows the answer. */
export function ReplayTo({ loaded, onClose }: { readonly loaded: LoadedRequest; readonly onClose: () => void }) {
  const shell = useShell();
  const [url, setUrl] = useState(() => shell.machine.kept(URL_KEPT) ?? 'http://127.0.0.1:3000/');
  const [answer, setAnswer] = useState<string | null>(null);
  const form = useSubmit(async () => {
    setAnswer(null);
    const { requests } = await shell.api.playRecording({ url, recording: playbackOf(loaded) });
    const [sent] = requests;
    shell.machine.keep(URL_KEPT, url);
    if (sent === undefined || sent.status === null) throw new Error(sent?.error ?? 'the request was not sent.');
    setAnswer(`Answered ${sent.status} after ${sent.durationMs} ms.`);
  });
  // Escape closes this form first, and then the request.
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      onClose();
    };
    addEventListener('keydown', close, true);
    return () => removeEventListener('keydown', close, true);
  }, [onClose]);
  return (
    <form className="form replay-to" onSubmit={form.submit}>
      <div className="form-row">
        <InputField
          label="Send it once to"
          isFirst
          hint="The path and the query of the request follow this URL."
          type="url"
          required
          value={url}
          onValue={setUrl}
        />
      </div>
      {answer !== null && (
        <p className="note good" role="status">
          {harmlessLine(answer, 200)}
        </p>
      )}
      <FormEnd form={form} yes="Send" icon="send" no="Close" onCancel={onClose} />
    </form>
  );
}
