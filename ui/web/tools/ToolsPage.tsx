import { TOOL_NAMES } from '../app/page-title.ts';
import { type Route, TOOL_PAGES } from '../app/route.ts';
import { CopyableText, Tabs } from '../parts/view-controls.tsx';
import { useShell, useView } from '../use-shell.ts';
import { ClockTool } from './ClockTool.tsx';
import { FaultsTool } from './FaultsTool.tsx';
import { KeysTool } from './KeysTool.tsx';
import { ServerTool } from './ServerTool.tsx';
import { pasteableSettings } from './settings-snippets.ts';
import { WorkspacesTool } from './WorkspacesTool.tsx';

/** Shows the tools of a local server: settings, faults, clock, keys, workspaces and reset. */
export function ToolsPage({ route: { tool } }: { readonly route: Extract<Route, { at: 'tools' }> }) {
  const shell = useShell();
  return (
    <div className="page">
      <header>
        <h1>Tools</h1>
        <span className="grow" />
        <a href="/docs" target="_blank" rel="noopener">
          Documentation
        </a>
      </header>
      <div className="page-body">
        <Tabs
          label="Tools"
          tabs={TOOL_PAGES.map((name) => ({ name, text: TOOL_NAMES[name] }))}
          current={tool}
          onPick={(next) => shell.go({ at: 'tools', tool: next }, { replace: true })}
        />
        <div role="tabpanel" aria-labelledby={`tab-${tool}`} className="page-body">
          {tool === 'use' && <UseIt />}
          {tool === 'faults' && <FaultsTool />}
          {tool === 'clock' && <ClockTool />}
          {tool === 'keys' && <KeysTool />}
          {tool === 'workspaces' && <WorkspacesTool />}
          {tool === 'server' && <ServerTool />}
        </div>
      </div>
    </div>
  );
}

function UseIt() {
  const info = useView(({ info }) => info);
  if (info === null) return null;
  return (
    <div className="snippets">
      {pasteableSettings(info).map(({ id, name, where, text }) => (
        <CopyableText key={id} name={name} where={where} text={text} />
      ))}
    </div>
  );
}
