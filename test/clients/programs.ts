import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { has } from '../support/programs.ts';
import type { Program } from './configurations.ts';

const exec = promisify(execFile);
const HERE = import.meta.dirname;
const ROOT = join(HERE, '..', '..');

/** The directory that keeps downloaded packages between runs. */
const CACHE = join(ROOT, 'node_modules', '.cache', 'mail-clients');

/** A command, its arguments and its variables. The names of the configurations are appended. */
export interface Runnable {
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

const NPM = ['nodemailer6@npm:nodemailer@6', 'nodemailer7@npm:nodemailer@7', 'emailjs@5', 'email-templates@12'];
const PYPI = [
  'aiosmtplib',
  'django',
  'flask-mail',
  'flask-mailman',
  'fastapi-mail',
  'yagmail',
  'redmail',
  'emails',
  'pycurl',
  'email-validator',
  'pydantic',
  'resend',
  'sendgrid',
  'postmarker',
  'boto3',
  'django-anymail[amazon-ses]',
];

/** Prepares a program and its packages. Returns null if its runtime is not installed. */
export async function prepare(program: Program): Promise<Runnable | null> {
  switch (program) {
    case 'node':
      await npm();
      return { command: [process.execPath, join(HERE, 'node.mjs')], env: { MODULES: modulesOf('node') } };
    case 'python':
      return has('python3') ? { command: [await python(), join(HERE, 'python.py')] } : null;
    case 'ruby':
      return has('ruby') ? { command: ['ruby', join(HERE, 'ruby.rb')] } : null;
    case 'php':
      return has('php') ? { command: ['php', join(HERE, 'php.php')] } : null;
    case 'perl':
      return has('perl') ? { command: ['perl', join(HERE, 'perl.pl')] } : null;
    case 'shell':
      return has('bash') ? { command: ['bash', join(HERE, 'shell.sh')] } : null;
    case 'go':
      return has('go') ? { command: [await go()] } : null;
    case 'java':
      return has('mvn') && has('javac') ? { command: await java() } : null;
    case 'rust':
      return has('cargo') ? { command: [await rust()] } : null;
    default:
      return program satisfies never;
  }
}

export function modulesOf(program: string): string {
  return join(CACHE, program, 'node_modules');
}

async function npm(): Promise<void> {
  await once('node', NPM.join(), async (cwd) => {
    await writeFile(join(cwd, 'package.json'), '{"private":true}');
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps', '--omit=optional'];
    await exec('npm', ['install', ...NPM, ...quietly], {
      cwd,
    });
  });
}

/** Returns the Python interpreter of a virtual environment. */
export async function python(): Promise<string> {
  const bin = join(CACHE, 'python', 'venv', 'bin');
  await once('python', PYPI.join(), async (cwd) => {
    await exec('python3', ['-m', 'venv', '--system-site-packages', 'venv'], { cwd });
    await exec(join(bin, 'pip'), ['install', '-q', '--disable-pip-version-check', ...PYPI], { cwd });
  });
  return join(bin, 'python');
}

async function go(): Promise<string> {
  return goProgram('go', '.');
}

/** Builds the reader of Go. Returns its program. */
export function goReader(): Promise<string> {
  return goProgram('go-readers', 'readers');
}

async function goProgram(name: string, folder: string): Promise<string> {
  const source = await readFile(join(HERE, 'go', folder, 'main.go'), 'utf8');
  const binary = join(CACHE, name, 'clients');
  await once(name, source, async () => {
    await exec('go', ['build', '-o', binary, `./${folder}`], { cwd: join(HERE, 'go') });
  });
  return binary;
}

/** Returns Java's command and its class path. */
function java(): Promise<[string, ...string[]]> {
  return javaProgram('java', join(HERE, 'java'), 'Clients');
}

/** Builds the reader of Java. Returns its command and its class path. */
export function javaReader(): Promise<[string, ...string[]]> {
  return javaProgram('java-readers', join(HERE, 'java'), 'Readers');
}

/** Builds a program of a directory, with the packages of its `pom.xml`. */
async function javaProgram(name: string, from: string, main: string): Promise<[string, ...string[]]> {
  const [code, packages] = [join(from, `${main}.java`), join(from, 'pom.xml')];
  const source = (await readFile(code, 'utf8')) + (await readFile(packages, 'utf8'));
  const at = join(CACHE, name);
  const jars = join(at, 'lib');
  await once(name, source, async () => {
    const copy = ['-q', '-B', '-f', packages, 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
    await rm(jars, { recursive: true, force: true });
    await exec('mvn', copy, { cwd: at });
    await exec('javac', ['-cp', join(jars, '*'), '-d', join(at, 'classes'), code]);
  });
  return ['java', '-cp', `${join(jars, '*')}${delimiter}${join(at, 'classes')}`, main];
}

async function rust(): Promise<string> {
  const source = await readFile(join(HERE, 'rust', 'src', 'main.rs'), 'utf8');
  const target = join(CACHE, 'rust');
  await once('rust', source, async () => {
    await exec('cargo', ['build', '-q', '--manifest-path', join(HERE, 'rust', 'Cargo.toml'), '--target-dir', target]);
  });
  return join(target, 'debug', 'clients');
}

/** Runs an installation unless the same `version` is installed. */
async function once(name: string, version: string, install: (cwd: string) => Promise<void>): Promise<void> {
  const cwd = join(CACHE, name);
  const mark = join(cwd, 'installed');
  if ((await readFile(mark, 'utf8').catch(() => '')) === version) return;
  await mkdir(cwd, { recursive: true });
  await install(cwd);
  await writeFile(mark, version);
}

/** Installs the readers of npm. Returns the directory in which their modules are found. */
export async function npmReaders(): Promise<string> {
  const packages = ['imapflow@2.10.2', 'node-pop3@0.11.0'];
  await once('readers', packages.join(), async (cwd) => {
    await writeFile(join(cwd, 'package.json'), '{"private":true}');
    await exec('npm', ['install', ...packages, '--prefer-offline', '--no-audit', '--no-fund'], { cwd });
  });
  return join(CACHE, 'readers');
}

/** Installs the apps that send by providers. Returns the directory of their modules. */
export async function npmApps(): Promise<string> {
  const packages = [
    'better-auth@1.7.25',
    '@auth/core@0.41.3',
    '@react-email/components@1.0.12',
    '@react-email/render@2.3.1',
    'resend@6.38.0',
    'twilio@6.2.0',
    'react@19.3.1',
    'react-dom@19.3.1',
    'nodemailer@8',
  ];
  await once('apps', packages.join(), async (cwd) => {
    await writeFile(join(cwd, 'package.json'), '{"private":true}');
    await exec('npm', ['install', ...packages, '--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps'], {
      cwd,
    });
  });
  return modulesOf('apps');
}

/** Builds the program with the providers' SDKs for Go. Returns its path. */
export async function goSdks(): Promise<string> {
  const at = join(HERE, '..', 'providers', 'sdks', 'go');
  const binary = join(CACHE, 'go-sdks', 'sdks');
  const source = `${await readFile(join(at, 'main.go'), 'utf8')}${await readFile(join(at, 'go.mod'), 'utf8')}`;
  await once('go-sdks', source, async () => {
    await exec('go', ['build', '-o', binary, '.'], { cwd: at });
  });
  return binary;
}

/** Builds the program with the providers' SDKs for Java. Returns its command and its class path. */
export function javaSdks(): Promise<[string, ...string[]]> {
  return javaProgram('java-sdks', join(HERE, '..', 'providers', 'sdks', 'java'), 'Sdks');
}

/** Installs the providers' SDKs of PyPI. Returns the Python interpreter that has them. */
export async function pythonSdks(): Promise<string> {
  const packages = [
    ...['twilio==9.13.0', 'vonage==4.9.1', 'boto3==1.44.8', 'mailersend==2.2.0', 'brevo-python==5.1.0'],
    ...['sib-api-v3-sdk==7.6.0', 'mailtrap==2.11.0'],
  ];
  const bin = join(CACHE, 'python-sdks', 'venv', 'bin');
  await once('python-sdks', packages.join(), async (cwd) => {
    await exec('python3', ['-m', 'venv', 'venv'], { cwd });
    await exec(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], { cwd });
  });
  return join(bin, 'python');
}

/** Installs the readers of PyPI. Returns the Python interpreter that has them. */
export async function pythonReaders(): Promise<string> {
  const packages = ['imapclient==4.1.0', 'imap-tools==1.16.0'];
  const bin = join(CACHE, 'python-readers', 'venv', 'bin');
  await once('python-readers', packages.join(), async (cwd) => {
    await exec('python3', ['-m', 'venv', 'venv'], { cwd });
    await exec(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], { cwd });
  });
  return join(bin, 'python');
}
