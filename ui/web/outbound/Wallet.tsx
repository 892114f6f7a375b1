import { useState } from 'react';
import { Button, Failed, Skeleton } from '../parts/controls.tsx';
import { InputField } from '../parts/fields.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { FormError } from '../parts/view-controls.tsx';
import { useWorkspace, WorkspaceChoice } from '../parts/WorkspaceChoice.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell, useView } from '../use-shell.ts';

/** Shows the wallet, the price of sending, and the domains that may send. */
export function Wallet() {
  const shell = useShell();
  const [workspaceId, setWorkspaceId] = useWorkspace();
  const domain = useView(({ info }) => info?.mailDomain ?? '');
  const [cents, setCents] = useState('');
  const [added, setAdded] = useState('');
  const workspaces = useLoaded(
    'wallets',
    () => shell.api.listWorkspaces(),
    ({ type }) => type === 'send.updated',
  );
  const identities = useLoaded(`identities ${workspaceId}`, () => shell.api.listIdentities(workspaceId));
  const workspace = workspaces.value?.find(({ id }) => id === workspaceId);
  const balance = useSubmit(async () => {
    await shell.api.updateWorkspace(workspaceId, { walletCents: Number(cents) });
    shell.say('The balance was changed', 'good');
    setCents('');
    workspaces.reload();
  });
  const domains = useSubmit(async () => {
    await shell.api.createIdentity(workspaceId, { domain: added });
    shell.say(`The workspace may now send from ${added}`, 'good');
    setAdded('');
    identities.reload();
  });
  if (workspaces.failure !== null && workspace === undefined)
    return <Failed reason={workspaces.failure} onRetry={workspaces.reload} />;
  if (workspace === undefined) return <Skeleton slow={workspaces.slow} rows={2} />;
  return (
    <>
      <WorkspaceChoice value={workspaceId} onPick={setWorkspaceId} />
      <section className="form">
        <h2>Wallet</h2>
        <p className="figure">
          {(workspace.walletCents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' })}{' '}
          <span className="faint">one mail to one recipient is 0.05 cents</span>
        </p>
        {workspace.plan === 'free' && (
          <p className="note waiting">
            The free plan can’t send mail. Switch the workspace to the business plan under Tools, Workspaces.
          </p>
        )}
        <form className="form-row" onSubmit={balance.submit}>
          <InputField label="New balance, in cents" type="number" min="0" required value={cents} onValue={setCents} />
          <Button submit disabled={balance.isBusy}>
            Set
          </Button>
        </form>
        <FormError reason={balance.failure} />
      </section>
      <section className="form">
        <h2>Sending domains</h2>
        <ul className="chips">
          <li>
            {domain} <span className="faint">and below</span>
          </li>
          {(identities.value ?? []).map(({ id, domain: name }) => (
            <li key={id}>
              {name}
              <Button
                look="quiet"
                aria-label={`Remove ${name}`}
                onClick={() => void shell.attempt(() => shell.api.deleteIdentity(id)).then(identities.reload)}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
        <form className="form-row" onSubmit={domains.submit}>
          <InputField label="Another domain" required placeholder="shop.example" value={added} onValue={setAdded} />
          <Button submit icon="plus" disabled={domains.isBusy}>
            Add
          </Button>
        </form>
        <FormError reason={domains.failure} />
      </section>
    </>
  );
}
