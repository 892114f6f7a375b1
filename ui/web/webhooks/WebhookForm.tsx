import { useState } from 'react';
import type { WebhookFacts } from '../app/api.ts';
import { InputField, SelectField, TextAreaField } from '../parts/fields.tsx';
import { FormEnd } from '../parts/form-ends.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useWorkspace, WorkspaceChoice } from '../parts/WorkspaceChoice.tsx';
import { useShell } from '../use-shell.ts';

/** The forwarding modes, at the positions of the API's numbers. */
const MODES = [
  { id: 'off', name: 'not at all' },
  { id: 'async', name: 'after the answer, up to 3 attempts' },
  { id: 'sync', name: 'before the answer, once' },
] as const;

/** Edits the answer of a webhook and its forwarding target. */
export function WebhookForm({
  webhook,
  onDone,
  onCancel,
}: {
  readonly webhook: WebhookFacts | null;
  readonly onDone: (webhook: WebhookFacts) => void;
  readonly onCancel: () => void;
}) {
  const shell = useShell();
  const [workspaceId, setWorkspaceId] = useWorkspace();
  const [name, setName] = useState(webhook?.name ?? '');
  const [status, setStatus] = useState(String(webhook?.responseStatus ?? 200));
  const [type, setType] = useState(webhook?.responseContentType ?? 'application/json');
  const [body, setBody] = useState(webhook?.responseBody ?? '');
  const [mode, setMode] = useState<(typeof MODES)[number]['id']>(MODES[webhook?.forwardMode ?? 0]?.id ?? 'off');
  const [url, setUrl] = useState(webhook?.forwardUrl ?? '');
  const form = useSubmit(async () => {
    const fields = {
      name,
      responseStatus: Number(status),
      responseContentType: type,
      responseBody: body,
      forwardMode: mode,
      ...(url === '' ? {} : { forwardUrl: url }),
    };
    const saved =
      webhook === null
        ? await shell.api.createWebhookIn(workspaceId, fields)
        : await shell.api.updateWebhookOf(webhook.id, fields);
    shell.say(webhook === null ? 'The webhook was created' : 'Saved', 'good');
    onDone(saved);
  });
  return (
    <form className="form" onSubmit={form.submit}>
      <div className="form-row">
        <InputField label="Name" isFirst={webhook === null} value={name} maxLength={100} onValue={setName} />
        {webhook === null && <WorkspaceChoice value={workspaceId} onPick={setWorkspaceId} />}
      </div>
      <div className="form-row">
        <InputField
          label="Answer with status"
          type="number"
          min="200"
          max="599"
          required
          value={status}
          onValue={setStatus}
        />
        <InputField label="Content type" value={type} onValue={setType} />
      </div>
      <TextAreaField label="Body" rows={3} spellCheck={false} value={body} onValue={setBody} />
      <div className="form-row roomy">
        <SelectField label="Forward" value={mode} options={MODES} onPick={setMode} />
        {mode !== 'off' && (
          <InputField
            label="Forward to"
            type="url"
            required
            placeholder="http://127.0.0.1:3000/hook"
            value={url}
            onValue={setUrl}
          />
        )}
      </div>
      <FormEnd form={form} yes={webhook === null ? 'Create' : 'Save'} onCancel={onCancel} />
    </form>
  );
}
