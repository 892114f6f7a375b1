import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidMoment } from '../../../src/text/said.ts';
import { Columns } from '../parts/Columns.tsx';
import { Button, Empty } from '../parts/controls.tsx';
import { InputField, SelectField } from '../parts/fields.tsx';
import { AddForm } from '../parts/form-ends.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { NotLoaded } from '../parts/view-controls.tsx';
import { useWorkspace, WorkspaceChoice } from '../parts/WorkspaceChoice.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell, useView } from '../use-shell.ts';

const REASONS = [
  { id: 'bounce', name: 'bounced' },
  { id: 'complaint', name: 'complained' },
] as const;

/** Shows the suppression list: addresses that bounced or complained. Mail to them is refused. */
export function Suppression() {
  const shell = useShell();
  const [workspaceId, setWorkspaceId] = useWorkspace();
  const domain = useView(({ info }) => info?.mailDomain ?? '');
  const [recipient, setRecipient] = useState('');
  const [reason, setReason] = useState<(typeof REASONS)[number]['id']>('bounce');
  const { value, failure, slow, reload } = useLoaded(
    `suppression ${workspaceId}`,
    () => shell.api.listSuppressionOf(workspaceId),
    ({ type }) => type === 'suppression.added',
  );
  const form = useSubmit(async () => {
    await shell.api.addSuppression(workspaceId, { recipient, reason });
    shell.say(`${recipient} suppressed`, 'good');
    setRecipient('');
    reload();
  });
  return (
    <>
      <AddForm form={form} yes="Suppress">
        <WorkspaceChoice value={workspaceId} onPick={setWorkspaceId} />
        <InputField label="Address" type="email" required value={recipient} onValue={setRecipient} />
        <SelectField label="Because it" value={reason} options={REASONS} onPick={setReason} />
      </AddForm>
      {value === null ? (
        <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={3} />
      ) : value.length === 0 ? (
        <Empty icon="send" title="The suppression list is empty">
          <p>
            Send to <code>bounce@simulator.{domain}</code> or <code>complaint@simulator.{domain}</code>, and the address
            is on this list.
          </p>
        </Empty>
      ) : (
        <table className="plain stacked">
          <Columns names={['Address', 'Reason', 'Since']} acts />
          <tbody>
            {value.map((entry) => (
              <tr key={entry.id}>
                <th scope="row">{harmlessLine(entry.recipient, 160)}</th>
                <td>{entry.reason}</td>
                <td className="faint moment">{saidMoment(Date.parse(entry.addedAt), shell.now())}</td>
                <td>
                  <Button
                    look="quiet"
                    onClick={() =>
                      void shell
                        .attempt(() => shell.api.removeSuppression(entry.id), 'The address was removed')
                        .then(reload)
                    }
                  >
                    Remove
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
