import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

// This module ends all processes and removes all files of the bench, however the bench ends.

const running = new Set();
let root = null;

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  if (root !== null) rmSync(root, { recursive: true, force: true });
});
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

/** Creates an empty directory. It is removed at the end of the bench at the latest. */
export function temporaryDirectory() {
  root ??= mkdtempSync(join(tmpdir(), 'mailcap-bench-'));
  return mkdtempSync(join(root, 'd-'));
}

export function removeDirectory(directory) {
  rmSync(directory, { recursive: true, force: true });
}

/** Starts a child process that lives until `end`. Its output is kept for error messages. */
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

/** Stops a child process, and kills it if it has not ended after ten seconds. */
export async function end(child) {
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await child.ended;
  clearTimeout(force);
}

/** Runs a command to its end. If it fails, throws an error with its output. */
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

/** Runs a program of bench/clients in a process of its own. The program prints one JSON value, which is returned. */
export async function runClient(script, settings) {
  const { stdout } = await run(process.execPath, [script, JSON.stringify(settings)]);
  return JSON.parse(stdout);
}
