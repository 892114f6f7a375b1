import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { playRecording } from '../../actions/play-recording.ts';
import { recordRequests } from '../../actions/record-requests.ts';
import { type SentWebhook, sendWebhook } from '../../actions/send-webhook.ts';
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
import type { Recording } from '../../webhooks/recording.ts';
import { SAMPLES } from '../../webhooks/samples.ts';
import { anyWebhook } from '../find.ts';
import { whole } from '../query.ts';
import { localRoute } from '../route.ts';
import {
  DeliveryRequest,
  DeliveryResponse,
  PlaybackRequest,
  PlaybackResponse,
  RecordingResponse,
  SampleResponse,
} from './outgoing-schemas.ts';

// This module implements docs/webhooks.md#send-webhooks-to-your-app.

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
    summary: 'Send a signed webhook with the retries of its service',
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
        await sendWebhook(ctx, urlIn(body), parseOrder(body), { timeoutMs: heldMsIn(body), ending: exchange }),
      ),
  }),

  localRoute('GET', '/_mailcap/webhooks/:id/recording', {
    id: 'getRecording',
    summary: 'Get captured requests as a recording to commit and to play',
    description:
      'Returns the newest requests, in the order of receipt. Secrets in headers and queries are left out; bodies are exact.',
    find: anyWebhook,
    query: { limit: whole(1, 1_000, 100, 'invalid_limit') },
    returns: { 200: RecordingResponse },
    fails: ['payload_too_large'],
    handle: async ({ ctx, found, query }) => toRecordingResponse(await recordRequests(ctx, found, query.limit)),
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
      const { state, requests } = await playRecording(ctx, asked, { timeoutMs: heldMsIn(given), ending: exchange });
      return { state, requests: requests.map((one) => ({ ...one, leftOut: [...one.leftOut] })) };
    },
  }),
];

function urlIn(given: GivenDelivery): string {
  const url = textIn(given, 'url');
  if (url === null) throw refuse('invalid_delivery', { message: 'url is missing.' });
  return url;
}

function toRecordingResponse({ mailcapRecording, requests }: Recording): z.infer<typeof RecordingResponse> {
  return {
    mailcapRecording,
    requests: requests.map(({ headers, text, base64, ...rest }) => ({
      ...rest,
      headers: headers.map(([name, value]) => [name, value]),
      ...(text !== undefined && { text: typeof text === 'string' ? text : [...text] }),
      ...(base64 !== undefined && { base64: [...base64] }),
    })),
  };
}

function toDeliveryResponse({ url, state, tries, parcel }: SentWebhook): z.infer<typeof DeliveryResponse> {
  const { id, body } = parcel;
  return {
    id,
    url,
    state,
    tries: tries.map((one) => ({
      ...one,
      at: writeTime(one.at.getTime()),
      headers: one.headers.map(([name, value]) => [name, value]),
      nextAt: one.nextAt === null ? null : writeTime(one.nextAt.getTime()),
    })),
    body: isUtf8(body) ? Buffer.from(body).toString('utf8') : null,
  };
}
