import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, input, printFolded, tell } from './runner.mjs';

const LOOK_MS = 50;

try {
  await start();
} catch (error) {
  fail(error.message);
}

async function start() {
  const project = resolve(process.env.GITHUB_WORKSPACE ?? '.', input('working-directory') || '.');
  if (!existsSync(project)) throw new Error(`There is no directory ${project}: the step comes after the checkout.`);
  const seconds = Number(input('timeout') || '60');
  if (!(seconds > 0)) throw new Error(`timeout: expected seconds, got ${input('timeout')}.`);
  const work = mkdtempSync(join(process.env.RUNNER_TEMP ?? tmpdir(), 'mailcap-'));
  const logs = join(work, 'logs');
  mkdirSync(logs);
  const program = programOf(project, input('version'), work);
  const files = { events: join(logs, 'events.jsonl'), log: join(logs, 'server.log') };
  const server = launch(program, project, files);
  // Told before the server is up, so that it is stopped however this step ends.
  tell('GITHUB_STATE', { pid: server.child.pid ?? '', logs });
  tell('GITHUB_OUTPUT', { logs });
  const ready = await readyLine(server, files, seconds);
  tell('GITHUB_ENV', variablesOf(ready));
  tell('GITHUB_OUTPUT', { url: ready.url, 'api-key': ready.apiKey, 'smtp-url': ready.smtpUrl });
  console.log(`mailcap ${ready.version}: ${ready.url}, mail to ${ready.smtpUrl}`);
}

/** Returns the program of the project's own mailcap, or of one that npm installs beside the project. */
function programOf(project, version, work) {
  if (version === '') {
    const own = resolved(join(project, 'package.json'));
    if (own !== null) return own;
  }
  const isVersion = version === '' || /^[\w.^~<>=*-]+$/.test(version);
  const what = isVersion ? `mailcap@${version || 'latest'}` : version;
  // A path is that of the project. An own prefix changes none of its files.
  const install = ['install', '--prefix', work, '--no-audit', '--no-fund', '--no-package-lock', what];
  const { status, error, stdout, stderr } = spawnSync('npm', install, {
    cwd: project,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (error !== undefined) throw new Error(`npm can't be run: ${error.message}. actions/setup-node brings it.`);
  if (status !== 0) {
    printFolded('npm install', `${stdout}\n${stderr}`);
    throw new Error(`npm could not install ${what}.`);
  }
  const installed = resolved(join(work, 'package.json'));
  if (installed === null) throw new Error(`${what} is no package of mailcap.`);
  return installed;
}

function resolved(from) {
  try {
    const manifest = createRequire(from).resolve('mailcap/package.json');
    return join(manifest, '..', 'bin', 'mailcap.js');
  } catch {
    return null;
  }
}

/** Starts the server. It goes on when this program has ended. */
function launch(program, cwd, { events, log }) {
  const ports = ['--port', input('port') || '8025', '--smtp-port', input('smtp-port') || '1025'];
  const options = input('options').split(/\s+/).filter(Boolean);
  const child = spawn(process.execPath, [program, 'dev', '--json', ...ports, ...options], {
    cwd,
    detached: true,
    stdio: ['ignore', openSync(events, 'w'), openSync(log, 'w')],
  });
  child.unref();
  const server = { child, ended: null };
  child.once('error', (error) => {
    server.ended = error.message;
  });
  child.once('exit', (code, signal) => {
    server.ended = `it ended with ${code ?? signal}`;
  });
  return server;
}

async function readyLine(server, { events, log }, seconds) {
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const line = readFileSync(events, 'utf8').split('\n').slice(0, -1)[0];
    if (line !== undefined) return JSON.parse(line);
    if (server.ended !== null) throw new Error(`The server did not start: ${server.ended}.\n${said(log)}`);
    await sleep(LOOK_MS);
  }
  throw new Error(`The server was not up within ${seconds} s.\n${said(log)}`);
}

function said(log) {
  return readFileSync(log, 'utf8').trim().slice(-2_000);
}

/** Returns the variables by which clients, fixtures and the app find the server. */
function variablesOf({ url, apiKey, workspaceId, smtpUrl, smtpHost, smtpPort, webhookBaseUrl, mailDomain }) {
  return {
    MAILCAP_URL: url,
    MAILCAP_API_KEY: apiKey,
    MAILCAP_WORKSPACE_ID: workspaceId,
    MAILCAP_SMTP_URL: smtpUrl,
    MAILCAP_SMTP_HOST: smtpHost,
    MAILCAP_SMTP_PORT: smtpPort,
    MAILCAP_WEBHOOK_BASE_URL: webhookBaseUrl,
    MAILCAP_MAIL_DOMAIN: mailDomain,
  };
}
