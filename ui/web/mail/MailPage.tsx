import { Splitter } from '../parts/Splitter.tsx';
import { useView } from '../use-shell.ts';
import { MailList } from './MailList.tsx';
import { MessageView, NothingOpen } from './MessageView.tsx';

/** Shows the list and the open message side by side. A narrow screen shows one of them. */
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
