import { isUrl } from '../text/is-url.ts';
import type { MailUrls } from './mail-urls.ts';
import type { RemoteHosts, RemoteKind } from './remote-hosts.ts';

const CID = /(["'(]\s{0,8})cid:([^\s"'()<>\\]{1,1000})/gi;
/** Matches a host and the rules that tell what is loaded from it. It skips data URLs. */
const HOST = /data:[^\s"'()]+|(@import|@font-face|[{};])|(?:https?:)?[\\/]{2}([^\s"'()<>\\/?#]{1,300})/gi;

/**
 * Makes a style sheet safe to put between tags. It replaces `cid:` URLs and records remote hosts; the page's policy
 * decides what may load. The result holds no `<` that could start a tag.
 */
export function safeCss(css: string, urls: MailUrls, remote: RemoteHosts): string {
  note(css, remote);
  // Removes HTML comment marks, which hid styles from old browsers and would break a selector.
  const withParts = css.replaceAll(/<!--|-->/g, '').replace(CID, (all, before: string, id: string) => {
    const url = urls.part(id);
    return url === null ? all : before + url;
  });
  return withParts.replaceAll(/<(?=[a-z/!?])/gi, '\\3c ');
}

function note(css: string, remote: RemoteHosts): void {
  let kind: RemoteKind = 'images';
  for (const [, mark, host] of css.matchAll(HOST)) {
    if (host !== undefined) {
      const url = `http://${host}`;
      if (isUrl(url)) remote.see(new URL(url).host, kind);
    } else if (mark === undefined) continue;
    else if (/^@import$/i.test(mark)) kind = 'styles';
    else if (/^@font-face$/i.test(mark)) kind = 'fonts';
    // A font rule ends with its block, an import with its semicolon.
    else if (mark === '}' || (mark === ';' && kind === 'styles')) kind = 'images';
  }
}
