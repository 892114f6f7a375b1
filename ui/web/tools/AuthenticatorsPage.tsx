import { useRef, useState } from 'react';
import { encode } from 'uqr';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { CALLED } from '../../../src/text/wording.ts';
import type { StoredAuthenticator } from '../app/api.ts';
import { askToDelete } from '../app/ask-to-delete.ts';
import type { Route } from '../app/route.ts';
import { Button, Empty, IconButton } from '../parts/controls.tsx';
import { InputField } from '../parts/fields.tsx';
import { FormEnd } from '../parts/form-ends.tsx';
import { RunningCode } from '../parts/RunningCode.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { NotLoaded } from '../parts/view-controls.tsx';
import { useWorkspace, WorkspaceChoice } from '../parts/WorkspaceChoice.tsx';
import { useCommands, useLoaded } from '../use-loaded.ts';
import { useShell, useView } from '../use-shell.ts';

/** Shows the authenticators of all workspaces and their current codes. */
export function AuthenticatorsPage({ route }: { readonly route: Extract<Route, { at: 'authenticators' }> }) {
  const shell = useShell();
  const workspaces = useView(({ workspaces }) => workspaces);
  const isNew = route.form === 'new';
  const setNew = (shown: boolean) => shell.go({ ...route, form: shown ? 'new' : null }, { replace: !shown });
  const { value, failure, slow, reload } = useLoaded(
    `authenticators ${workspaces.map(({ id }) => id).join()}`,
    async () => (await Promise.all(workspaces.map(({ id }) => shell.api.listAuthenticators(id)))).flat(),
  );
  return (
    <div className="page" data-place="authenticators">
      <header>
        <h1>Authenticators</h1>
        <span className="grow" />
        {!isNew && (
          <Button look="main" icon="plus" onClick={() => setNew(true)}>
            New authenticator
          </Button>
        )}
        <p>The second factor of the accounts your tests sign in with. The codes follow the server’s clock.</p>
      </header>
      <div className="page-body">
        {isNew && <NewAuthenticator onDone={reload} onCancel={() => setNew(false)} />}
        {value === null ? (
          <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={3} />
        ) : value.length === 0 && !isNew ? (
          <Empty icon="key" title="No authenticator yet">
            <p>
              Give it the secret that your app shows when somebody switches two-factor sign-in on, or the otpauth://
              address behind the QR code.
            </p>
          </Empty>
        ) : (
          <ul className="codes">
            {value.map((one, index) => (
              <Running key={one.id} authenticator={one} isFirst={index === 0} onDeleted={reload} />
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function Running({
  authenticator,
  isFirst,
  onDeleted,
}: {
  readonly authenticator: StoredAuthenticator;
  readonly isFirst: boolean;
  readonly onDeleted: () => void;
}) {
  const shell = useShell();
  const { id, name, issuer, label } = authenticator;
  const code = useRef<string | null>(null);
  useCommands((command) => {
    if (!isFirst || code.current === null) return;
    if (command === 'copy-code' || command === 'open') void shell.copy(code.current, 'the code');
  });
  return (
    <li className="card">
      <div className="card-head">
        <strong>{harmlessLine(name, 100)}</strong>
        <span className="faint">
          {[issuer, label]
            .filter((one): one is string => one !== null && one !== '')
            .map((one) => harmlessLine(one, 80))
            .join(' · ')}
        </span>
        <span className="grow" />
        <IconButton
          icon="trash"
          label={`Delete ${harmlessLine(name, 60)}`}
          onClick={() =>
            askToDelete(shell, {
              what: CALLED.authenticator(name),
              detail: 'Its secret is deleted too, and no page shows it.',
              remove: () => shell.api.deleteAuthenticator(id),
              done: onDeleted,
            })
          }
        />
      </div>
      <RunningCode
        authenticator={authenticator}
        onCode={(shown) => {
          code.current = shown;
        }}
      />
    </li>
  );
}

function NewAuthenticator({ onDone, onCancel }: { readonly onDone: () => void; readonly onCancel: () => void }) {
  const shell = useShell();
  const [workspaceId, setWorkspaceId] = useWorkspace();
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const [made, setMade] = useState<string | null>(null);
  const isUri = /^otpauth:/i.test(secret.trim());
  const form = useSubmit(async () => {
    await shell.api.createAuthenticator(workspaceId, isUri ? { name, uri: secret.trim() } : { name, secret });
    setMade(
      isUri
        ? secret.trim()
        : `otpauth://totp/${encodeURIComponent(name)}?secret=${secret.replace(/[\s-]/g, '').toUpperCase()}`,
    );
    onDone();
  });
  if (made !== null)
    return (
      <section className="form made">
        <p>
          <strong>The authenticator works.</strong> To get the same codes on a phone, scan this now. The secret is not
          shown again.
        </p>
        <QrCode text={made} />
        <div className="form-actions">
          <Button look="main" onClick={onCancel}>
            Done
          </Button>
        </div>
      </section>
    );
  return (
    <form className="form" onSubmit={form.submit}>
      <div className="form-row">
        <WorkspaceChoice value={workspaceId} onPick={setWorkspaceId} />
        <InputField label="Name" isFirst required maxLength={100} value={name} onValue={setName} />
        <InputField
          label="Secret"
          hint="Or an otpauth:// address"
          required
          autoComplete="off"
          spellCheck={false}
          value={secret}
          onValue={setSecret}
        />
      </div>
      <FormEnd form={form} yes="Create" onCancel={onCancel} />
    </form>
  );
}

/** Shows a text as a QR code. It is dark on light in both colour schemes, because scanners need that. */
function QrCode({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code of the authenticator"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
