import { z } from 'zod';
import { SCHEME_NAMES } from '../../webhooks/schemes.ts';
import { SENDER_NAMES } from '../../webhooks/senders.ts';

// The schemas of docs/webhooks.md#send-webhooks-to-your-app: webhooks to send, and recordings to play.

const nullable = z.string().nullable();
const time = z.iso.datetime({ offset: true });

export const SampleResponse = z.object({ name: z.string(), sender: z.enum(SENDER_NAMES), about: z.string() });

const TryResponse = z.object({
  number: z.int(),
  at: time.describe('By the clock of the server, which a test can set'),
  status: z.int().nullable(),
  error: nullable.describe('The reason why there was no answer'),
  durationMs: z.int(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  answer: z.string().describe('Its first 4 KiB'),
  nextAt: time.nullable().describe('When the next try is due'),
});

export const DeliveryResponse = z.object({
  id: z.string(),
  url: z.string(),
  state: z.enum(['delivered', 'failed', 'unfinished']).describe('unfinished: the timeout passed before the next try'),
  tries: z.array(TryResponse),
  body: nullable.describe('As sent, if it is text'),
});

export const PlaybackResponse = z.object({
  state: z.enum(['played', 'unfinished']),
  requests: z.array(
    z.object({
      number: z.int(),
      method: z.string(),
      path: z.string(),
      status: z.int().nullable(),
      error: nullable,
      durationMs: z.int(),
      leftOut: z.array(z.string()).describe('The secrets that the recording lacks: headers, and ?parameters'),
    }),
  ),
});

export const RecordingResponse = z.object({
  mailcapRecording: z.literal(1),
  requests: z.array(
    z.object({
      afterMs: z.number().meta({ type: 'number' }).describe('Milliseconds after the first request'),
      method: z.string(),
      path: z.string(),
      query: nullable,
      headers: z.array(z.tuple([z.string(), nullable])).describe('A null is a secret that was left out'),
      json: z.unknown().optional().describe('The body, if it is JSON'),
      indent: z.literal(2).optional().describe('The number of spaces by which json is indented; none if left out'),
      text: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe('The body as text, or the list of its lines'),
      base64: z.array(z.string()).optional().describe('The body in base64, if it is not text'),
    }),
  ),
});

const text = { type: ['string', 'null'] };
const scheme = {
  anyOf: [
    { type: 'string', enum: [...SCHEME_NAMES, 'none'] },
    {
      type: 'object',
      required: ['header'],
      properties: {
        header: { type: 'string' },
        algorithm: { type: 'string', enum: ['sha1', 'sha256', 'sha512'], default: 'sha256' },
        encoding: { type: 'string', enum: ['hex', 'base64'], default: 'hex' },
        prefix: { type: 'string', default: '' },
      },
    },
    { type: 'null' },
  ],
};
const common = {
  url: { type: 'string', format: 'uri', description: 'http or https, without credentials' },
  scheme: { ...scheme, description: 'The signature scheme; that of the event’s service if left out' },
  secret: { ...text, description: 'The secret of the signature. It is not stored' },
  headers: {
    type: ['object', 'null'],
    additionalProperties: { type: 'string' },
    description: 'Headers that replace those of the same name',
  },
  timeout: { type: ['number', 'null'], minimum: 0, maximum: 600, default: 30, description: 'Seconds' },
};

export const DeliveryRequest = z.looseObject({}).meta({
  type: 'object',
  required: ['url'],
  properties: {
    ...common,
    event: { ...text, description: 'A sample event, by its name' },
    body: { ...text, description: 'The exact body, instead of the body of the event' },
    bodyBase64: { ...text, contentEncoding: 'base64' },
    set: {
      type: ['object', 'null'],
      description: 'Fields of the body by their paths: {"data.object.currency": "eur"}',
    },
    id: text,
    retries: {
      // The server also takes true and false. Generators know no field of two types.
      type: ['integer', 'null'],
      format: 'int32',
      minimum: 0,
      default: 0,
      description: 'The most retries; the service makes fewer if its schedule has fewer',
    },
  },
});

export const PlaybackRequest = z.looseObject({}).meta({
  type: 'object',
  required: ['url', 'recording'],
  properties: {
    ...common,
    scheme: { ...scheme, description: 'The scheme of new signatures; that of each request if left out' },
    secret: { ...text, description: 'The secret of new signatures; the recorded signatures are sent if left out' },
    recording: { type: 'object', description: 'A recording, as GET /_mailcap/webhooks/{id}/recording returns it' },
    pauses: { type: ['boolean', 'null'], default: false, description: 'true: make the pauses of the recording' },
  },
});
