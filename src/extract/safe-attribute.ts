import type { MailUrls } from './mail-urls.ts';
import type { RemoteHosts, RemoteKind } from './remote-hosts.ts';
import { safeCss } from './safe-css.ts';

/** The elements whose attributes load media, and the attributes that load. */
const MEDIA_ELEMENTS = new Set(['audio', 'video', 'track']);
const LOADING = new Set(['src', 'background', 'poster', 'lowsrc', 'dynsrc']);
/**
 * Attributes that are always removed: they act for the page, choose a form's target, or send data to the loaded host.
 */
const DROPPED = new Set(
  'target rel ping action formaction formtarget srcdoc http-equiv manifest nonce integrity crossorigin autofocus download is referrerpolicy attributionsrc'.split(
    ' ',
  ),
);
/** Attributes with any value: their text is for the reader, or names a part of the page. */
const TEXTS = new Set(
  'alt title summary label placeholder value content id name class lang abbr headers for type media'.split(' '),
);
const NAME = /^[a-z_][\w:.-]*$/;

/** Returns the safe value of an attribute, or null if it must be removed. */
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
  // A URL in any other attribute, as `fill="url(https://…)"`, is removed. No layout attribute looks like one.
  return /[\\/]{2}|^\s{0,100}[a-z][a-z0-9+.-]{0,100}:/i.test(value) ? null : value;
}

function kindOf(element: string, name: string): RemoteKind {
  // For `source`, a picture uses srcset and a film uses src.
  return MEDIA_ELEMENTS.has(element) && name !== 'poster' ? 'media' : element === 'source' ? 'media' : 'images';
}

const MAX_CANDIDATES = 100;
/** A URL may have a width and a height. */
const MAX_DESCRIPTORS = 2;

/** Resolves a srcset. It keeps all candidates or none, so that the picture does not depend on the window's width. */
function safeSet(value: string, urls: MailUrls): string | null {
  const candidates = value
    .split(/,\s/, MAX_CANDIDATES + 1)
    .map((candidate) => candidate.trim().split(/\s+/, MAX_DESCRIPTORS + 1));
  if (candidates.length > MAX_CANDIDATES) return null;
  const safe = candidates.map(([url = '', ...descriptor]) => {
    const resolved = urls.resource(url.replace(/,$/, ''), 'images');
    return resolved === null ? null : [resolved, ...descriptor].join(' ');
  });
  return safe.includes(null) ? null : safe.join(', ');
}
