import { useState } from 'react';
import { Button, IconButton } from '../parts/controls.tsx';
import { InputField, SelectField } from '../parts/fields.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { FormError, NotLoaded } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';

interface Line {
  readonly key: number;
  readonly kind: 'answer' | 'drop';
  readonly status: string;
  readonly body: string;
  readonly delayMs: string;
}

const KINDS = [
  { id: 'answer', name: 'a status' },
  { id: 'drop', name: 'drop the connection' },
] as const;

let keys = 0;

/** Edits the scripted answers. Each answers one request; then the configured answer applies again. */
export function ScriptedAnswers({ webhookId, onClose }: { readonly webhookId: string; readonly onClose: () => void }) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(`responses ${webhookId}`, async () =>
    (await shell.api.getResponses(webhookId)).map(
      (one): Line =>
        'drop' in one
          ? { key: keys++, kind: 'drop', status: '200', body: '', delayMs: String(one.delayMs) }
          : { key: keys++, kind: 'answer', status: String(one.status), body: one.body, delayMs: String(one.delayMs) },
    ),
  );
  const [changed, setChanged] = useState<readonly Line[] | null>(null);
  const lines = changed ?? value ?? [];
  const change = (key: number, part: Partial<Line>) =>
    setChanged(lines.map((line) => (line.key === key ? { ...line, ...part } : line)));
  const form = useSubmit(async () => {
    await shell.api.setResponses(
      webhookId,
      lines.map((line) =>
        line.kind === 'drop'
          ? { drop: true as const, delayMs: Number(line.delayMs) }
          : { status: Number(line.status), body: line.body, delayMs: Number(line.delayMs) },
      ),
    );
    shell.say('The script was saved', 'good');
    onClose();
  });
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={2} />;
  return (
    <div className="form">
      <p className="faint">Each answer is used once, in this order. Then the configured answer applies again.</p>
      {lines.map((line, index) => (
        <div key={line.key} className="form-row scripted">
          <SelectField
            label={`Answer ${index + 1}`}
            value={line.kind}
            options={KINDS}
            onPick={(kind) => change(line.key, { kind })}
          />
          {line.kind === 'answer' && (
            <InputField
              label="Status"
              type="number"
              min="200"
              max="599"
              value={line.status}
              onValue={(value) => change(line.key, { status: value })}
            />
          )}
          <InputField
            label="After, ms"
            type="number"
            min="0"
            max="60000"
            value={line.delayMs}
            onValue={(value) => change(line.key, { delayMs: value })}
          />
          {line.kind === 'answer' && (
            <InputField
              label="Body"
              fieldClassName="body"
              value={line.body}
              onValue={(value) => change(line.key, { body: value })}
            />
          )}
          <IconButton
            icon="trash"
            label={`Remove answer ${index + 1}`}
            onClick={() => setChanged(lines.filter(({ key }) => key !== line.key))}
          />
        </div>
      ))}
      <Button
        icon="plus"
        onClick={() => setChanged([...lines, { key: keys++, kind: 'answer', status: '500', body: '', delayMs: '0' }])}
      >
        Add an answer
      </Button>
      <FormError reason={form.failure} />
      <div className="form-actions">
        <Button look="main" disabled={form.isBusy} onClick={() => form.submit()}>
          Save
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </div>
  );
}
