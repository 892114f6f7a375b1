import { useMemo, useState } from 'react';
import { attachmentFileName } from '../../../src/text/file-name.ts';
import { FORWARDS, saidForward, saidReplayed } from '../../../src/text/forwards.ts';
import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import { saidMoment, saidSize } from '../../../src/text/said.ts';
import { plainReason } from '../../../src/text/unreached.ts';
import type { RequestFacts, WebhookFacts } from '../app/api.ts';
import { BODY_FORMS, REQUEST_TABS, type RequestTab, type WebhookRoute } from '../app/route.ts';
import { FindInMessage } from '../mail/FindInMessage.tsx';
import { Columns } from '../parts/Columns.tsx';
import { Button, Empty, Failed, IconButton, Skeleton } from '../parts/controls.tsx';
import { Fact } from '../parts/Fact.tsx';
import { HeaderTable } from '../parts/HeaderTable.tsx';
import { later } from '../parts/later.tsx';
import { CopyButton, Pre, Tabs, Tone } from '../parts/view-controls.tsx';
import { useCommands, useLoaded, useTitle } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';
import { BodyText } from './BodyText.tsx';
import { Difference } from './Difference.tsx';
import { type MultipartPart, multipartOf } from './multipart.ts';
import { ReplayTo } from './ReplayTo.tsx';
import { requestAsCurl } from './request-as.ts';
import { bareTypeOf, hexRows, type LoadedRequest, prettyBody, textOrNull } from './request-body.ts';
import { useEventNames } from './use-event-names.ts';

const Signature = later(() => import('./Signature.tsx').then(({ SignatureCheck }) => SignatureCheck));

const NAMES: Readonly<Record<RequestTab, string>> = {
  body: 'Body',
  headers: 'Headers',
  difference: 'Difference',
  signature: 'Signature',
  forward: 'Forward',
};

/** Shows a captured request in the tab that the address names. */
export function RequestView({ webhook, route }: { readonly webhook: WebhookFacts; readonly route: WebhookRoute }) {
  const shell = useShell();
  const id = route.requestId ?? '';
  const { value, failure, slow, reload } = useLoaded<LoadedRequest>(
    `request ${id}`,
    async () => {
      const request = await shell.api.getRequestAsSent(id);
      return { request, body: request.hasBody ? await shell.api.getRequestBody(id) : new Uint8Array() };
    },
    ({ type, data }) => type === 'webhook.forwarded' && data['requestId'] === id,
  );
  const back = () => shell.go({ ...route, requestId: null, tab: null, as: null });
  return (
    <article className="message-pane" aria-label="Request" tabIndex={-1} data-place="request" id="message">
      <FindInMessage />
      {value !== null ? (
        <Shown webhook={webhook} route={route} loaded={value} onBack={back} onChanged={reload} />
      ) : failure !== null ? (
        <Failed isPane reason={failure} onRetry={reload} />
      ) : (
        <Skeleton slow={slow} />
      )}
    </article>
  );
}

