import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidSent } from '../../../src/text/wording.ts';
import { Button } from '../parts/controls.tsx';
import { InputField, SelectField } from '../parts/fields.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { FormError, FormField } from '../parts/view-controls.tsx';
import { useShell, useView } from '../use-shell.ts';

/** A form that sends a message from a mailbox. The costs and refusals follow the rules of the cloud API. */
export function Compose() {
  const shell = useShell();
  const mailboxes = useView(({ mailboxes }) => mailboxes).filter(({ gone }) => !gone);
  const info = useView(({ info }) => info);
  const [mailboxId, setMailboxId] = useState(info?.mailboxId ?? '');
  const mailbox = mailboxes.find(({ id }) => id === mailboxId) ?? mailboxes[0];
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [subject, setSubject] = useState('');
  const [cc, setCc] = useState('');
  const [text, setText] = useState('');
  const [html, setHtml] = useState('');
  const sender = from || `hello@${mailbox?.subdomain}.${info?.mailDomain}`;
  const { submit, isBusy, failure } = useSubmit(async () => {
    const fields = {
      ...{ from: sender, to, subject },
      ...(cc === '' ? {} : { cc }),
      ...(text === '' ? {} : { textBody: text }),
      ...(html === '' ? {} : { htmlBody: html }),
    };
    const { outboundSendId } = await shell.api.sendFrom(mailbox?.id ?? '', fields);
    shell.say(saidSent(to), 'good');
    shell.go({ at: 'outbound', part: 'sends', id: outboundSendId });
  });
  if (mailbox === undefined || info === null) return null;
  return (
    <form className="form" onSubmit={submit}>
      <div className="form-row">
        <SelectField
          label="From the mailbox"
          value={mailbox.id}
          options={mailboxes.map(({ id, name }) => ({ id, name: harmlessLine(name, 60) }))}
          onPick={setMailboxId}
        />
        <InputField label="Sender" value={sender} onValue={setFrom} />
      </div>
      <InputField
        label="To"
        hint={`Recipients below ${info.mailDomain} receive it here. The allowlist of the mailbox permits: ${mailbox.allowlist.join(', ') || 'nobody'}.`}
        value={to}
        required
        placeholder={`anything@inbox.${info.mailDomain}`}
        onValue={setTo}
      />
      <InputField label="Cc" value={cc} onValue={setCc} />
      <InputField label="Subject" value={subject} onValue={setSubject} />
      <FormField label="Text">
        <textarea
          rows={6}
          required={html === ''}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </FormField>
      <FormField label="HTML">
        <textarea rows={4} spellCheck={false} value={html} onInput={(event) => setHtml(event.currentTarget.value)} />
      </FormField>
      {!mailbox.outboundEnabled && (
        <p className="note waiting">
          This mailbox or the plan of its workspace can’t send mail. Change this under Tools, Workspaces.
        </p>
      )}
      <FormError reason={failure} />
      <div className="form-actions">
        <Button submit look="main" icon="send" disabled={isBusy}>
          Send
        </Button>
      </div>
    </form>
  );
}
