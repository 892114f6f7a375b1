import { harmlessLine } from '../../../src/text/harmless.ts';
import type { MessageFacts } from '../app/api.ts';
import { RunningCode } from '../parts/RunningCode.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell, useView } from '../use-shell.ts';
import { authenticatorsOf } from './addresses.ts';

/** Shows the current TOTP code of the account that a sign-in mail went to, because the sign-in asks for it next. */
export function SecondFactor({ facts }: { readonly facts: MessageFacts }) {
  const shell = useShell();
  const workspaceId = useView(
    ({ mailboxes }) => mailboxes.find(({ id }) => id === facts.mailboxId)?.workspaceId ?? null,
  );
  const { value } = useLoaded(`second factor ${workspaceId}`, async () =>
    workspaceId === null ? [] : shell.api.listAuthenticators(workspaceId),
  );
  const mine = authenticatorsOf(value ?? [], facts.envelope.rcptTo);
  if (mine.length === 0) return null;
  return (
    <section className="found codes" aria-label="Second factor">
      {mine.map((authenticator) => (
        <div key={authenticator.id}>
          <p className="reason">Second factor: {harmlessLine(authenticator.name, 100)}</p>
          <RunningCode authenticator={authenticator} />
        </div>
      ))}
    </section>
  );
}
