import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { playRecording, recordRequests, type SentWebhook, sendWebhook } from '../../actions/outgoing-webhooks.ts';
import { refuse } from '../../domain/errors.ts';
import { writeTime } from '../../domain/time.ts';
import {
  type GivenDelivery,
  headersIn,
  heldMsIn,
  parseOrder,
  readScheme,
  textIn,
} from '../../domain/webhook-delivery.ts';
import { SAMPLES } from '../../webhooks/samples.ts';
import { SCHEME_NAMES } from '../../webhooks/schemes.ts';
import { SENDER_NAMES } from '../../webhooks/senders.ts';
import { type AnswerOf, anything, nullable, time } from '../answers.ts';
import { anyWebhook, localRoute, whole } from '../route.ts';

// The schemas of docs/webhooks.md#send-events-to-your-app: webhooks to send, and recordings to play.

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
      json: anything.describe('The body, if it is JSON'),
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

// This module implements docs/webhooks.md#send-events-to-your-app.

/** The largest request to send, in bytes. It has room for a body of 10 MiB as base64. */
const DELIVERY_LIMIT = 15 * 1024 * 1024;
/** The largest recording to play, in bytes. It has room for bodies of 32 MiB as base64. */
const RECORDING_LIMIT = 48 * 1024 * 1024;

export const outgoingWebhooks = [
  localRoute('GET', '/_mailcap/webhook-samples', {
    id: 'listSamples',
    summary: 'List the sample events that can be sent',
    returns: { 200: z.array(SampleResponse) },
    handle: async () => SAMPLES.map(({ name, sender, about }) => ({ name, sender, about })),
  }),

  localRoute('POST', '/_mailcap/webhook-deliveries', {
    id: 'sendWebhook',
    summary: 'Send a signed event with the retries of its service',
    description:
      'Holds the request until the webhook is delivered, the retries are over, or `timeout` has passed. The pauses follow the clock, which a test can set meanwhile. Closing the connection ends the delivery.',
    example: {
      url: 'http://127.0.0.1:3000/stripe',
      event: 'checkout.session.completed',
      secret: 'whsec_test',
      set: { 'data.object.amount_total': 999 },
      retries: 3,
    },
    body: DeliveryRequest,
    bodyLimit: DELIVERY_LIMIT,
    returns: { 200: DeliveryResponse },
    fails: ['invalid_delivery'],
    handle: async ({ ctx, body, exchange }) =>
      toDeliveryResponse(
        await sendWebhook(ctx, urlIn(body), parseOrder(body), { timeoutMs: heldMsIn(body), cancelSignal: exchange }),
      ),
  }),

  localRoute('GET', '/_mailcap/webhooks/:id/recording', {
    id: 'getRecording',
    summary: 'Get captured requests as a recording to commit and to play',
    description:
      'Returns the newest requests, in the order of receipt. Secrets in headers and queries are left out; bodies are exact.',
    resolve: anyWebhook,
    query: { limit: whole(1, 1_000, 100, 'invalid_limit', 'The most requests to return') },
    returns: { 200: RecordingResponse },
    fails: ['payload_too_large'],
    handle: async ({ ctx, found, query }) => recordRequests(ctx, found, query.limit),
  }),

  localRoute('POST', '/_mailcap/webhook-playbacks', {
    id: 'playRecording',
    summary: 'Send the requests of a recording, in their order',
    description: 'Holds the request until all are sent or `timeout` has passed.',
    example: {
      url: 'http://127.0.0.1:3000/hook',
      recording: {
        mailcapRecording: 1,
        requests: [
          { method: 'POST', path: '/', headers: [['Content-Type', 'application/json']], json: { paid: true } },
        ],
      },
    },
    body: PlaybackRequest,
    bodyLimit: RECORDING_LIMIT,
    returns: { 200: PlaybackResponse },
    fails: ['invalid_delivery', 'invalid_recording'],
    handle: async ({ ctx, body, exchange }) => {
      const given: GivenDelivery = body;
      const pauses = given['pauses'] ?? false;
      if (typeof pauses !== 'boolean') throw refuse('invalid_delivery', { message: 'pauses must be true or false.' });
      const order = {
        scheme: readScheme(given),
        secret: textIn(given, 'secret'),
        headers: headersIn(given),
        keepsPauses: pauses,
      };
      const asked = { url: urlIn(given), recording: given['recording'], order };
      return playRecording(ctx, asked, { timeoutMs: heldMsIn(given), cancelSignal: exchange });
    },
  }),
];

function urlIn(given: GivenDelivery): string {
  const url = textIn(given, 'url');
  if (url === null) throw refuse('invalid_delivery', { message: 'url is missing.' });
  return url;
}

function toDeliveryResponse({ url, state, tries, signed }: SentWebhook): AnswerOf<typeof DeliveryResponse> {
  const { id, body } = signed;
  return {
    id,
    url,
    state,
    tries: tries.map((one) => ({
      ...one,
      at: writeTime(one.at.getTime()),
      nextAt: one.nextAt === null ? null : writeTime(one.nextAt.getTime()),
    })),
    body: isUtf8(body) ? Buffer.from(body).toString('utf8') : null,
  };
}
