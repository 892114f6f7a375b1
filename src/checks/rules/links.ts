import { MAX_URL_CHARACTERS, urlsIn } from '../../extract/autolinks.ts';
import type { HtmlSpan } from '../../extract/html-walk.ts';
import { shorten } from '../../text/shorten.ts';
import { isUrl } from '../../text/url.ts';
import type { ReportAt, ReportedFinding } from '../finding.ts';
import type { Visitor } from '../page.ts';
import { placeholdersInUrl } from './placeholders.ts';

const TARGET = 80;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** Domains that only one machine or network knows. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|lan|internal|home\.arpa|test|localdomain)$/i;
const LOCAL_ADDRESS =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|0\.0\.0\.0$|172\.(?:1[6-9]|2\d|3[01])\.|\[::1?\]$|\[f[cd]|\[fe80)/i;

/** Judges the address of a link, or of an image. Returns null if nothing is wrong. */
export function faultOf(href: string, isLink: boolean): ReportedFinding | null {
  const bare = href.trim();
  // The placeholder is the fault, and another rule reports it.
  if (placeholdersInUrl(bare.slice(0, MAX_URL_CHARACTERS)).length > 0) return null;
  if (bare === '' || bare === '#') return isLink ? EMPTY : null;
  const shown = shorten(bare, TARGET);
  if (bare.startsWith('#')) return null;
  if (!SCHEME.test(bare)) return bare.startsWith('//') ? null : invalid(`“${shown}” has no https:// and no host.`);
  const scheme = bare.slice(0, bare.indexOf(':')).toLowerCase();
  if (scheme === 'mailto' || scheme === 'tel' || scheme === 'sms') {
    const to = bare.slice(scheme.length + 1).split('?', 1)[0] ?? '';
    const isGiven = to !== '' || (scheme === 'mailto' && bare.includes('?'));
    return isGiven || !isLink ? null : invalid(`“${shown}” names nobody.`);
  }
  // Only the app knows whether a link with its own scheme is valid, and active-content reports scripts.
  if (scheme !== 'http' && scheme !== 'https') return null;
  if (!/^https?:\/\/[^/]/i.test(bare) || !isUrl(bare)) return invalid(`“${shown}” is not a URL.`);
  const { hostname, protocol, host } = new URL(bare);
  if (/\s/.test(bare)) return invalid(`“${shown}” contains a space.`);
  if (isLocalHost(hostname)) {
    const message = `Only the sender’s machine or network can reach ${host}.`;
    return { rule: 'link-localhost', detail: host, message };
  }
  if (!hostname.includes('.') && !hostname.startsWith('['))
    return invalid(`“${shown}” has the host ${hostname}, which is not a public name.`);
  if (protocol === 'http:' && isLink)
    return { rule: 'link-http', detail: host, message: `A link to ${host} uses http.` };
  return null;
}

const EMPTY: ReportedFinding = { rule: 'link-empty', message: 'A link leads nowhere.' };

function invalid(message: string): ReportedFinding {
  return { rule: 'link-invalid', message };
}

/** Tells whether only a machine or a network of the sender knows the host. */
export function isLocalHost(hostname: string): boolean {
  return LOCAL_NAME.test(hostname) || LOCAL_ADDRESS.test(hostname);
}

/** Reports the faults of a page's links and images. */
export function pageLinks(report: ReportAt): Visitor {
  return {
    open({ name, attributes, places }) {
      const isLink = name === 'a' || name === 'area';
      if (!isLink && name !== 'img') return;
      const attribute = isLink ? 'href' : 'src';
      const [value, place] = [attributes.get(attribute), places.get(attribute)];
      if (value === undefined || place === undefined || value.startsWith('data:')) return;
      const fault = faultOf(value, isLink);
      if (fault !== null) report(fault, place);
    },
  };
}

/** Reports the faults of the links in a text part. */
export function checkTextLinks(text: string, report: ReportAt): void {
  for (const found of urlsIn(text)) {
    const fault = faultOf(found.url, true);
    if (fault !== null) report(fault, found);
  }
}

const HANDLER = /^on[a-z]{3,}$/;
const ACTIVE = new Set(['script', 'iframe', 'frame', 'applet']);
/** The content types of script elements that hold data and are not run. */
const DATA_SCRIPT = /^application\/(?:ld\+)?json$/i;

/** Reports active content, which mail programs remove: scripts, frames and event handlers. */
export function activeContent(report: ReportAt): Visitor {
  const tell = (detail: string, what: string, range: HtmlSpan) =>
    report({ rule: 'active-content', detail, message: `Mail programs remove ${what}.` }, range);
  return {
    open(element) {
      const { name, attributes, places } = element;
      if (ACTIVE.has(name) && !DATA_SCRIPT.test(attributes.get('type') ?? '')) tell(name, `<${name}>`, element);
      if (/^\s*javascript:/i.test(attributes.get('href') ?? ''))
        tell('javascript', 'links that run a script', places.get('href') ?? element);
      for (const attribute of attributes.keys())
        if (HANDLER.test(attribute))
          tell(attribute, `the event handler ${attribute}`, places.get(attribute) ?? element);
    },
  };
}
