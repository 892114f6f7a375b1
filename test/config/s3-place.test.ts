import { describe, expect, test } from 'vitest';
import { configOf, loadConfig } from '../../src/config/load.ts';
import { readS3Place } from '../../src/config/s3-place.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'the-secret' };

describe('--store-blobs', () => {
  test.each([
    ['s3://bodies', {}, 'https://s3.us-east-1.amazonaws.com', ''],
    ['s3://bodies/team/a/', { AWS_REGION: 'eu-west-1' }, 'https://s3.eu-west-1.amazonaws.com', 'team/a/'],
    ['s3://bodies?region=eu-west-3', { AWS_REGION: 'eu-west-1' }, 'https://s3.eu-west-3.amazonaws.com', ''],
    ['s3://bodies', { AWS_ENDPOINT_URL: 'http://minio:9000/' }, 'http://minio:9000', ''],
    ['s3://bodies', { AWS_ENDPOINT_URL: 'http://a', AWS_ENDPOINT_URL_S3: 'http://b:1' }, 'http://b:1', ''],
    ['s3://bodies?endpoint=http://127.0.0.1:9000', { AWS_ENDPOINT_URL: 'http://a' }, 'http://127.0.0.1:9000', ''],
  ])('%s with %j is at %s', (text, env, endpoint, prefix) => {
    expect(readS3Place(text, { ...KEYS, ...env })).toMatchObject({ bucket: 'bodies', endpoint, prefix });
  });

  test('its text for logs and for the record has no credentials', () => {
    const { url } = readS3Place('s3://bodies/x', { ...KEYS, AWS_SESSION_TOKEN: 'the-token' });
    expect(url).toBe('s3://bodies/x?endpoint=https://s3.us-east-1.amazonaws.com&region=us-east-1');
    expect(readS3Place(url, KEYS).url).toBe(url);
  });

  test.each([
    ['bodies', 'expected the URL of a bucket'],
    ['https://bodies.s3.test', 'expected the URL of a bucket'],
    ['s3://B', 'expected the URL of a bucket'],
    ['s3://id:the-secret@bodies', 'the URL must not hold credentials: set AWS_ACCESS_KEY_ID'],
    ['s3://bodies?acl=public', 'no parameter acl'],
    ['s3://bodies/a%20b', 'expected a prefix of letters'],
    ['s3://bodies?endpoint=minio:9000', 'the endpoint must be http:// or https://'],
    ['s3://bodies?endpoint=http://minio/path', 'the endpoint must be http:// or https://'],
  ])('%s is refused: %s', (text, sentence) => {
    const options = { store: 'postgres://u@h/db', storeBlobs: text };
    expect(() => configOf(options, '/')).toThrow(sentence);
    expect(() => configOf(options, '/')).not.toThrow('the-secret');
  });

  test('it needs credentials and a PostgreSQL store', async () => {
    expect(() => readS3Place('s3://bodies', { AWS_ACCESS_KEY_ID: 'id' })).toThrow('AWS_SECRET_ACCESS_KEY');
    expect(() => configOf({ storeBlobs: 's3://bodies' }, '/')).toThrow('--store-blobs needs a PostgreSQL --store');
    const config = await loadConfig(
      { store: 'postgres://u@h/db', storeBlobs: 's3://bodies' },
      { ...KEYS, HOME: '/x' },
      '/',
      'programs',
    );
    expect(config.aws).toEqual(KEYS);
  });
});
