import { type DoctorFinding, failed, ok, warning } from './finding.ts';

const PROXIES = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

export function checkNode(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return ok('Node.js', version);
  return failed('Node.js', `${version} is too old.`, 'mailcap needs Node.js 20.19 or later.');
}

/** Checks the proxy variables. A client that reaches localhost through a proxy reaches another machine. */
export function checkProxies(env: Readonly<Record<string, string | undefined>>): DoctorFinding {
  const set = PROXIES.filter((name) => env[name]);
  if (set.length === 0) return ok('Proxy', 'no proxy variables are set');
  const exceptions = `${env['NO_PROXY'] ?? ''},${env['no_proxy'] ?? ''}`
    .split(',')
    .map((one) => one.trim().toLowerCase());
  const covers = (host: string) => exceptions.some((one) => one === '*' || one === host || one === `.${host}`);
  const uncovered = ['localhost', '127.0.0.1'].filter((host) => !covers(host));
  if (uncovered.length === 0) return ok('Proxy', `${set.join(', ')} set, NO_PROXY covers localhost`);
  return warning(
    'Proxy',
    `${set.join(', ')} sends requests to ${uncovered.join(' and ')} to a proxy: clients that follow it do not reach the server.`,
    'Set NO_PROXY=localhost,127.0.0.1',
  );
}
