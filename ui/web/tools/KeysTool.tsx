import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidCount, saidMoment } from '../../../src/text/said.ts';
import { Columns } from '../parts/Columns.tsx';
import { Button } from '../parts/controls.tsx';
import { InputField, SelectField, type SelectOption } from '../parts/fields.tsx';
import { AddForm } from '../parts/form-ends.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { CopyButton, NotLoaded } from '../parts/view-controls.tsx';
import { useWorkspace, WorkspaceChoice } from '../parts/WorkspaceChoice.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';

type WebhookScope = 'all' | 'none';

const WEBHOOK_SCOPES: readonly SelectOption<WebhookScope>[] = [
  { id: 'all', name: 'All of the workspace' },
  { id: 'none', name: 'None' },
];

/** Manages the API keys of a workspace. A key is visible only once, when it is created. */
export function KeysTool() {
  const shell = useShell();
  const [workspaceId, setWorkspaceId] = useWorkspace();
  const [name, setName] = useState('');
  const [webhooks, setWebhooks] = useState<WebhookScope>('all');
  const [made, setMade] = useState<string | null>(null);
  const { value, failure, slow, reload } = useLoaded(`keys ${workspaceId}`, () => shell.api.listKeys(workspaceId));
  const form = useSubmit(async () => {
    setMade((await shell.api.createKey(workspaceId, { name, scopes: { webhooks } })).key);
    setName('');
    reload();
  });
  return (
    <>
      <AddForm
        form={form}
        yes="Issue"
        below={
          <>
            <p className="faint">
              A key reads and deletes every captured request of its workspace, unless it gets none. It always reads and
              changes the suppression list.
            </p>
            {made !== null && (
              <p className="note good made-key" role="status">
                <span>Copy the key now: it is shown only once.</span> <code>{made}</code>{' '}
                <CopyButton text={made} what="the key" look="main" />
              </p>
            )}
          </>
        }
      >
        <WorkspaceChoice value={workspaceId} onPick={setWorkspaceId} />
        <InputField label="Name of a new key" required maxLength={100} value={name} onValue={setName} />
        <SelectField label="Captured requests" value={webhooks} options={WEBHOOK_SCOPES} onPick={setWebhooks} />
      </AddForm>
      {value === null ? (
        <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={3} />
      ) : (
        <table className="plain stacked">
          <Columns names={['Name', 'May see', 'Created']} acts />
          <tbody>
            {value.map((key) => (
              <tr key={key.id} className={key.revokedAt === null ? '' : 'gone'}>
                <th scope="row">{harmlessLine(key.name, 100)}</th>
                <td>{sightOf(key.scopes)}</td>
                <td className="faint moment">{saidMoment(Date.parse(key.createdAt), shell.now())}</td>
                <td>
                  {key.revokedAt === null ? (
                    <Button
                      look="quiet"
                      onClick={() =>
                        void shell.attempt(() => shell.api.revokeKey(key.id), 'The key was revoked').then(reload)
                      }
                    >
                      Revoke
                    </Button>
                  ) : (
                    <span className="faint">revoked</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function sightOf({ mailboxes, webhooks }: { mailboxes: 'all' | readonly string[]; webhooks: WebhookScope }): string {
  const boxes = mailboxes === 'all' ? 'all mailboxes' : saidCount(mailboxes.length, 'mailbox', 'mailboxes');
  return webhooks === 'all' ? `${boxes}, all captured requests` : boxes;
}