function Shown({
  webhook,
  route,
  loaded,
  onBack,
  onChanged,
}: {
  readonly webhook: WebhookFacts;
  readonly route: WebhookRoute;
  readonly loaded: LoadedRequest;
  readonly onBack: () => void;
  readonly onChanged: () => void;
}) {
  const shell = useShell();
  const { request, body } = loaded;
  const tab = route.tab ?? 'body';
  const [sends, setSends] = useState(false);
  const event = useEventNames([request.id]).get(request.id);
  useTitle(`${harmlessLine(request.method, 12)} ${harmlessLine(request.path, 80)}`);
  const curl = () => requestAsCurl({ ...request, url: webhook.url, body });
  const replay = () =>
    shell.attempt(async () => {
      await shell.api.replayRequestOf(request.id);
      const { forwardStatus, forwardHttpStatus, forwardError } = await shell.api.getRequestAsSent(request.id);
      const forward = FORWARDS[forwardStatus] ?? 'none';
      const said = saidReplayed(forward, forwardHttpStatus, forwardError && plainReason(forwardError));
      if (forward === 'failed') throw new Error(said);
      shell.say(said, 'good');
      onChanged();
    });
  useCommands((command) => {
    if (command === 'replay' && webhook.forwardMode === 0) setSends(true);
    else if (command === 'replay') void replay();
    if (command === 'copy-curl') void shell.copy(curl(), 'the curl command');
  });
  return (
    <>
      <header className="message-head">
        <div className="head-row">
          <IconButton icon="back" label="Back to the list" hint="esc" className="back" onClick={onBack} />
          <h1 className="mono">
            <b className="method">{harmlessLine(request.method, 12)}</b> {harmlessLine(request.path, 400)}
            {request.query === null ? '' : <span className="faint">?{harmlessLine(request.query, 400)}</span>}
          </h1>
          <div className="actions">
            <CopyButton text={curl} what="the curl command" label="curl" look="quiet" />
            {webhook.forwardMode !== 0 && (
              <Button icon="replay" title="Forward it again (r)" onClick={() => void replay()}>
                Replay
              </Button>
            )}
            <Button icon="send" aria-pressed={sends} title="Send it to a URL" onClick={() => setSends(!sends)}>
              Replay to…
            </Button>
          </div>
        </div>
        <dl className="people">
          {event?.event && (
            <Fact name="Event">
              <b>{harmlessLine(event.event, 80)}</b>{' '}
              {event.about && <span className="faint">{harmlessLine(event.about, 80)}</span>}
            </Fact>
          )}
          <Fact name="Received">
            {saidMoment(Date.parse(request.receivedAt), shell.now())}
            <span className="faint">
              {' '}
              · {saidSize(request.sizeBytes)} · from {request.sourceIp ?? 'nowhere'}
            </span>
          </Fact>
          <Fact name="Answered">
            {request.responseStatus === 0 ? 'none: the connection was dropped' : request.responseStatus}
          </Fact>
          {request.forwardStatus > 0 && (
            <Fact name="Forwarded">
              <Outcome request={request} />
            </Fact>
          )}
        </dl>
      </header>
      {sends && <ReplayTo loaded={loaded} onClose={() => setSends(false)} />}
      <Tabs
        label="Views of the request"
        current={tab}
        onPick={(next) => shell.go({ ...route, tab: next, as: null }, { replace: true })}
        tabs={REQUEST_TABS.map((name) => ({
          name,
          text: NAMES[name],
          count: name === 'headers' ? request.headers.length : undefined,
        }))}
      />
      <div className="view" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'body' && <Body request={request} body={body} route={route} />}
        {tab === 'headers' && <RequestHeaders request={request} />}
        {tab === 'difference' && <Difference webhookId={webhook.id} loaded={loaded} />}
        {tab === 'signature' && <Signature loaded={loaded} />}
        {tab === 'forward' && <Forward request={request} webhook={webhook} />}
      </div>
    </>
  );
}

function Outcome({
  request: { forwardStatus, forwardHttpStatus, forwardError, forwardAttempts },
}: {
  readonly request: RequestFacts;
}) {
  const said = saidForward(FORWARDS[forwardStatus] ?? 'none', forwardHttpStatus);
  return (
    <Tone tone={forwardStatus === 3 ? 'bad' : forwardStatus === 2 ? 'good' : 'waiting'}>
      {said}
      <span className="faint">
        {forwardAttempts > 1 && ` after ${forwardAttempts} attempts`}
        {forwardError !== null && `: ${plainReason(forwardError)}`}
      </span>
    </Tone>
  );
}

const WAYS = { pretty: 'Pretty', raw: 'Raw', hex: 'Hex' } as const;
const HEX_ROWS = 512;
/** The characters of a text that are drawn at first. */
const DRAWN = 200_000;

function Body({
  request,
  body,
  route,
}: {
  readonly request: RequestFacts;
  readonly body: Uint8Array;
  readonly route: WebhookRoute;
}) {
  const shell = useShell();
  const text = useMemo(() => textOrNull(body), [body]);
  const parts = multipartOf(body, request.contentType);
  const shown =
    text === null && parts === null ? 'hex' : text === null && route.as !== 'hex' ? 'pretty' : (route.as ?? 'pretty');
  const pretty = useMemo(() => (text === null ? null : prettyBody(text, request.contentType)), [text, request]);
  if (body.length === 0)
    return (
      <Empty icon="file" title="No body">
        <p>The request has none.</p>
      </Empty>
    );
  const isPretty = shown === 'pretty' && pretty !== null;
  const written = isPretty ? pretty.text : (text ?? '');
  return (
    <>
      <div className="view-bar">
        <div className="switch words">
          {([null, ...BODY_FORMS] as const).map((one) => (
            <Button
              key={one}
              aria-pressed={(one ?? 'pretty') === shown}
              disabled={text === null && one !== 'hex' && !(one === null && parts !== null)}
              onClick={() => shell.go({ ...route, as: one }, { replace: true })}
            >
              {WAYS[one ?? 'pretty']}
            </Button>
          ))}
        </div>
        <span className="faint" title={harmlessLine(request.contentType ?? '', 200)}>
          {harmlessLine(bareTypeOf(request.contentType) ?? 'no content type', 80)}
        </span>
        <span className="grow" />
        {text !== null && <CopyButton text={written} what="the body" look="quiet" />}
      </div>
      {shown === 'pretty' && parts !== null ? (
        <Parts parts={parts} />
      ) : shown === 'hex' ? (
        <Pre className="body-text hex">
          {hexRows(body, HEX_ROWS).map(({ offset, hex, text: ascii }) => `${offset}  ${hex.padEnd(47)}  ${ascii}\n`)}
        </Pre>
      ) : (
        <WrittenBody key={`${request.id} ${shown}`} text={written} isJson={isPretty && pretty.as === 'json'} />
      )}
      {shown === 'hex' && body.length > HEX_ROWS * 16 && (
        <p className="cut-off faint">
          The first {saidSize(HEX_ROWS * 16)} of {saidSize(body.length)} are shown.
        </p>
      )}
    </>
  );
}

