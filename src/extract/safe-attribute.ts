import type { MailUrls } from './mail-urls.ts';
import type { RemoteHosts, RemoteKind } from './remote-hosts.ts';
import { safeCss } from './safe-css.ts';

/** Attributes that load, by what. */
const MEDIA_ELEMENTS = new Set(['audio', 'video', 'track']);
const LOADING = new Set(['src', 'background', 'poster', 'lowsrc', 'dynsrc']);
/** They act for the page, choose where an answer goes, or tell the one loaded from more than that it was. */
const DROPPED = new Set(
  'target rel ping action formaction formtarget srcdoc http-equiv manifest nonce integrity crossorigin autofocus download is referrerpolicy attributionsrc'.split(
    ' ',
  ),
);
/** Whatever these say is said to the reader or names a part of the page. */
const TEXTS = new Set(
  'alt title summary label placeholder value content id name class lang abbr headers for type media'.split(' '),
);
const NAME = /^[a-z_][\w:.-]*$/;

/** What an attribute may say, null where it is left out. */
export function safeAttribute(
  element: string,
  name: string,
  value: string,
  urls: MailUrls,
  remote: RemoteHosts,
): string | null {
  if (!NAME.test(name) || name.startsWith('on') || DROPPED.has(name)) return null;
  if (name === 'style') return safeCss(value, urls, remote);
  if (LOADING.has(name)) return urls.resource(value, kindOf(element, name));
  if (name === 'srcset' || name === 'imagesrcset') return safeSet(value, urls);
  if (name === 'href' || name === 'xlink:href') {
    if (element === 'a' || element === 'area') return urls.link(value);
    return value.startsWith('#') ? value : urls.resource(value, 'images');
  }
  if (TEXTS.has(name) || name.startsWith('aria-') || name.startsWith('xmlns')) return value;
  // As `fill="url(https://…)"`, and what browsers may come to load from: no attribute of a layout looks so.
  return /[\\/]{2}|^\s{0,100}[a-z][a-z0-9+.-]{0,100}:/i.test(value) ? null : value;
}

function kindOf(element: string, name: string): RemoteKind {
  // The source of a picture stands in srcset, that of a film in src.
  return MEDIA_ELEMENTS.has(element) && name !== 'poster' ? 'media' : element === 'source' ? 'media' : 'images';
}

const MAX_CANDIDATES = 100;

/** All candidates or none: a picture that changes with the width of the window would be a riddle. */
function safeSet(value: string, urls: MailUrls): string | null {
  const candidates = value.split(/,\s/, MAX_CANDIDATES + 1).map((candidate) => candidate.trim().split(/\s/));
  if (candidates.length > MAX_CANDIDATES) return null;
  const safe = candidates.map(([url = '', ...descriptor]) => {
    const resolved = urls.resource(url.replace(/,$/, ''), 'images');
    return resolved === null ? null : [resolved, ...descriptor].join(' ');
  });
  return safe.includes(null) ? null : safe.join(', ');
}
