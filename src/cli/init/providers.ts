import { docsCommand } from '../../text/docs-place.ts';
import { PROVIDER_LINES } from '../../text/provider-lines.ts';
import type { PlanPart, Project } from './project.ts';

/** The address of a server with its usual port. */
const USUAL_URL = 'http://127.0.0.1:8025';

/** Tells how each SDK of a provider that the project has sends to mailcap. */
export function planProviders({ manifest }: Project): PlanPart {
  const found = PROVIDER_LINES.filter(({ packages }) =>
    packages.some((name) => manifest.dependencies[name] !== undefined),
  );
  const notes = found.map(
    ({ name, page, where, line }) =>
      `What the app sends by ${name} comes to mailcap with this line, ${where === '.env' ? 'in .env' : where}: ${line(USUAL_URL).split('\n').join(' ')} (${docsCommand(page)})`,
  );
  return { steps: [], notes };
}
