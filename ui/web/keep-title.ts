import { pageTitle } from './app/page-title.ts';
import { unreadInAll } from './app/state.ts';
import type { WebShell } from './app/web-shell.ts';

/** The shortest time in milliseconds between two changes of the title, which are expensive in a burst of mail. */
const TITLE_MS = 250;

/** Updates the tab's title, its icon and the colour scheme of the page when the state changes. */
export function keepTitle({ state, clock }: WebShell): void {
  let shown = '';
  let isUnreadShown: boolean | null = null;
  let scheme = '';
  let isDue = true;
  const name = () => {
    if (!isDue) return;
    const title = pageTitle(state.value);
    if (title === shown) return;
    isDue = false;
    clock.after(TITLE_MS, () => {
      isDue = true;
      name();
    });
    document.title = title;
    shown = title;
    const isUnread = unreadInAll(state.value) > 0;
    if (isUnread !== isUnreadShown) document.querySelector('link[rel=icon]')?.setAttribute('href', iconOf(isUnread));
    isUnreadShown = isUnread;
  };
  const keep = () => {
    const now = state.value;
    if (now.scheme !== scheme) {
      scheme = now.scheme;
      document.documentElement.dataset['scheme'] = scheme;
    }
    name();
  };
  state.subscribe(keep);
  keep();
}

/** Returns the tab's icon: an envelope, with a dot if a message is unread. */
function iconOf(isUnread: boolean): string {
  const dot = isUnread ? "<circle cx='25' cy='8' r='7' fill='#e5484d' stroke='white' stroke-width='2'/>" : '';
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect x='2' y='6' width='28' height='21' rx='4' fill='#4453d6'/><path d='M4 10l12 9 12-9' fill='none' stroke='white' stroke-width='2.5' stroke-linecap='round' stroke-linejoin='round'/>${dot}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
