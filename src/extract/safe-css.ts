import type { MailUrls } from './mail-urls.ts';
import type { RemoteHosts, RemoteKind } from './remote-hosts.ts';

const CID = /(["'(]\s{0,8})cid:([^\s"'()<>\\]{1,1000})/gi;
/** Where a host is named, and what before it says what is loaded from there. Data holds whatever it holds. */
const HOST = /data:[^\s"'()]+|(@import|@font-face|[{};])|(?:https?:)?[\\/]{2}([^\s"'()<>\\/?#]{1,300})/gi;

/**
 * The style of a mail as it may stand between tags. Parts of the mail lead where they are to be had, and who else it names is
 * noted: what it may load the page's policy says. It holds no `<` that a reader could take for a tag.
 */
export function safeCss(css: string, urls: MailUrls, remote: RemoteHosts): string {
  note(css, remote);
  // Comment marks that hid a style from browsers without any; others would take what they became for a selector.
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
      if (URL.canParse(url)) remote.see(new URL(url).host, kind);
    } else if (mark === undefined) continue;
    else if (/^@import$/i.test(mark)) kind = 'styles';
    else if (/^@font-face$/i.test(mark)) kind = 'fonts';
    // The rule of a font is one block, an import ends with its semicolon.
    else if (mark === '}' || (mark === ';' && kind === 'styles')) kind = 'images';
  }
}
