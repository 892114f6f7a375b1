import { ConfigError, UserError } from '../config/user-error.ts';
import { CAPS, parseCaps, RememberedIds, type ToolContext } from '../mcp/tool-context.ts';
import { now, randomBytes, steady } from './clock.ts';
import { type Arguments, EXIT } from './command.ts';
import { asUserError, connect } from './connect.ts';

/**
 * Runs `mailcap mcp`: serves the tools for agents on standard input and output until the agent closes it. It looks for
 * the server at each call, because an editor starts its agents before the developer starts the server.
 */
export async function mcp(args: Arguments): Promise<number> {
  const parsed = parseCaps(args.text('caps') ?? '');
  if ('unknown' in parsed) throw new ConfigError(`--caps: expected ${CAPS.join(', ')}, got ${parsed.unknown}.`);
  const [{ serveAgentOnStdio }, { createFenceId }, { seeMail }] = await Promise.all([
    import('../mcp/stdio.ts'),
    import('../text/fence.ts'),
    import('../extract/find.ts'),
  ]);
  const toolContext: ToolContext = {
    client: () => connect(args),
    see: async ({ subject, textBody: text, htmlBody: html }) => seeMail({ subject, text, html }),
    fenceId: () => createFenceId(randomBytes),
    now,
    steady,
    returned: new RememberedIds(),
    made: new RememberedIds(),
    explain: (error: unknown) => {
      const told = asUserError(error, args);
      return told instanceof UserError ? told.message : null;
    },
  };
  await serveAgentOnStdio(toolContext, parsed.caps);
  return EXIT.done;
}
