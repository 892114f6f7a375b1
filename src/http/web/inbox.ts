import { Readable } from 'node:stream';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { refuse } from '../../domain/errors.ts';
import type { WebAsset } from '../../ports/web-assets.ts';
import { Download, Page } from '../answer.ts';
import type { Exchange } from '../exchange.ts';
import { type Anyone, type Endpoint, pageRoute } from '../route.ts';
import { firstAnswers } from './first-answers.ts';
import { noBuildPage } from './no-build-page.ts';

/**
 * The Content-Security-Policy of the page. The page may run its own files and talk to its own server. It writes no HTML
 * (Trusted Types), has nothing inline, and can't be framed. Mail is shown in frames with a policy of their own.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const PAGE_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/**
 * Creates the routes of the web inbox: one page, and its files under names that contain a hash of their content.
 * `local` are the routes whose answers the page needs first.
 */
export const webInbox = (local: readonly Endpoint<Anyone>[]) => [
  pageRoute('/', {
    returns: { 200: 'page' },
    handle: async ({ ctx, exchange }) => {
      const page = ctx.web.page();
      if (page === null) return new Page(noBuildPage(ctx));
      const first = await firstAnswers(ctx, exchange, local);
      if (first === null) return fileOf(exchange, page, { ...PAGE_HEADERS, 'Cache-Control': 'no-cache' });
      // The page now holds mail, so no cache may store it.
      return fileOf(exchange, withAnswers(page, first), { ...PAGE_HEADERS, 'Cache-Control': 'no-store' });
    },
  }),

  pageRoute('/assets/:name', {
    returns: { 200: 'bytes' },
    handle: async ({ ctx, exchange }) => {
      const asset = ctx.web.get(exchange.params['name'] ?? '');
      if (asset === null) throw refuse('not_found');
      return fileOf(exchange, asset, {
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Cross-Origin-Resource-Policy': 'same-origin',
        'X-Content-Type-Options': 'nosniff',
      });
    },
  }),
];

/**
 * Puts JSON into the page as a script element of a data type, which no browser runs. Every `<` is escaped, because
 * `</script>` in the data would end the element.
 */
function withAnswers({ contentType, plain }: WebAsset, json: string): WebAsset {
  const html = Buffer.from(plain).toString();
  const script = `<script type="application/json" id="first">${json.replaceAll('<', '\\u003c')}</script>\n`;
  const bytes = Buffer.from(html.replace('</body>', () => `${script}</body>`));
  // The page is compressed at each request, so speed counts.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
  return {
    contentType,
    plain: bytes,
    get brotli() {
      return brotliCompressSync(bytes, { params });
    },
    get gzip() {
      return gzipSync(bytes);
    },
  };
}

function fileOf({ req }: Exchange, asset: WebAsset, headers: Readonly<Record<string, string>>): Download {
  const [encoding, bytes] = encoded(asset, req.headers['accept-encoding'] ?? '');
  const told = {
    'Content-Type': asset.contentType,
    Vary: 'Accept-Encoding',
    ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
    ...headers,
  };
  return new Download(told, bytes.length, () => Readable.from([bytes]));
}

/** Returns the smallest encoding that the client accepts (RFC 9110 section 12.5.3). */
function encoded(asset: WebAsset, accepted: string): [encoding: string | null, bytes: Uint8Array] {
  const takes = (name: string) =>
    accepted.split(',').some((one) => {
      const [coding = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
      return coding === name && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    });
  if (takes('br')) return ['br', asset.brotli];
  if (takes('gzip')) return ['gzip', asset.gzip];
  return [null, asset.plain];
}
