import { harmlessText } from '../../../src/text/harmless.ts';
import { saidCount } from '../../../src/text/said.ts';
import { diffCounts, lineDiff } from '../compare/line-diff.ts';
import { Empty } from '../parts/controls.tsx';
import { NotLoaded, Pre } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';
import { type LoadedRequest, prettyBody, textOrNull } from './request-body.ts';

/** Shows the differences from the previous request in line, headers and body. */
export function Difference({ webhookId, loaded }: { readonly webhookId: string; readonly loaded: LoadedRequest }) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(`before ${loaded.request.id}`, async () => {
    for (let page = 1; ; page++) {
      const { items, total } = await shell.api.listRequestsOf(webhookId, { page, pageSize: 100 });
      const before = items.find(({ id }) => id < loaded.request.id);
      if (before !== undefined) {
        const request = await shell.api.getRequestAsSent(before.id);
        return { request, body: request.hasBody ? await shell.api.getRequestBody(before.id) : new Uint8Array() };
      }
      if (page * 100 >= total) return 'none' as const;
    }
  });
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} />;
  if (value === 'none')
    return (
      <Empty icon="webhook" title="No earlier request">
        <p>This is the oldest request that the webhook still holds.</p>
      </Empty>
    );
  const lines = lineDiff(written(value), written(loaded));
  const { gone, fresh } = diffCounts(lines);
  return (
    <>
      <p className="view-bar" role="status">
        {gone + fresh === 0 ? (
          'The request does not differ from the previous one.'
        ) : (
          <>
            <span>Compared with the previous request:</span> <b className="fresh-count">{fresh} new</b>{' '}
            <b className="gone-count">{gone} gone</b>
          </>
        )}
      </p>
      <Pre className="body-text diff">
        {lines.map(({ is, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text never change places
          <span key={index} className={`line ${is}`}>
            {is === 'same' ? '  ' : is === 'new' ? '+ ' : '- '}
            {harmlessText(text)}
            {'\n'}
          </span>
        ))}
      </Pre>
    </>
  );
}

function written({ request, body }: LoadedRequest): string {
  const text = textOrNull(body);
  const shown =
    text === null ? `(${saidCount(body.length, 'byte')} of binary data)` : prettyBody(text, request.contentType).text;
  const query = request.query === null ? '' : `?${request.query}`;
  return [
    `${request.method} ${request.path}${query}`,
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
    '',
    shown,
  ].join('\n');
}
