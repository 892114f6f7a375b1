import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Context } from '../../context.ts';
import { there } from '../../domain/errors.ts';
import type { WebAsset } from '../../ports/server.ts';
import { escaped } from '../../text/html.ts';
import { Download, type Exchange, Page } from '../exchange.ts';
import { type Anyone, type Endpoint, pageRoute } from '../route.ts';

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
  pageRoute('/', async ({ ctx, exchange }) => {
    const page = ctx.web.page();
    if (page === null) return new Page(noBuildPage(ctx));
    const first = await firstAnswers(ctx, exchange, local);
    if (first === null) return fileOf(exchange, page, { ...PAGE_HEADERS, 'Cache-Control': 'no-cache' });
    // The page now holds mail, so no cache may store it.
    return fileOf(exchange, withAnswers(page, first), { ...PAGE_HEADERS, 'Cache-Control': 'no-store' });
  }),

  pageRoute('/assets/:name', async ({ ctx, exchange }) => {
    const asset = there(ctx.web.get(exchange.params['name'] ?? ''));
    return fileOf(exchange, asset, {
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    });
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
  return Download.of(bytes, told);
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

/** The largest answer that is put into the page, in characters. The page requests a larger one itself. */
const MOST_CHARACTERS = 64 * 1024;
/** The position in the feed before its first event. */
const BEGINNING = '0'.repeat(26);
/** The number of messages on the page's first screen. The page requests the same number. */
const FIRST_MESSAGES = 20;

/**
 * The most attempts to make the answers. While much mail comes, each attempt is outdated at once. The page then makes
 * the requests itself.
 */
const MOST_TRIES = 3;

/**
 * Returns the answers to the first requests of the page as JSON: the position in the feed, and the answers by their
 * paths, all as of that position. The routes of the local API make them. Returns null if the page has to send the admin
 * token first, or if the server is too busy.
 */
async function firstAnswers(
  ctx: Context,
  exchange: Exchange,
  routes: readonly Endpoint<Anyone>[],
): Promise<string | null> {
  const { ready, adminToken } = ctx.runtime;
  if (ready === null || adminToken !== null) return null;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const since = await position(ctx);
    const answers = await answersOf(ctx, exchange, routes, ready.mailboxId);
    // If an event happened while the answers were made, the feed would send it again, and the page would count it
    // twice.
    if (since === (await position(ctx))) return `{"since":${JSON.stringify(since)},"answers":{${answers.join()}}}`;
  }
  return null;
}

async function position({ store }: Context): Promise<string> {
  return (await store.read.events.lastId()) ?? BEGINNING;
}

/** Returns the answers as members of a JSON object. */
async function answersOf(
  ctx: Context,
  exchange: Exchange,
  routes: readonly Endpoint<Anyone>[],
  mailboxId: string,
): Promise<string[]> {
  const asked = [
    { path: '/_mailcap/info' },
    { path: '/_mailcap/mailboxes' },
    { path: '/_mailcap/workspaces' },
    { path: '/_mailcap/clock' },
    { path: '/_mailcap/mailboxes/:id/messages', id: mailboxId, query: `limit=${FIRST_MESSAGES}` },
  ];
  const answers = await Promise.all(
    asked.map(async ({ path, id = '', query = '' }) => {
      const url = path.replace(':id', id) + (query === '' ? '' : `?${query}`);
      const endpoint = routes.find((route) => route.method === 'GET' && route.path === path);
      const body = await answerOf(ctx, exchange.asking(url, { id }), endpoint);
      return body === null ? [] : [`${JSON.stringify(url)}:${body}`];
    }),
  );
  return answers.flat();
}

/**
 * Returns the JSON of an answer; null if it is an error or too large. The page then makes the request itself and shows
 * the error.
 */
async function answerOf(
  ctx: Context,
  exchange: Exchange,
  endpoint: Endpoint<Anyone> | undefined,
): Promise<string | null> {
  try {
    const answer = await endpoint?.run(ctx, exchange, {});
    if (answer === undefined || !('body' in answer) || answer.body === null) return null;
    return answer.body.length > MOST_CHARACTERS ? null : answer.body;
  } catch {
    return null;
  }
}

/** Returns the page at `/` if the web inbox was not built, as in a checkout without `npm run build`. */
function noBuildPage({ runtime: { ready, version } }: Context): string {
  const rows: [string, string][] =
    ready === null
      ? [['State', 'starting']]
      : [
          ['SMTP', `${ready.smtpHost}:${ready.smtpPort}`],
          ['Cloud API', ready.apiUrl],
          ['Mail domain', ready.mailDomain],
          ['Example address', `anything@inbox.${ready.mailDomain}`],
        ];
  const cells = rows.map(
    ([name, value]) => `<tr><th>${escaped(name)}</th><td><code>${escaped(value)}</code></td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>mailcap</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark }
th { text-align: left; padding-right: 2rem; font-weight: 600 }
</style>
</head>
<body>
<h1>mailcap is running</h1>
<p>Version ${escaped(version)}. Point your app's SMTP settings here and read its mail through the API.
The web inbox was not built: <code>npm run build</code> does that.</p>
<table>
${cells.join('\n')}
</table>
<p>The API key is in the start-up output and in <code>.mailcap/credentials.json</code>.
State and addresses as JSON: <a href="/_mailcap/info">/_mailcap/info</a>.
The documentation: <a href="/docs">/docs</a>, the cloud API: <a href="/docs/reference">/docs/reference</a>, and for tools: <a href="/openapi.json">/openapi.json</a>.</p>
</body>
</html>
`;
}
