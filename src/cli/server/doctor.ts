import { join } from 'node:path';
import { harmlessLine } from '../../../ui/model/harmless.ts';
import { findServer } from '../../client/connection/find-server.ts';
import { connectHost } from '../../config/host.ts';
import { loadConfig } from '../../config/load.ts';
import type { Arguments } from '../arguments.ts';
import { EXIT } from '../command.ts';
import { print, printJson } from '../output.ts';
import { outputStyles } from '../styles.ts';
import { checkClock } from './check-clock.ts';
import { checkDirectory, checkDisk, checkServerFile } from './check-directory.ts';
import { checkNode, checkProxies } from './check-environment.ts';
import { checkPort } from './check-port.ts';
import { checkStore } from './check-store.ts';
import type { Finding } from './finding.ts';

/** Runs `mailcap doctor`: checks for common problems. The exit code is 1 if one of them stops a server from working. */
export async function doctor({ flags }: Arguments): Promise<number> {
  const { json, ...named } = flags;
  const config = await loadConfig(named, process.env, process.cwd());
  const { store } = config;
  const running = await findServer(config.dataDir);
  const host = connectHost(config.host);
  const findings: Finding[] = [
    checkNode(process.versions.node),
    ...(await Promise.all([
      checkDirectory('Data directory', config.dataDir, 'dataDir', config.ephemeral),
      ...(store.kind === 'file' && config.given.has('store')
        ? [checkDirectory('Store', store.directory, 'store', config.ephemeral)]
        : []),
      checkDisk(config.dataDir),
      checkServerFile(join(config.dataDir, 'server.json'), running),
      checkPort('HTTP', '--port', host, config.port, running?.url ?? null),
      checkPort('SMTP', '--smtp-port', host, config.smtpPort, running?.smtpUrl ?? null),
    ])),
    ...(store.kind === 'file' && !config.ephemeral ? await checkStore(store.directory) : []),
    checkProxies(process.env),
    await checkClock(running),
  ];
  if (json === true) printJson(findings);
  else for (const finding of findings) show(finding);
  return findings.some(({ status }) => status === 'failed') ? EXIT.failed : EXIT.done;
}

function show({ check, status, message, hint }: Finding): void {
  const { green, yellow, red, dim } = outputStyles();
  const sign = { ok: green('ok  '), warning: yellow('warn'), failed: red('FAIL') }[status];
  print(`${sign} ${check.padEnd(15)} ${harmlessLine(message)}`);
  if (hint !== null) print(`     ${' '.repeat(15)} ${dim(harmlessLine(hint))}`);
}
