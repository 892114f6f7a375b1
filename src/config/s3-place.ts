import type { S3Place } from '../ports/storage.ts';
import { isUrl } from '../text/url.ts';
import { originOf } from './host.ts';
import { ConfigError } from './user-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The default region. S3-compatible storages other than AWS usually ignore it. */
const REGION = 'us-east-1';

const EXPECTED = 'expected the URL of a bucket, as in s3://bucket/prefix?endpoint=https://s3.example&region=eu-west-1';

/**
 * Checks the URL of `--store-blobs`. `name` is the option or variable that gave it. Throws a {@link ConfigError}
 * without credentials.
 */
export function checkS3Url(text: string, name: string): URL {
  const url = isUrl(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname) || url.port !== '')
    throw new ConfigError(`${name}: ${EXPECTED}.`);
  if (url.username !== '' || url.password !== '')
    throw new ConfigError(
      `${name}: the URL must not hold credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    );
  const unknown = [...url.searchParams.keys()].find((key) => key !== 'endpoint' && key !== 'region');
  if (unknown !== undefined)
    throw new ConfigError(`${name}: there is no parameter ${unknown}: use endpoint or region.`);
  if (!/^[A-Za-z0-9!_.*'()/-]*$/.test(url.pathname))
    throw new ConfigError(`${name}: expected a prefix of letters, digits and / - _ . after the bucket.`);
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null) readEndpoint(endpoint, name);
  return url;
}

/**
 * Reads the URL of `--store-blobs`, and the AWS_* variables for it. Throws a {@link ConfigError} without credentials.
 */
export function readS3Place(text: string, env: Environment): S3Place {
  const name = '--store-blobs';
  const url = checkS3Url(text, name);
  const path = url.pathname.replaceAll(/^\/+|(?<!\/)\/+$/g, '');
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
      `${name}: the endpoint must be http:// or https:// with a host, an optional port and no path.`,
    );
  return origin;
}
