import { useEffect } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidCount } from '../../../src/text/said.ts';
import { CALLED } from '../../../src/text/wording.ts';
import type { WebhookFacts } from '../app/api.ts';
import { askToDelete } from '../app/ask-to-delete.ts';
import { PAGE_NAMES } from '../app/page-title.ts';
import { WEBHOOK_FORMS, type WebhookFormName, type WebhookRoute, webhooksRoute } from '../app/route.ts';
import { Button, Empty, IconButton } from '../parts/controls.tsx';
import { Menu } from '../parts/Menu.tsx';
import { workspaceName } from '../parts/mailbox-groups.ts';
import { PaneSplitter } from '../parts/Splitter.tsx';
import { CopyButton, NotLoaded, Pre } from '../parts/view-controls.tsx';
import { useCommands, useLoaded, useTitle } from '../use-loaded.ts';
import { href, useShell, useView } from '../use-shell.ts';
import { RequestList } from './Requests.tsx';
import { RequestView } from './RequestView.tsx';
import { ScriptedAnswers } from './ScriptedAnswers.tsx';
import { WebhookForm as Form } from './WebhookForm.tsx';

const FORM_NAMES: Readonly<Record<WebhookFormName, string>> = {
  new: 'New webhook',
  answer: 'Answer and forward',
  script: 'Script answers',
};

/** Shows the webhooks, the captured requests of one of them, and the open request. */
export function WebhooksPage({ route }: { readonly route: WebhookRoute }) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(
    'webhooks',
    () => shell.api.listAllWebhooks(),
    ({ type }) => type.startsWith('webhook.'),
  );
  useCommands((command) => {
    if (command === 'back' && route.form !== null) shell.go({ ...route, form: null }, { replace: true });
    else if (command === 'back' && route.requestId !== null)
      shell.go({ ...route, requestId: null, tab: null, as: null });
    else if (command === 'back' && route.webhookId !== null) shell.go(webhooksRoute());
  });
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} />;
  return <Loaded route={route} webhooks={value} reload={reload} />;
}

function Loaded({
  route,
  webhooks,
  reload,
}: {
  readonly route: WebhookRoute;
  readonly webhooks: readonly WebhookFacts[];
  readonly reload: () => void;
}) {
  const shell = useShell();
  const { form } = route;
  const setForm = (next: WebhookFormName | null) => shell.go({ ...route, form: next }, { replace: next === null });
  const webhook = webhooks.find(({ id }) => id === route.webhookId) ?? null;
  useTitle(webhook === null ? PAGE_NAMES.webhooks : harmlessLine(webhook.name ?? '', 80) || 'Unnamed webhook');
  if (webhook === null && route.webhookId !== null) return <Unlisted id={route.webhookId} onListed={reload} />;
  if (webhook === null)
    return (
      <All
        webhooks={webhooks}
        isNew={form === 'new'}
        onNew={(shown) => setForm(shown ? 'new' : null)}
        onChanged={reload}
      />
    );
  return (
    <div
      className={`panes hooks ${route.requestId !== null || form !== null ? 'reading' : webhook.requestCount > 0 ? 'whole' : ''}`}
    >
      <section className="list-pane" aria-label="Captured requests">
        <WebhookHead webhook={webhook} form={form} onForm={setForm} onChanged={reload} />
        <RequestList webhook={webhook} route={route} />
      </section>
      <PaneSplitter name="list" label="Width of the list" />
      {form !== null ? (
        <section className="message-pane" aria-labelledby="form-name">
          <header className="message-head form-head">
            <h1 id="form-name">{FORM_NAMES[form]}</h1>
          </header>
          {form === 'script' ? (
            <ScriptedAnswers webhookId={webhook.id} onClose={() => setForm(null)} />
          ) : (
            <Form
              webhook={webhook}
              onDone={() => {
                setForm(null);
                reload();
              }}
              onCancel={() => setForm(null)}
            />
          )}
        </section>
      ) : route.requestId === null || webhook.requestCount === 0 ? (
        <section className="message-pane nothing">
          <Empty icon="webhook" title={webhook.requestCount === 0 ? 'Send a request' : 'No request is open'}>
            {webhook.requestCount === 0 ? (
              <FirstRequest url={webhook.url} />
            ) : (
              <p>
                <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>r</kbd> to forward one again, <kbd>?</kbd> for all keys.
              </p>
            )}
          </Empty>
        </section>
      ) : (
        <RequestView key={route.requestId} webhook={webhook} route={route} />
      )}
    </div>
  );
}

/** Stands in the place of a webhook that is not listed: it was made a moment ago, or it is gone. */
function Unlisted({ id, onListed }: { readonly id: string; readonly onListed: () => void }) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(`webhook ${id}`, () => shell.api.listAllWebhooks());
  const isListed = value?.some((webhook) => webhook.id === id) ?? false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is loaded once more
  useEffect(() => {
    if (isListed) onListed();
  }, [isListed]);
  if (value === null || isListed) return <NotLoaded failure={failure} slow={slow} onRetry={reload} />;
  return (
    <div className="page" data-place="webhooks">
      <Empty icon="webhook" title="This webhook was deleted">
        <p>A test deletes its webhook when it ends. That of a failed test stays until the next run.</p>
        <p>
          <a href={href(webhooksRoute())}>Show the webhooks</a>
        </p>
      </Empty>
    </div>
  );
}

