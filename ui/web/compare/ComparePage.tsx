import { loadOpen } from '../app/open-message.ts';
import type { CompareRoute } from '../app/route.ts';
import { messageRoute } from '../app/route.ts';
import { Failed, IconButton, Skeleton } from '../parts/controls.tsx';
import { useCommands, useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';
import { Compared } from './Compared.tsx';
import { PickOther } from './PickOther.tsx';

/** Shows two messages side by side, or asks for the second one. */
export function ComparePage({ route }: { readonly route: CompareRoute }) {
  const shell = useShell();
  const { leftId, rightId } = route;
  const back = () => shell.go(messageRoute(rightId));
  useCommands((command) => {
    if (command === 'back') back();
    if (command === 'filter' && leftId === null) document.querySelector<HTMLElement>('.pick-other input')?.focus();
    if (command === 'filter' && leftId !== null) shell.go({ ...route, leftId: null, tab: null });
    if (command === 'swap' && leftId !== null) shell.go({ ...route, leftId: rightId, rightId: leftId });
  });
  return (
    <section className="compare" aria-label="Two messages side by side" data-place="compare" id="message" tabIndex={-1}>
      <header className="compare-head">
        <IconButton icon="back" label="Back to the message" hint="esc" onClick={back} />
        <h1>{leftId === null ? 'Compare with which message?' : 'Side by side'}</h1>
        <span className="grow" />
        {leftId !== null && (
          <IconButton
            icon="swap"
            label="Swap the two messages"
            hint="s"
            onClick={() => shell.go({ ...route, leftId: rightId, rightId: leftId })}
          />
        )}
      </header>
      {leftId === null ? (
        <PickOther key={rightId} messageId={rightId} />
      ) : (
        <Both key={`${leftId} ${rightId}`} route={{ ...route, leftId }} />
      )}
    </section>
  );
}

function Both({ route }: { readonly route: CompareRoute & { readonly leftId: string } }) {
  const shell = useShell();
  const { leftId, rightId } = route;
  const { value, slow, reload } = useLoaded(
    `compare ${leftId} ${rightId}`,
    () => Promise.all([leftId, rightId].map((id) => loadOpen(shell.api, id, (error) => shell.explain(error)))),
    ({ type }) => type === 'message.deleted',
  );
  const [left, right] = value ?? [];
  if (left === undefined || right === undefined) return <Skeleton rows={6} slow={slow} />;
  if (left.facts === null || left.content === null)
    return <Failed reason={`The message on the left: ${left.failure ?? ''}`} onRetry={reload} />;
  if (right.facts === null || right.content === null)
    return <Failed reason={`The message on the right: ${right.failure ?? ''}`} onRetry={reload} />;
  return (
    <Compared
      route={route}
      left={{ facts: left.facts, content: left.content }}
      right={{ facts: right.facts, content: right.content }}
    />
  );
}
