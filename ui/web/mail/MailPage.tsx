import { Empty } from '../parts/controls.tsx';
import { later } from '../parts/later.tsx';
import { PaneSplitter } from '../parts/Splitter.tsx';
import { useView } from '../use-shell.ts';
import { MailList } from './MailList.tsx';

const MessageView = later(() => import('./MessageView.tsx').then(({ MessagePane }) => MessagePane));

/** Loads the code of the open message as soon as the pointer comes near a row. A failure shows when a message opens. */
const fetchView = () => void MessageView.fetchCode().catch(() => {});

/** Shows the list and the open message side by side. A narrow screen shows one of them. */
export function MailPage() {
  const isOpen = useView(({ route }) => 'messageId' in route && route.messageId !== null);
  // The pane is hidden beside a list that has the page. It draws there already what the mouse will open.
  const isDrawn = useView(({ ahead }) => ahead !== null) || isOpen;
  return (
    <div className={`panes ${isOpen ? 'reading' : 'whole'}`} onPointerEnter={fetchView}>
      <MailList />
      <PaneSplitter name="list" label="Width of the list" />
      {isDrawn ? <MessageView /> : <NothingOpen />}
    </div>
  );
}

/** Shows the most important keys while no message is open. */
function NothingOpen() {
  const has = useView(({ mail }) => (mail?.list.rows.length ?? 0) > 0);
  return (
    <section className="message-pane nothing" aria-label="Message">
      {has && (
        <Empty icon="mail" title="No message is open">
          <p>
            <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>enter</kbd> to open, <kbd>c</kbd> to copy the code, <kbd>?</kbd> for
            all keys.
          </p>
        </Empty>
      )}
    </section>
  );
}
