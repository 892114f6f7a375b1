import type { Inbox } from './inbox.ts';
import type { Scroll } from './scroll.ts';

/** Returns which kind of text is open, or null if none is. */
export function isReading({ overlay, tab, mail, webhooks }: Inbox): 'mail' | 'request' | 'help' | null {
  if (overlay?.kind === 'help') return 'help';
  if (tab === 'mail' && mail.open !== null) return 'mail';
  return tab === 'webhooks' && webhooks.open !== null ? 'request' : null;
}

/** Returns the scroll state of the open text. */
export function readScroll(inbox: Inbox): Scroll | null {
  switch (isReading(inbox)) {
    case 'help':
      return inbox.overlay?.kind === 'help' ? inbox.overlay.scroll : null;
    case 'mail':
      return inbox.mail.open?.scroll ?? null;
    case 'request':
      return inbox.webhooks.open?.scroll ?? null;
    case null:
      return null;
  }
}

/** Changes the scroll state of the open text. It returns the same inbox if no text is open or nothing changes. */
export function withReadScroll(inbox: Inbox, change: (scroll: Scroll) => Scroll): Inbox {
  const { overlay, mail, webhooks } = inbox;
  const before = readScroll(inbox);
  if (before === null) return inbox;
  const scroll = change(before);
  if (scroll === before) return inbox;
  if (overlay?.kind === 'help') return { ...inbox, overlay: { ...overlay, scroll } };
  if (inbox.tab === 'mail' && mail.open !== null)
    return { ...inbox, mail: { ...mail, open: { ...mail.open, scroll } } };
  return webhooks.open === null ? inbox : { ...inbox, webhooks: { ...webhooks, open: { ...webhooks.open, scroll } } };
}
