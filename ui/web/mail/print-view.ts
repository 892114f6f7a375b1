import { openHtml } from '../app/open-message.ts';
import type { WebShell } from '../app/web-shell.ts';

/**
 * Prints the shown view of a message. The HTML of a mail opens with its head in a tab of its own, because a browser
 * prints only the part of a frame that is in sight.
 */
export async function printView(shell: WebShell): Promise<void> {
  const { route, open, attached } = shell.state.value;
  if (route.at !== 'mail') return;
  const mail = route.attached === null ? open?.content : attached?.mail;
  const isHtml = mail?.htmlBody != null && (route.tab === null || route.tab === 'html');
  if (!isHtml || open === null) {
    print();
    return;
  }
  const url = await shell.attempt(() => openHtml(shell.api, open.id, route.attached));
  if (url === null) return;
  window.open(`${url}?head=1`, '_blank', 'noopener');
  shell.say('The mail is open in a tab of its own. Print it there.');
}
