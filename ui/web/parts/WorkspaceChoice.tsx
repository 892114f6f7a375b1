import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { useView } from '../use-shell.ts';
import { SelectField } from './fields.tsx';
import { workspaceName } from './mailbox-groups.ts';

/** Returns the chosen workspace, which is the seeded one by default, and its setter. */
export function useWorkspace(): [string, (id: string) => void] {
  const seeded = useView(({ info }) => info?.workspaceId ?? '');
  const [chosen, setChosen] = useState('');
  return [chosen || seeded, setChosen];
}

/** A control that chooses a workspace, if there are several. */
export function WorkspaceChoice({ value, onPick }: { readonly value: string; readonly onPick: (id: string) => void }) {
  const workspaces = useView(({ workspaces }) => workspaces);
  if (workspaces.length < 2) return null;
  return (
    <SelectField
      label="Workspace"
      value={value}
      options={workspaces.map(({ id, name }) => ({ id, name: harmlessLine(workspaceName(name), 60) }))}
      onPick={onPick}
    />
  );
}
