import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { CALLED } from '../../../src/text/wording.ts';
import type { Workspace } from '../app/api.ts';
import { askToDelete } from '../app/ask-to-delete.ts';
import { Columns } from '../parts/Columns.tsx';
import { Button } from '../parts/controls.tsx';
import { InputField } from '../parts/fields.tsx';
import { AddForm } from '../parts/form-ends.tsx';
import { workspaceName } from '../parts/mailbox-groups.ts';
import { useSubmit } from '../parts/use-submit.ts';
import { NotLoaded } from '../parts/view-controls.tsx';
import { useWorkspace, WorkspaceChoice } from '../parts/WorkspaceChoice.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell, useView } from '../use-shell.ts';

/** Shows workspaces with their plans and limits, and creates mailboxes in them. */
export function WorkspacesTool() {
  const shell = useShell();
  const seeded = useView(({ info }) => info?.workspaceId);
  const [name, setName] = useState('');
  const [mailbox, setMailbox] = useState('');
  const [workspaceId, setWorkspaceId] = useWorkspace();
  const { value, failure, slow, reload } = useLoaded('workspaces', () => shell.api.listWorkspaces());
  const changed = () => {
    reload();
    shell.server.reloadMailboxes();
  };
  const workspaceForm = useSubmit(async () => {
    await shell.api.createWorkspace({ name });
    shell.say('The workspace was created', 'good');
    setName('');
    changed();
  });
  const mailboxForm = useSubmit(async () => {
    await shell.api.createMailboxIn(workspaceId, { name: mailbox });
    shell.say('The mailbox was created', 'good');
    setMailbox('');
    changed();
  });
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={3} />;
  return (
    <>
      <table className="plain stacked">
        <Columns names={['Workspace', 'Plan', 'Limits']} acts />
        <tbody>
          {value.map((workspace) => (
            <One key={workspace.id} workspace={workspace} isSeeded={workspace.id === seeded} onChanged={changed} />
          ))}
        </tbody>
      </table>
      <AddForm form={workspaceForm} yes="Create">
        <InputField
          label="Name of a new workspace"
          hint="It has no mailbox and no key at first."
          required
          maxLength={100}
          value={name}
          onValue={setName}
        />
      </AddForm>
      <AddForm form={mailboxForm} yes="Create">
        <WorkspaceChoice value={workspaceId} onPick={setWorkspaceId} />
        <InputField label="Name of a new mailbox" required maxLength={100} value={mailbox} onValue={setMailbox} />
      </AddForm>
    </>
  );
}

function One({
  workspace,
  isSeeded,
  onChanged,
}: {
  readonly workspace: Workspace;
  readonly isSeeded: boolean;
  readonly onChanged: () => void;
}) {
  const shell = useShell();
  const { id, name, plan, limits } = workspace;
  const change = (fields: object, said: string) =>
    void shell.attempt(() => shell.api.updateWorkspace(id, fields), said).then(onChanged);
  return (
    <tr>
      <th scope="row" title={harmlessLine(name, 100)}>
        {harmlessLine(workspaceName(name), 100)}
      </th>
      <td data-label="Plan">
        <select
          aria-label={`Plan of ${name}`}
          value={plan}
          onChange={(event) => change({ plan: event.currentTarget.value }, 'The plan was changed')}
        >
          <option value="free">free</option>
          <option value="business">business</option>
        </select>
      </td>
      <td data-label="Limits">
        <select
          aria-label={`Limits of ${name}`}
          value={limits}
          onChange={(event) => change({ limits: event.currentTarget.value }, 'The limits were changed')}
        >
          <option value="cloud">as the cloud</option>
          <option value="off">off</option>
        </select>
      </td>
      <td>
        {!isSeeded && (
          <Button
            look="quiet"
            onClick={() =>
              askToDelete(shell, {
                what: CALLED.workspace(name),
                detail:
                  'This also deletes its mailboxes, mail, keys and webhooks. A test that still uses it will fail.',
                remove: () => shell.api.deleteWorkspace(id),
                done: onChanged,
              })
            }
          >
            Delete
          </Button>
        )}
      </td>
    </tr>
  );
}
