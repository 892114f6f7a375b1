import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { runsWith, shareOf } from './night-share.ts';

/** The projects in the order in which they run. The long files of all projects are before the other files of each. */
const PROJECTS = ['night', 'two-servers', 'day', 'processes', 'in-process'];

/** Files that take long on the clock. Each would be waited for alone if it were among the last. */
const LONG = [
  'test/attacks/captures.test.ts',
  'test/attacks/floods.test.ts',
  'test/attacks/idempotency.test.ts',
  'test/attacks/mcp.test.ts',
  'test/attacks/planted-server.test.ts',
  'test/attacks/printing.test.ts',
  'test/attacks/rendering.test.ts',
  'test/attacks/smtp.test.ts',
  'test/cli/commands.test.ts',
  'test/cli/completion.test.ts',
  'test/cli/dev.test.ts',
  'test/cli/events.test.ts',
  'test/cli/init/projects.test.ts',
  'test/cli/stop.test.ts',
  'test/client/handles-cloud.test.ts',
  'test/client/handles-local.test.ts',
  'test/client/retries.test.ts',
  'test/contract/generated-clients.test.ts',
  'test/corpus.test.ts',
  'test/docs/blocks.test.ts',
  'test/examples.test.ts',
  'test/extract/hostile.test.ts',
  'test/faults/hostile.test.ts',
  'test/http/await-whole.test.ts',
  'test/http/await.test.ts',
  'test/http/browser-borne.test.ts',
  'test/http/diagnosis.test.ts',
  'test/http/forwarding.test.ts',
  'test/http/rate-limits.test.ts',
  'test/http/spamd.test.ts',
  'test/mail/worker-parser.test.ts',
  'test/mcp/injection.test.ts',
  'test/mcp/stdio.test.ts',
  'test/plugins/kept.test.ts',
  'test/plugins/playwright-screenshots.test.ts',
  'test/plugins/playwright-server.test.ts',
  'test/plugins/playwright.test.ts',
  'test/plugins/vitest-runs.test.ts',
  'test/plugins/vitest.test.ts',
  'test/postgres/away.test.ts',
  'test/postgres/bodies-s3.test.ts',
  'test/postgres/clocks.test.ts',
  'test/postgres/copy.test.ts',
  'test/postgres/plans.test.ts',
  'test/postgres/swallowed.test.ts',
  'test/projects.test.ts',
  'test/relay/delivery.test.ts',
  'test/relay/smtp-sink.test.ts',
  'test/smtp/faults.test.ts',
  'test/smtp/idle-crowd.test.ts',
  'test/store/simulation/crash-everywhere.test.ts',
  'test/store/simulation/lives.test.ts',
  'test/text/linear.test.ts',
  'test/ui/terminal/mail.test.tsx',
  'test/ui/terminal/tmux.test.ts',
  'test/ui/web/accessible.test.ts',
  'test/ui/web/journeys.test.ts',
  'test/ui/web/keyboard.test.ts',
  'test/ui/web/list.test.ts',
];

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
      PROJECTS.indexOf(project.name) + (LONG.some((path) => moduleId.endsWith(`/${path}`)) ? 0 : PROJECTS.length);
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
