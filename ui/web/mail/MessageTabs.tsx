import type { MessageTab } from '../app/route.ts';
import { Tabs } from '../parts/view-controls.tsx';

const NAMES: Readonly<Record<MessageTab, string>> = {
  html: 'HTML',
  text: 'Text',
  headers: 'Headers',
  parts: 'Parts',
  source: 'Source',
  attachments: 'Attachments',
  delivery: 'Delivery',
  links: 'Links',
  checks: 'Checks',
};

/** The tabs of a message, or of a mail attached to it. */
export function MessageTabs({
  tabs,
  current,
  onPick,
  attachmentCount,
}: {
  readonly tabs: readonly MessageTab[];
  readonly current: MessageTab;
  readonly onPick: (tab: MessageTab) => void;
  readonly attachmentCount: number;
}) {
  return (
    <Tabs
      label="Views of the message"
      current={current}
      onPick={onPick}
      tabs={tabs.map((name) => ({
        name,
        text: NAMES[name],
        count: name === 'attachments' ? attachmentCount : undefined,
      }))}
    />
  );
}
