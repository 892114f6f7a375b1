import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONG_FILES, LONGEST_AT_NIGHT } from './long-files.ts';
import { type ProjectFile, partOf, runsWith, shareOf } from './night-share.ts';

/** The projects in the order in which they run. The longest files of all come first, then the other long ones. */
const PROJECTS = ['night', 'two-servers', 'day', 'processes', 'in-process'];

/**
 * Orders the files so that no worker is left with a long one at the end. In its order vitest goes by size. With a share of
 * the night it leaves out what does not run with it.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(given: TestSpecification[]): Promise<TestSpecification[]> {
    const share = shareOf(process.env['MAILCAP_NIGHT_SHARE']);
    const files = share === null ? given : given.filter((file) => runsWith(share, this.#projectFile(file)));
    const rank = (file: TestSpecification) => {
      const { project, path } = this.#projectFile(file);
      const group = LONGEST_AT_NIGHT.includes(path) ? 0 : LONG_FILES.includes(path) ? 1 : 2;
      return group * PROJECTS.length + PROJECTS.indexOf(project);
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }

  /** Takes the files of a part, such as `--shard=2/4`. */
  override async shard(given: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 };
    const files = new Map(given.map((file) => [this.#projectFile(file), file]));
    return partOf([...files.keys()], index, count).flatMap((file) => files.get(file) ?? []);
  }

  #projectFile({ project, moduleId }: TestSpecification): ProjectFile {
    return { project: project.name, path: relative(this.ctx.config.root, moduleId).replaceAll(sep, '/') };
  }
}
