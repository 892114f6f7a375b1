import { useEffect } from 'react';
import { MailPage } from './mail/MailPage.tsx';
import { Icon } from './parts/Icon.tsx';
import { later } from './parts/later.tsx';
import { BottomBar, Sidebar } from './parts/Sidebar.tsx';
import { listenToKeys } from './run-command.ts';
import { useShell, useView } from './use-shell.ts';

// The page loads what the list of mails does not need when the reader first opens it.
const Webhooks = later(() => import('./webhooks/WebhooksPage.tsx').then(({ WebhooksPage }) => WebhooksPage));
const Compare = later(() => import('./compare/ComparePage.tsx').then(({ ComparePage }) => ComparePage));
const Outbound = later(() => import('./outbound/OutboundPage.tsx').then(({ OutboundPage }) => OutboundPage));
const Timeline = later(() => import('./timeline/TimelinePage.tsx').then(({ TimelinePage }) => TimelinePage));
const Waiting = later(() => import('./timeline/WaitingPage.tsx').then(({ WaitingPage }) => WaitingPage));
const Runs = later(() => import('./timeline/RunsPage.tsx').then(({ RunsPage }) => RunsPage));
const Why = later(() => import('./timeline/WhyPage.tsx').then(({ WhyPage }) => WhyPage));
const Authenticators = later(() =>
  import('./tools/AuthenticatorsPage.tsx').then(({ AuthenticatorsPage }) => AuthenticatorsPage),
);
const Tools = later(() => import('./tools/ToolsPage.tsx').then(({ ToolsPage }) => ToolsPage));
const Token = later(() => import('./parts/Token.tsx').then(({ TokenForm }) => TokenForm));
const ClockBanner = later(() => import('./parts/ClockBanner.tsx').then(({ ClockBanner }) => ClockBanner), {
  quiet: true,
});
const Dialogs = later(() => import('./parts/Dialogs.tsx').then(({ Dialogs }) => Dialogs), { quiet: true });

export function App() {
  const shell = useShell();
  const access = useView(({ access }) => access);
  useEffect(() => listenToKeys(shell), [shell]);
  if (access !== 'open') return <Token />;
  return (
    <div className="app">
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Sidebar />
      <main id="main" tabIndex={-1}>
        <Banners />
        <Shown />
      </main>
      <BottomBar />
      <Overlays />
    </div>
  );
}

/** Shows warnings that concern every page: a lost connection and a shifted clock. */
function Banners() {
  const connection = useView(({ connection }) => connection);
  const shifted = useView(({ shiftedSeconds }) => shiftedSeconds);
  return (
    <>
      {connection.state === 'lost' && (
        <div className="banner bad" role="status">
          <Icon name="alert" />
          <span>
            <strong>Not connected:</strong> {connection.reason}. The page shows the last known data and tries to
            reconnect.
          </span>
        </div>
      )}
      {Math.abs(shifted) >= 1 && <ClockBanner />}
    </>
  );
}

function Shown() {
  const route = useView(({ route }) => route);
  switch (route.at) {
    case 'mail':
    case 'message':
      return <MailPage />;
    case 'compare':
      return <Compare route={route} />;
    case 'webhooks':
      return <Webhooks route={route} />;
    case 'timeline':
      return <Timeline route={route} />;
    case 'outbound':
      return <Outbound route={route} />;
    case 'authenticators':
      return <Authenticators route={route} />;
    case 'tools':
      return <Tools route={route} />;
    case 'waiting':
      return <Waiting />;
    case 'runs':
      return <Runs route={route} />;
    case 'why':
      return <Why route={route} />;
  }
}

/** Shows the open dialog or panel, and the notice. */
function Overlays() {
  const shell = useShell();
  const overlay = useView(({ overlay }) => overlay);
  const notice = useView(({ notice }) => notice);
  const act = () => {
    // The button goes with its notice, and the focus stays in the page.
    document.getElementById('main')?.focus();
    notice?.action?.run();
  };
  return (
    <>
      {overlay !== null && <Dialogs overlay={overlay} onClose={() => shell.show(null)} />}
      <div className="notices" role="status" aria-live="polite">
        {notice !== null && (
          <p className={`notice ${notice.tone}`}>
            {notice.text}
            {notice.action !== undefined && (
              <button type="button" onClick={act}>
                {notice.action.label}
              </button>
            )}
          </p>
        )}
      </div>
    </>
  );
}
