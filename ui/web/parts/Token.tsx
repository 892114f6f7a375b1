import { type FormEvent, useState } from 'react';
import { keepToken } from '../machine/token.ts';
import { useShell, useView } from '../use-shell.ts';
import { Button } from './controls.tsx';
import { Logo } from './Sidebar.tsx';
import { FormError, FormField } from './view-controls.tsx';

/** Asks for the admin token, which the local API requires from other machines. The page keeps it for this tab. */
export function TokenForm() {
  const shell = useShell();
  const access = useView(({ access }) => access);
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const give = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    keepToken(token.trim());
    try {
      await shell.api.getInfo();
      shell.tokenGiven();
    } catch (error) {
      keepToken(null);
      shell.explain(error);
      shell.tokenRefused();
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className="token" id="main">
      <form onSubmit={(event) => void give(event)}>
        <h1 className="brand">
          <Logo /> mailcap
        </h1>
        <p>
          This server accepts connections from other machines, so it requires the admin token. The token is in the
          start-up output and in <code>.mailcap/credentials.json</code>.
        </p>
        <FormField label="Admin token" hint="Stored only for this tab, and never part of a URL.">
          <input
            type="password"
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the field is the only control of the page
            autoFocus
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </FormField>
        <FormError reason={access === 'token wrong' ? 'The server does not accept this token.' : null} />
        <Button submit look="main" disabled={busy}>
          Open the inbox
        </Button>
      </form>
    </main>
  );
}
