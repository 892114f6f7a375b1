import { planCi } from './ci.ts';
import { planConfig } from './config.ts';
import { planTest } from './first-test.ts';
import { managerOf, planInstall } from './manager.ts';
import type { Project } from './project.ts';
import { runnerOf } from './runner.ts';
import type { InitPlan, Wishes } from './step.ts';

/** Plans the changes of a project. Throws a UserError if nothing useful can be added to it. */
export function planOf(project: Project, wishes: Wishes): InitPlan {
  const manager = managerOf(project, wishes.manager);
  const { runner, notes } = runnerOf(project, wishes.runner);
  const install = planInstall(project, manager, wishes);
  const config = planConfig(project, runner);
  const test = planTest(project, runner, manager);
  const ci = planCi(project, runner, manager);
  // The test comes after the parts that it needs.
  const parts = [install, config, test, ci];
  return {
    manager,
    runner,
    isTypeScript: test.path?.endsWith('.ts') ?? false,
    steps: parts.flatMap(({ steps }) => steps),
    notes: [...notes, ...parts.flatMap((part) => part.notes)],
    run: test.run,
  };
}
