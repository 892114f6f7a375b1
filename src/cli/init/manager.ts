import { ConfigError } from '../../config/user-error.ts';
import { type InstallCommand, MANAGERS, type Manager, type PlanPart, type Project, type Wishes } from './project.ts';

/** The lock files, each with the manager that writes it. */
export const LOCKS: Readonly<Record<string, Manager>> = {
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
};

/**
 * Chooses the package manager. The first that is known counts: --manager, the lock file, `packageManager` in
 * package.json, node_modules, the manager that runs this program, npm. Throws a ConfigError if lock files disagree.
 */
export function managerOf({ locks, manifest, installedBy, runBy }: Project, wished: Manager | null): Manager {
  if (wished !== null) return wished;
  const declared = MANAGERS.find((name) => manifest.packageManager?.startsWith(`${name}@`)) ?? null;
  const locked = [...new Set(locks.flatMap((name) => LOCKS[name] ?? []))];
  if (declared !== null && (locked.length === 0 || locked.includes(declared))) return declared;
  if (locked.length > 1)
    throw new ConfigError(
      `${locks.join(' and ')} are of different package managers: choose one with --manager ${locked.join('|')}.`,
    );
  return locked[0] ?? installedBy ?? runBy ?? 'npm';
}

/** Plans the install of the package, and of what the first tests import, unless they are dependencies already. */
export function planInstall(
  project: Project,
  manager: Manager,
  { package: spec, isInstalling }: Wishes,
  needed: readonly string[],
): PlanPart {
  const has = (name: string) => project.manifest.dependencies[name] !== undefined;
  const specs = [...(has('mailcap') ? [] : [spec]), ...needed.filter((name) => !has(name))];
  if (specs.length === 0) return { steps: [], notes: [] };
  const command = installCommand(project, manager, specs);
  if (isInstalling) return { steps: [{ do: 'install', command }], notes: [] };
  return { steps: [], notes: [`To install ${specs.length > 1 ? 'them' : 'it'}: ${command.join(' ')}`] };
}

export function installCommand(
  { members, isClassicYarn }: Project,
  manager: Manager,
  specs: readonly string[],
): InstallCommand {
  // pnpm and Yarn 1 refuse a dependency of a monorepo's root without it.
  const isRoot = members.length > 0;
  const starts: Readonly<Record<Manager, InstallCommand>> = {
    npm: ['npm', 'install', '--save-dev'],
    pnpm: ['pnpm', 'add', '--save-dev', ...(isRoot ? ['--workspace-root'] : [])],
    yarn: ['yarn', 'add', '--dev', ...(isRoot && isClassicYarn ? ['--ignore-workspace-root-check'] : [])],
    bun: ['bun', 'add', '--dev'],
  };
  return [...starts[manager], ...specs];
}

/** Returns the command that runs a program of the project's dependencies. */
export function runs(manager: Manager, program: string): string {
  const starters = { npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn', bun: 'bunx' } as const;
  return `${starters[manager]} ${program}`;
}
