import { Splitter } from '../parts/Splitter.tsx';
import { useView } from '../use-shell.ts';
import { MailList } from './MailList.tsx';
import { MessageView, NothingOpen } from './MessageView.tsx';

/** The list, and beside it the message that is open; one of both where there is room for one. */
export function MailPage() {
  const isOpen = useView(({ route }) => route.at === 'mail' && route.messageId !== null);
  return (
    <div className={`panes ${isOpen ? 'reading' : ''}`}>
      <MailList />
      <Splitter name="list" label="Width of the list" />
      {isOpen ? <MessageView /> : <NothingOpen />}
    </div>
  );
}
