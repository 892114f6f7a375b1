import { useState } from 'react';
import { mailboxRoute } from '../app/route.ts';
import type { MailboxEntry } from '../app/state.ts';
import { InputField, TextAreaField } from '../parts/fields.tsx';
import { FormEnd } from '../parts/form-ends.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useWorkspace, WorkspaceChoice } from '../parts/WorkspaceChoice.tsx';
import { useShell, useView } from '../use-shell.ts';

/** Edits the settings of a mailbox, or creates one if `id` is null. */
export function MailboxForm({ id, onClose }: { readonly id: string | null; readonly onClose: () => void }) {
  const mailbox = useView(({ mailboxes }) => mailboxes.find((one) => one.id === id) ?? null);
  if (id === null) return <NewMailbox onClose={onClose} />;
  return mailbox === null ? null : <Settings mailbox={mailbox} onClose={onClose} />;
}

function NewMailbox({ onClose }: { readonly onClose: () => void }) {
  const shell = useShell();
  const [workspaceId, setWorkspaceId] = useWorkspace();
  const [name, setName] = useState('');
  const form = useSubmit(async () => {
    const { id } = await shell.api.createMailboxIn(workspaceId, { name });
    shell.say('The mailbox was created', 'good');
    shell.server.reloadMailboxes();
    onClose();
    shell.go(mailboxRoute(id));
  });
  return (
    <form className="stack settings" onSubmit={form.submit}>
      <WorkspaceChoice value={workspaceId} onPick={setWorkspaceId} />
      <InputField
        label="Name"
        hint="Its address is made of the name."
        required
        maxLength={100}
        data-first
        value={name}
        onValue={setName}
      />
      <FormEnd form={form} yes="Create" onCancel={onClose} isDialog />
    </form>
  );
}

function Settings({ mailbox, onClose }: { readonly mailbox: MailboxEntry; readonly onClose: () => void }) {
  const shell = useShell();
  const { id } = mailbox;
  const [name, setName] = useState(mailbox.name);
  const [retention, setRetention] = useState(String(mailbox.retentionDays));
  const [addresses, setAddresses] = useState(mailbox.addresses.join('\n'));
  const [outbound, setOutbound] = useState(mailbox.outboundEnabled);
  const [allowlist, setAllowlist] = useState(mailbox.allowlist.join('\n'));
  const form = useSubmit(async () => {
    // The claim may be refused, because another mailbox has an address. Nothing else is changed then.
    if (addresses !== mailbox.addresses.join('\n')) await shell.api.claimAddresses(id, linesOf(addresses));
    await shell.api.updateMailbox(id, {
      ...(name === mailbox.name ? {} : { name }),
      ...(retention === String(mailbox.retentionDays) ? {} : { retentionDays: Number(retention) }),
      outboundEnabled: outbound,
      allowlist: linesOf(allowlist),
    });
    shell.server.reloadMailboxes();
    shell.say('Saved', 'good');
    onClose();
  });
  return (
    <form className="stack settings" onSubmit={form.submit}>
      <InputField label="Name" required maxLength={100} value={name} onValue={setName} />
      <TextAreaField
        label="Further addresses"
        hint={`One a line, of any domain, or *@shop.example for all of one. It also takes ${mailbox.address}.`}
        rows={2}
        value={addresses}
        onValue={setAddresses}
      />
      <InputField
        label="Days that mail is kept"
        type="number"
        min="1"
        required
        value={retention}
        onValue={setRetention}
      />
      <label className="check-field">
        <input type="checkbox" checked={outbound} onChange={(event) => setOutbound(event.currentTarget.checked)} />
        It may send mail
      </label>
      <TextAreaField
        label="Recipients that it may send to"
        hint="One a line: an address, *@domain, or *.domain with all below it."
        rows={3}
        value={allowlist}
        onValue={setAllowlist}
      />
      <FormEnd form={form} yes="Save" onCancel={onClose} isDialog />
    </form>
  );
}

function linesOf(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
