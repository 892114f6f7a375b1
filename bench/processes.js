import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

// Everything the bench starts and writes: ended by its pid and removed, however the bench ends.

const running = new Set();
let root = null;

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  if (root !== null) rmSync(root, { recursive: true, force: true });
});
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

/** An empty directory, gone with the bench at the latest. */
export function temporaryDirectory() {
  root ??= mkdtempSync(join(tmpdir(), 'mailcap-bench-'));
  return mkdtempSync(join(root, 'd-'));
}

export function removeDirectory(directory) {
  rmSync(directory, { recursive: true, force: true });
}

/** A child that lives until `end`. What it prints is kept for the error message of whoever waits for it. */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  running.add(child);
  child.printed = '';
  const keep = (chunk) => {
    if (child.printed.length < 16_384) child.printed += chunk;
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.ended = new Promise((resolve) => {
    child.once('error', (error) => {
      keep(String(error));
      running.delete(child);
      resolve({ code: null, signal: null });
    });
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  return child;
}

/** Asks a child to stop; makes it stop where it does not within ten seconds. */
export async function end(child) {
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await child.ended;
  clearTimeout(force);
}

/** Runs a command to its end. Throws with what it printed where it fails. */
export async function run(command, args, options) {
  const startedAt = performance.now();
  const child = start(command, args, options);
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  const { code, signal } = await child.ended;
  const seconds = (performance.now() - startedAt) / 1000;
  if (code !== 0) throw new Error(`${command} ended with ${signal ?? code}: ${child.printed.trim()}`);
  return { seconds, stdout: Buffer.concat(output).toString() };
}

/** Runs one of bench/clients in a process of its own, which answers with one JSON value. */
export async function runClient(script, settings) {
  const { stdout } = await run(process.execPath, [script, JSON.stringify(settings)]);
  return JSON.parse(stdout);
}
