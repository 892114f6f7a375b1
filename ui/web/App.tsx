import { lazy, Suspense, useEffect } from 'react';
import { MailPage } from './mail/MailPage.tsx';
import { listenToKeys } from './obey-key.ts';
import { Banners } from './parts/Banners.tsx';
import { BottomBar } from './parts/BottomBar.tsx';
import { Overlays } from './parts/Overlays.tsx';
import { Sidebar } from './parts/Sidebar.tsx';
import { Token } from './parts/Token.tsx';
import { useShell, useView } from './use-shell.ts';

// Pages other than mail are loaded when the reader first opens them.
const Webhooks = lazy(() =>
  import('./webhooks/WebhooksPage.tsx').then(({ WebhooksPage }) => ({ default: WebhooksPage })),
);
const Outbound = lazy(() =>
  import('./outbound/OutboundPage.tsx').then(({ OutboundPage }) => ({ default: OutboundPage })),
);
const Timeline = lazy(() =>
  import('./timeline/TimelinePage.tsx').then(({ TimelinePage }) => ({ default: TimelinePage })),
);
const Waiting = lazy(() => import('./timeline/WaitingPage.tsx').then(({ WaitingPage }) => ({ default: WaitingPage })));
const Why = lazy(() => import('./timeline/WhyPage.tsx').then(({ WhyPage }) => ({ default: WhyPage })));
const Authenticators = lazy(() =>
  import('./tools/AuthenticatorsPage.tsx').then(({ AuthenticatorsPage }) => ({ default: AuthenticatorsPage })),
);
const Tools = lazy(() => import('./tools/ToolsPage.tsx').then(({ ToolsPage }) => ({ default: ToolsPage })));

export function App() {
  const shell = useShell();
  const access = useView(({ access }) => access);
  useEffect(() => listenToKeys(shell), [shell]);
  if (access !== 'open') return <Token />;
  return (
    <div className="app">
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        To the content
      </button>
      <Sidebar />
      <main id="main" tabIndex={-1}>
        <Banners />
        <Suspense fallback={null}>
          <Shown />
        </Suspense>
      </main>
      <BottomBar />
      <Overlays />
    </div>
  );
}

function Shown() {
  const route = useView(({ route }) => route);
  switch (route.at) {
    case 'mail':
    case 'message':
      return <MailPage />;
    case 'webhooks':
      return <Webhooks route={route} />;
    case 'timeline':
      return <Timeline route={route} />;
    case 'outbound':
      return <Outbound route={route} />;
    case 'authenticators':
      return <Authenticators />;
    case 'tools':
      return <Tools route={route} />;
    case 'waiting':
      return <Waiting />;
    case 'why':
      return <Why route={route} />;
  }
}
