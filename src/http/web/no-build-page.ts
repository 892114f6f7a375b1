import type { Context } from '../../context.ts';
import { escaped } from '../html.ts';

/** Returns the page at `/` if the web inbox was not built, as in a checkout without `npm run build`. */
export function noBuildPage({ runtime: { ready, version } }: Context): string {
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
The cloud API, explained: <a href="/docs">/docs</a>, and for tools: <a href="/openapi.json">/openapi.json</a>.</p>
</body>
</html>
`;
}
