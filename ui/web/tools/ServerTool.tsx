import { saidCount, saidSize } from '../../../src/text/said.ts';
import { saidReset } from '../../../src/text/wording.ts';
import { Button } from '../parts/controls.tsx';
import { Fact } from '../parts/Fact.tsx';
import { NotLoaded, Pre } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';

/** Shows the server's addresses and counters, and a button that resets it. */
export function ServerTool() {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded('server', async () => {
    const [info, metrics] = await Promise.all([shell.api.getInfo(), shell.api.getMetrics()]);
    return { info, metrics, figures: figuresOf(metrics) };
  });
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={4} />;
  const { info, metrics, figures } = value;
  const rows: readonly (readonly [string, string])[] = [
    ['SMTP', info.smtpUrl],
    ['Cloud API', info.apiUrl],
    ['Webhooks', info.webhookBaseUrl],
    ['Mail domain', info.mailDomain],
    ['Plan, limits', `${info.plan}, ${info.limits}`],
    ['Storage', info.storage],
    ['Holds', `${saidCount(info.counts.messages, 'message')}, ${saidSize(info.counts.storedBytes)}`],
    ['Captures', `${saidSize(info.counts.capturedBytes)} of ${saidSize(info.captureTotal)}`],
    ['Mailboxes', `${info.counts.mailboxes} in ${saidCount(info.counts.workspaces, 'workspace')}`],
    ['Version', info.version],
  ];
  const notify = async () => {
    if (typeof Notification === 'undefined' || (await Notification.requestPermission()) !== 'granted')
      return shell.say('The browser does not allow notifications here', 'bad');
    const on = shell.machine.kept('mailcap.notify') !== 'yes';
    shell.machine.keep('mailcap.notify', on ? 'yes' : 'no');
    shell.say(
      on ? 'The browser notifies you of new mail while the page is in the background' : 'Notifications are off',
      'good',
    );
  };
  return (
    <>
      <dl className="facts">
        {rows.map(([name, text]) => (
          <Fact key={name} name={name}>
            {/^(?:smtp|http)s?:/.test(text) ? <code>{text}</code> : text}
          </Fact>
        ))}
      </dl>
      {figures.length > 0 && (
        <ul className="figures">
          {figures.map(([name, figure]) => (
            <li key={name}>
              <strong>{figure.toLocaleString('en-US')}</strong>
              <span className="faint">{name}</span>
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>All metrics</summary>
        <Pre className="body-text">{metrics}</Pre>
      </details>
      <div className="form-actions">
        <Button icon="bell" onClick={() => void notify()}>
          Notifications of new mail
        </Button>
        <span className="grow" />
        <Button
          look="danger"
          onClick={() =>
            shell.show({
              kind: 'confirm',
              question: 'Reset the server?',
              detail:
                'This deletes all messages, mailboxes, webhooks, sends and workspaces, except the seeded ones. Running tests will fail.',
              yes: 'Reset',
              act: () => void shell.attempt(() => shell.api.reset(), saidReset(null)).then(reload),
            })
          }
        >
          Reset the server
        </Button>
      </div>
    </>
  );
}

/** Picks the most useful counters from the Prometheus text and sums the samples of each. */
function figuresOf(metrics: string): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const line of metrics.split('\n')) {
    const [, name, value] = /^mailcap_(\w+?)(?:_total)?(?:\{[^}]*\})? (\d+(?:\.\d+)?)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || /bucket|_sum|seconds|bytes|info|process|nodejs|storage/.test(name))
      continue;
    sums.set(name, (sums.get(name) ?? 0) + Number(value));
  }
  return [...sums].map(([name, value]) => [saidFigure(name), value] as const).slice(0, 12);
}

/** Returns the name of a counter as people read it: `smtp_refused` is `SMTP refused`. */
function saidFigure(name: string): string {
  if (name === 'waiters') return 'Waits that run';
  const words = name.replaceAll('_', ' ').replace(/\b(?:http|smtp)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