function FirstRequest({ url }: { readonly url: string }) {
  const command = `curl -H 'Content-Type: application/json' \\\n  -d '{"type":"payment.succeeded"}' \\\n  ${url}`;
  return (
    <div className="first-way">
      <Pre>{command}</Pre>
      <CopyButton text={command} what="curl" look="main" />
    </div>
  );
}

function All({
  webhooks,
  isNew,
  onNew,
  onChanged,
}: {
  readonly webhooks: readonly WebhookFacts[];
  readonly isNew: boolean;
  readonly onNew: (shown: boolean) => void;
  readonly onChanged: () => void;
}) {
  const shell = useShell();
  const workspaces = useView(({ workspaces }) => workspaces);
  return (
    <div className="page" data-place="webhooks">
      <header>
        <h1>Webhooks</h1>
        <span className="grow" />
        {!isNew && (
          <Button icon="plus" look="main" onClick={() => onNew(true)}>
            New webhook
          </Button>
        )}
        <p>
          A webhook has its own URL. It captures the requests to this URL, answers them as configured, and forwards
          where you want.
        </p>
      </header>
      <div className="page-body">
        {isNew && (
          <Form
            webhook={null}
            onCancel={() => onNew(false)}
            onDone={(made) => {
              onChanged();
              shell.go(webhooksRoute(made.id));
            }}
          />
        )}
        {webhooks.length === 0 && !isNew ? (
          <Empty icon="webhook" title="No webhook yet">
            <p>
              Create one, and give its URL to the service that sends webhooks: a payment service, a build server, your
              own app.
            </p>
            <Button look="main" icon="plus" onClick={() => onNew(true)}>
              Create a webhook
            </Button>
          </Empty>
        ) : (
          <ul className="cards columns">
            {webhooks.map((webhook) => (
              <li key={webhook.id}>
                <a href={href(webhooksRoute(webhook.id))}>
                  <strong>{harmlessLine(webhook.name ?? '', 100) || 'Unnamed'}</strong>
                  <code className="faint">{webhook.url}</code>
                  <span className="faint">
                    {[
                      saidCount(webhook.requestCount, 'request'),
                      webhook.trimmed === null ? null : `${webhook.trimmed.count} older ones removed by the quota`,
                      `answers ${webhook.responseStatus}`,
                      webhook.forwardMode === 0 ? null : `forwards to ${harmlessLine(webhook.forwardUrl ?? '', 80)}`,
                      workspaces.length > 1
                        ? workspaceName(workspaces.find(({ id }) => id === webhook.workspaceId)?.name ?? '')
                        : null,
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function WebhookHead({
  webhook,
  form,
  onForm,
  onChanged,
}: {
  readonly webhook: WebhookFacts;
  readonly form: WebhookFormName | null;
  readonly onForm: (form: WebhookFormName | null) => void;
  readonly onChanged: () => void;
}) {
  const shell = useShell();
  const what = CALLED.webhook(webhook.name || webhook.id, webhook.requestCount);
  const remove = () =>
    askToDelete(shell, {
      what,
      detail: 'Its URL will answer 404.',
      remove: () => shell.api.deleteWebhookOf(webhook.id),
      done: () => {
        onChanged();
        shell.go(webhooksRoute());
      },
    });
  const requests = CALLED.requestsOf(webhook.requestCount, webhook.name || webhook.id);
  const clear = () =>
    askToDelete(shell, {
      what: requests,
      detail: 'This also deletes their headers and bodies. It can not be undone.',
      yes: 'Delete all',
      remove: () => shell.api.clearRequestsOf(webhook.id),
      done: () => {
        onChanged();
        shell.go(webhooksRoute(webhook.id));
        dispatchEvent(new Event('mailcap-requests'));
      },
    });
  return (
    <header className="list-head">
      <div className="title-row">
        <IconButton icon="back" label="All webhooks" hint="esc" onClick={() => shell.go(webhooksRoute())} />
        <h1 className="cut">{harmlessLine(webhook.name ?? '', 80) || 'Unnamed'}</h1>
        <span className="faint count-all">{saidCount(webhook.requestCount, 'request')}</span>
        <span className="grow" />
        <Menu label="Actions on the webhook">
          <button type="button" className="danger-text" disabled={webhook.requestCount === 0} onClick={clear}>
            Delete all requests
          </button>
          <button type="button" className="danger-text" onClick={remove}>
            Delete the webhook
          </button>
        </Menu>
      </div>
      <button
        type="button"
        className="address"
        title="Copy the URL"
        onClick={() => void shell.copy(webhook.url, 'the URL')}
      >
        {webhook.url}
      </button>
      <div className="actions">
        {WEBHOOK_FORMS.map((name) => (
          <Button key={name} aria-pressed={form === name} onClick={() => onForm(form === name ? null : name)}>
            {FORM_NAMES[name]}
          </Button>
        ))}
      </div>
    </header>
  );
}
