import { join } from 'node:path';
import { configProgramIn } from '../../config/file.ts';
import { connectHost } from '../../config/host.ts';
import { loadConfig } from '../../config/load.ts';
import { harmlessLine } from '../../text/harmless.ts';
import type { Arguments } from '../arguments.ts';
import { EXIT } from '../command.ts';
import { printJson } from '../output.ts';
import { printHanging } from '../print-hanging.ts';
import { outputStyles } from '../styles.ts';
import { checkClock } from './check-clock.ts';
import { checkDatabase } from './check-database.ts';
import { checkDirectory, checkDisk, checkServerFile } from './check-directory.ts';
import { checkNode, checkProxies } from './check-environment.ts';
import { checkPort } from './check-port.ts';
import { checkStore } from './check-store.ts';
import { type DoctorFinding, warning } from './finding.ts';
import { serverMeant } from './server-meant.ts';

/**
 * Runs `mailcap doctor`: checks for common problems. The exit code is 1 if one of them stops a server from working, and 4
 * if a URL names a server that does not answer.
 */
export async function doctor(args: Arguments): Promise<number> {
  const { json, url: _url, ...named } = args.flags;
  const config = await loadConfig(named, process.env, process.cwd(), 'json');
  const { store } = config;
  const server = await serverMeant(args, config.dataDir);
  const host = connectHost(config.host);
  const findings: DoctorFinding[] = [
    checkNode(process.versions.node),
    ...checkConfig(configProgramIn(process.cwd())),
    ...(await Promise.all([
      checkDirectory('Data directory', config.dataDir, 'dataDir', config.ephemeral),
      ...(store.kind === 'file' && config.given.has('store')
        ? [checkDirectory('Store', store.directory, 'store', config.ephemeral)]
        : []),
      checkDisk(config.dataDir),
      server.at === 'directory' ? checkServerFile(join(config.dataDir, 'server.json'), server.running) : server.finding,
      checkPort('HTTP', '--port', host, config.port, server.url),
      checkPort('SMTP', '--smtp-port', host, config.smtpPort, server.smtpUrl),
    ])),
    ...(store.kind === 'postgres' ? await checkDatabase(store.url, config) : []),
    ...(store.kind === 'file' && !config.ephemeral ? await checkStore(store.directory) : []),
    checkProxies(process.env),
    await checkClock(server.url),
  ];
  if (json === true) printJson(findings);
  else for (const finding of findings) show(finding);
  if (server.at === 'url' && server.url === null) return EXIT.unreachable;
  return findings.some(({ status }) => status === 'failed') ? EXIT.failed : EXIT.done;
}

/** Warns of a config file that the doctor does not read, because it would have to run it. */
function checkConfig(file: string | null): DoctorFinding[] {
  if (file === null) return [];
  return [
    warning(
      'Config file',
      `${file} is a program, which only \`mailcap dev\` runs: these checks are without its options.`,
      'Give the doctor the same options as flags, or write them to mailcap.config.json.',
    ),
  ];
}

/** The columns before the message of a finding. */
const INDENT = 21;

function show({ check, status, message, hint }: DoctorFinding): void {
  const { green, yellow, red, dim } = outputStyles();
  const sign = { ok: green('ok  '), warning: yellow('warn'), failed: red('FAIL') }[status];
  printHanging(`${sign} ${check.padEnd(15)} `, INDENT, harmlessLine(message));
  if (hint !== null) printHanging(' '.repeat(INDENT), INDENT, harmlessLine(hint), dim);
}
