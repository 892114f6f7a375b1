import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { parseRoute, printRoute } from './app/route.ts';
import { WebShell } from './app/web-shell.ts';
import { keepTitle } from './keep-title.ts';
import { browserClock, browserMachine, forgetAddress, writeAddress } from './machine/browser.ts';
import { dropOldTrees } from './machine/drop-old-trees.ts';
import { fetchBackend, withFirstAnswers } from './machine/fetch-backend.ts';
import { followForcedColours } from './machine/load-code.ts';
import { webFeed } from './machine/web-feed.ts';
import { ShellContext } from './use-shell.ts';

dropOldTrees();
followForcedColours();
const { since, backend } = withFirstAnswers(fetchBackend);
const shell = new WebShell({
  backend,
  feed: webFeed,
  clock: browserClock,
  machine: browserMachine,
  address: (route, replace) => writeAddress(`#${printRoute(route)}`, replace),
});

// Handles the history buttons and an address that the reader types.
addEventListener('popstate', () => {
  forgetAddress();
  shell.arrived(parseRoute(location.hash));
});
// The bytes of deleted messages must not stay because the reader left before the time to undo was over.
addEventListener('pagehide', () => shell.deletions.finishAll());
keepTitle(shell);
shell.start(parseRoute(location.hash), since);

// The shell handles the first answers before this runs, so that the first rendering has the list.
setTimeout(() => {
  const root = document.getElementById('root');
  if (root === null) return;
  createRoot(root).render(
    <ShellContext.Provider value={shell}>
      <App />
    </ShellContext.Provider>,
  );
});
