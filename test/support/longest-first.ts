import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONG_FILES } from './long-files.ts';
import { runsWith, shareOf } from './night-share.ts';

/** The projects in the order in which they run. The long files of all projects are before the other files of each. */
const PROJECTS = ['night', 'two-servers', 'day', 'processes', 'in-process'];

/**
 * Orders the files so that no worker is left with a long one at the end. In its order vitest goes by size. With a share of
 * the night it leaves out what does not run with it.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(given: TestSpecification[]): Promise<TestSpecification[]> {
    const share = shareOf(process.env['MAILCAP_NIGHT_SHARE']);
    const path = ({ moduleId }: TestSpecification) => relative(this.ctx.config.root, moduleId).replaceAll(sep, '/');
    const files =
      share === null
        ? given
        : given.filter((file) => runsWith(share, { project: file.project.name, path: path(file) }));
    const rank = ({ project, moduleId }: TestSpecification) =>
      PROJECTS.indexOf(project.name) + (LONG_FILES.some((path) => moduleId.endsWith(`/${path}`)) ? 0 : PROJECTS.length);
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
