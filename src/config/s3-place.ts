import type { S3Place } from '../ports/object-storage.ts';
import { isUrl } from '../text/is-url.ts';
import { originOf } from './origin.ts';
import { ConfigError } from './user-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The region where nobody names one. Storages elsewhere than at AWS seldom look at it. */
const REGION = 'us-east-1';

const EXPECTED = 'expected a URL of a bucket, as in s3://bucket/prefix?endpoint=https://s3.example&region=eu-west-1';

/** Checks a URL of `--store-blobs`, which `name` gives. Throws {@link ConfigError}, which shows no credentials. */
export function checkS3Url(text: string, name: string): URL {
  const url = isUrl(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname) || url.port !== '')
    throw new ConfigError(`${name}: ${EXPECTED}.`);
  if (url.username !== '' || url.password !== '')
    throw new ConfigError(`${name}: credentials belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`);
  const unknown = [...url.searchParams.keys()].find((key) => key !== 'endpoint' && key !== 'region');
  if (unknown !== undefined) throw new ConfigError(`${name}: no parameter ${unknown}; there are endpoint and region.`);
  if (!/^[A-Za-z0-9!_.*'()/-]*$/.test(url.pathname))
    throw new ConfigError(`${name}: expected a prefix of letters, digits and / - _ . after the bucket.`);
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null) readEndpoint(endpoint, name);
  return url;
}

/**
 * Reads a URL of `--store-blobs`, and the variables AWS_* that go with it. Throws {@link ConfigError}, which shows no
 * credentials.
 */
export function readS3Place(text: string, env: Environment): S3Place {
  const name = '--store-blobs';
  const url = checkS3Url(text, name);
  const path = url.pathname.replaceAll(/^\/+|\/+$/g, '');
  const region = url.searchParams.get('region') || env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || REGION;
  const endpoint = readEndpoint(
    url.searchParams.get('endpoint') ||
      env['AWS_ENDPOINT_URL_S3'] ||
      env['AWS_ENDPOINT_URL'] ||
      `https://s3.${region}.amazonaws.com`,
    name,
  );
  const accessKeyId = env['AWS_ACCESS_KEY_ID'] ?? '';
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'] ?? '';
  if (accessKeyId === '' || secretAccessKey === '')
    throw new ConfigError(`${name}: set the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`);
  return {
    endpoint,
    region,
    bucket: url.hostname,
    prefix: path === '' ? '' : `${path}/`,
    url: `s3://${url.hostname}${path === '' ? '' : `/${path}`}?endpoint=${endpoint}&region=${region}`,
    accessKeyId,
    secretAccessKey,
    sessionToken: env['AWS_SESSION_TOKEN'] || null,
  };
}

function readEndpoint(text: string, name: string): string {
  const origin = originOf(text);
  if (origin === null)
    throw new ConfigError(
      `${name}: its endpoint must be http:// or https:// with a host, a port if need be, and no path.`,
    );
  return origin;
}