/** Shows a body as text: of a long one the start, because millions of letters or coloured words stop the page. */
function WrittenBody({ text, isJson }: { readonly text: string; readonly isJson: boolean }) {
  const [all, setAll] = useState(false);
  const isCut = text.length > DRAWN && !all;
  const drawn = harmlessText(isCut ? text.slice(0, DRAWN) : text);
  const lacks = isCut ? `Only the first ${saidSize(DRAWN)} are shown.` : '';
  return (
    <>
      <BodyText text={drawn} isJson={isJson && text.length <= DRAWN} lacks={lacks} />
      {isCut && (
        <p className="cut-off">
          {lacks} <Button onClick={() => setAll(true)}>Show all</Button>
        </p>
      )}
    </>
  );
}

/** Shows the parts of a form with files: each with its name, and its text or its size. */
function Parts({ parts }: { readonly parts: readonly MultipartPart[] }) {
  const shell = useShell();
  return (
    <table className="plain form-parts">
      <Columns names={['Field', 'Value', 'Type']} />
      <tbody>
        {parts.map((part, index) => {
          const text = part.filename === null ? textOrNull(part.body) : null;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a body never change places
            <tr key={index}>
              <th scope="row">{harmlessLine(part.name ?? 'unnamed', 120)}</th>
              <td>
                {text !== null ? (
                  <span className="form-value">{harmlessText(text.slice(0, 2_000))}</span>
                ) : (
                  <Button
                    look="quiet"
                    icon="download"
                    onClick={() =>
                      shell.machine.save(
                        attachmentFileName(part.filename ?? ''),
                        new Blob([part.body], { type: 'application/octet-stream' }),
                      )
                    }
                  >
                    {harmlessLine(part.filename ?? 'file', 120)}, {saidSize(part.body.length)}
                  </Button>
                )}
              </td>
              <td className="faint">{harmlessLine(part.contentType ?? 'text', 80)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function RequestHeaders({ request }: { readonly request: RequestFacts }) {
  return (
    <>
      <div className="view-bar">
        <span className="faint">In the original order and case</span>
        <span className="grow" />
        <CopyButton
          text={request.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
          what="the headers"
          look="quiet"
        />
      </div>
      <HeaderTable headers={request.headers} />
    </>
  );
}

function Forward({ request, webhook }: { readonly request: RequestFacts; readonly webhook: WebhookFacts }) {
  const shell = useShell();
  if (request.forwardStatus === 0)
    return (
      <Empty icon="send" title="Not forwarded">
        <p>
          {webhook.forwardMode === 0
            ? 'The webhook has no forward URL. Set one under “Answer and forward”, or send this request once by “Replay to…”.'
            : 'The request came before the forward URL was set. Replay forwards it now.'}
        </p>
      </Empty>
    );
  return (
    <>
      <dl className="facts">
        <Fact name="To">
          <code>{harmlessLine(webhook.forwardUrl ?? '', 400)}</code>
        </Fact>
        <Fact name="Outcome">
          <Outcome request={request} />
        </Fact>
        <Fact name="When">
          {request.forwardedAt === null ? 'not yet' : saidMoment(Date.parse(request.forwardedAt), shell.now())}
        </Fact>
      </dl>
      {request.forwardResponse !== null && (
        <section className="transcript">
          <h2>Answer of the target</h2>
          <Pre>{harmlessText(request.forwardResponse)}</Pre>
        </section>
      )}
    </>
  );
}
