import { compareMessages } from '../app/compare-messages.ts';
import { canChooseAll, deleteAllFound, foundTotal, readAllFound } from '../app/found-messages.ts';
import { allOf, NONE } from '../app/selection.ts';
import { isOneOf, messagesOf } from '../app/state.ts';
import { Button, IconButton } from '../parts/controls.tsx';
import { useShell, useView } from '../use-shell.ts';
import { Fresh } from './Fresh.tsx';
import { saveMessages } from './save-messages.ts';

/** The actions on several selected messages. They cover the head of the list, so the rows stay where they are. */
export function ChosenActions() {
  const shell = useShell();
  const mail = useView(({ mail }) => mail);
  const total = useView(foundTotal);
  if (mail === null) return null;
  const { selection, list } = mail;
  const { everything } = selection;
  const rows = list.rows.filter((row) => isOneOf(row, selection.ids));
  const count = messagesOf(rows).length;
  const shown = list.rows.slice(list.waiting);
  const isAllLoaded = rows.length === shown.length;
  const mayChooseAll = isAllLoaded && !list.complete && total !== null && total > count && canChooseAll(mail);
  return (
    <header className="list-head bulk">
      <div className="title-row">
        <IconButton icon="close" label="Select none" hint="esc" onClick={() => shell.choose(NONE)} />
        <strong aria-live="polite">
          {everything ? `All ${total?.toLocaleString('en-US')}` : count} selected
          {isAllLoaded && !list.complete && !everything && <span className="faint">, those that are loaded</span>}
        </strong>
        <Fresh />
        <span className="grow" />
        {mayChooseAll && !everything && (
          <Button look="quiet" onClick={() => shell.choose({ ...selection, everything: true })}>
            Select all {total.toLocaleString('en-US')}
          </Button>
        )}
        {!isAllLoaded && (
          <Button look="quiet" onClick={() => shell.choose(allOf(shown))}>
            {list.complete ? `Select all ${shown.length}` : `Select the ${shown.length} loaded`}
          </Button>
        )}
      </div>
      <div className="actions">
        <Button
          icon="open"
          onClick={() => {
            if (everything) void readAllFound(shell);
            else shell.marks.read(rows, true);
            shell.choose(NONE);
          }}
        >
          Mark read
        </Button>
        <IconButton
          icon="star"
          label="Star, or remove the star"
          hint="s"
          disabled={everything}
          onClick={() =>
            shell.marks.star(
              rows,
              rows.some(({ starred }) => !starred),
            )
          }
        />
        {rows.length === 2 && (
          <Button icon="compare" title="Side by side (=)" onClick={() => compareMessages(shell, rows)}>
            Compare
          </Button>
        )}
        <span className="grow" />
        <IconButton
          icon="download"
          label="Export"
          hint="e"
          disabled={everything && mail.query !== ''}
          onClick={() => void saveMessages(shell, mail.mailboxId, everything ? null : rows)}
        />
        <Button
          icon="trash"
          title="Delete (d)"
          className="danger-text"
          onClick={() => (everything ? deleteAllFound(shell) : shell.deletions.begin(rows))}
        >
          Delete
        </Button>
      </div>
    </header>
  );
}
