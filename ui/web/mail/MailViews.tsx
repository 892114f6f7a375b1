import type { ReactNode } from 'react';
import type { AttachedMail, MessageContent } from '../app/api.ts';
import { type MailRoute, MESSAGE_TABS, type MessageTab } from '../app/route.ts';
import { later } from '../parts/later.tsx';
import { Tabs } from '../parts/view-controls.tsx';
import { useShell, useView } from '../use-shell.ts';
import { HtmlView } from './HtmlView.tsx';
import { TextView } from './TextView.tsx';
import { useDistinct } from './use-distinct.ts';

const RawViews = later(() => import('./RawViews.tsx').then(({ RawViews }) => RawViews));
const Attachments = later(() => import('./Attachments.tsx').then(({ Attachments }) => Attachments));
const AttachmentsBelow = later(() => import('./Attachments.tsx').then(({ AttachmentsBelow }) => AttachmentsBelow));

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

/** Shows a message, or a mail attached to it, in the tab that the address names. */
export function MailViews({
  messageId,
  attached = null,
  mail,
  links,
  isSearched,
  place = () => ({}),
  more = {},
}: {
  readonly messageId: string;
  readonly attached?: string | null;
  readonly mail: MessageContent | AttachedMail;
  readonly links: readonly { readonly url: string }[];
  readonly isSearched: boolean;
  /** Returns what a chosen tab changes in the address besides its own name. */
  readonly place?: () => Partial<MailRoute>;
  /** The views that only a message has, which was delivered and checked on its own. */
  readonly more?: Readonly<Partial<Record<MessageTab, ReactNode>>>;
}) {
  const shell = useShell();
  const asked = useView(({ route }) => (route.at === 'mail' ? route.tab : null));
  const attachments = useDistinct(messageId, mail.attachments);
  const tabs = MESSAGE_TABS.filter((tab) => {
    if (tab === 'html') return mail.htmlBody !== null;
    if (tab === 'text') return mail.textBody !== null || mail.htmlBody === null;
    if (tab === 'attachments') return mail.attachments.length > 0;
    return tab === 'headers' || tab === 'parts' || tab === 'source' || tab in more;
  });
  const first = mail.htmlBody !== null ? 'html' : 'text';
  const tab = asked !== null && tabs.includes(asked) ? asked : first;
  const pick = (next: MessageTab) => {
    const { route } = shell.state.value;
    if (route.at === 'mail') shell.go({ ...route, ...place(), tab: next, part: null }, { replace: true });
  };
  return (
    <>
      <Tabs
        label="Views of the message"
        current={tab}
        onPick={pick}
        tabs={tabs.map((name) => ({
          name,
          text: NAMES[name],
          count: name === 'attachments' ? attachments.length : undefined,
        }))}
      />
      <div className={`view view-${tab}`} role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'html' && (
          <HtmlView messageId={messageId} attached={attached} html={mail.htmlBody} isSearched={isSearched} />
        )}
        {tab === 'text' && <TextView text={mail.textBody} links={links} />}
        {(tab === 'html' || tab === 'text') && attachments.length > 0 && (
          <AttachmentsBelow messageId={messageId} attachments={attachments} onAll={() => pick('attachments')} />
        )}
        {(tab === 'headers' || tab === 'parts' || tab === 'source') && (
          <RawViews messageId={messageId} attached={attached} tab={tab} />
        )}
        {tab === 'attachments' && <Attachments messageId={messageId} attachments={attachments} />}
        {more[tab]}
      </div>
    </>
  );
}
