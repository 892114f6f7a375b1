import { type FormEvent, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { WebhookOverview } from '../../shell/api.ts';
import { Button, FormError, FormField } from '../parts/controls.tsx';
import { useShell, useView } from '../use-shell.ts';

const MODES = ['off', 'async', 'sync'] as const;

/** Edits the answer of an interceptor and its forwarding target. */
export function WebhookForm({
  webhook,
  onDone,
  onCancel,
}: {
  readonly webhook: WebhookOverview | null;
  readonly onDone: (webhook: WebhookOverview) => void;
  readonly onCancel: () => void;
}) {
  const shell = useShell();
  const workspaces = useView(({ workspaces }) => workspaces);
  const seeded = useView(({ info }) => info?.workspaceId ?? '');
  const [workspaceId, setWorkspaceId] = useState(webhook?.workspaceId ?? seeded);
  const [name, setName] = useState(webhook?.name ?? '');
  const [status, setStatus] = useState(String(webhook?.responseStatus ?? 200));
  const [type, setType] = useState(webhook?.responseContentType ?? 'application/json');
  const [body, setBody] = useState(webhook?.responseBody ?? '');
  const [mode, setMode] = useState<(typeof MODES)[number]>(MODES[webhook?.forwardMode ?? 0] ?? 'off');
  const [url, setUrl] = useState(webhook?.forwardUrl ?? '');
  const [failure, setFailure] = useState<string | null>(null);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const fields = {
      name,
      responseStatus: Number(status),
      responseContentType: type,
      responseBody: body,
      forwardMode: mode,
      ...(url === '' ? {} : { forwardUrl: url }),
    };
    try {
      const saved =
        webhook === null
          ? await shell.api.createWebhook(workspaceId, fields)
          : await shell.api.updateWebhook(webhook.id, fields);
      shell.say(webhook === null ? 'Interceptor made' : 'Saved', 'good');
      onDone(saved);
    } catch (error) {
      setFailure(shell.explain(error));
    }
  };
  return (
    <form className="form" onSubmit={(event) => void save(event)}>
      <div className="form-row">
        <FormField label="Name">
          <input value={name} maxLength={100} onInput={(event) => setName(event.currentTarget.value)} />
        </FormField>
        {webhook === null && workspaces.length > 1 && (
          <FormField label="Workspace">
            <select value={workspaceId} onChange={(event) => setWorkspaceId(event.currentTarget.value)}>
              {workspaces.map((one) => (
                <option key={one.id} value={one.id}>
                  {harmlessLine(one.name, 60)}
                </option>
              ))}
            </select>
          </FormField>
        )}
      </div>
      <div className="form-row">
        <FormField label="Answer with status">
          <input
            type="number"
            min="200"
            max="599"
            required
            value={status}
            onInput={(event) => setStatus(event.currentTarget.value)}
          />
        </FormField>
        <FormField label="of type">
          <input value={type} onInput={(event) => setType(event.currentTarget.value)} />
        </FormField>
      </div>
      <FormField label="and this body">
        <textarea value={body} rows={3} spellCheck={false} onInput={(event) => setBody(event.currentTarget.value)} />
      </FormField>
      <div className="form-row">
        <FormField label="Forward">
          <select
            value={mode}
            onChange={(event) => setMode(MODES.find((one) => one === event.currentTarget.value) ?? 'off')}
          >
            <option value="off">not at all</option>
            <option value="async">after the answer, up to 3 attempts</option>
            <option value="sync">before the answer, once</option>
          </select>
        </FormField>
        {mode !== 'off' && (
          <FormField label="to">
            <input
              type="url"
              required
              placeholder="http://127.0.0.1:3000/hook"
              value={url}
              onInput={(event) => setUrl(event.currentTarget.value)}
            />
          </FormField>
        )}
      </div>
      <FormError reason={failure} />
      <div className="form-actions">
        <Button submit look="main">
          {webhook === null ? 'Make it' : 'Save'}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
