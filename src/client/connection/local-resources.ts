import type { z } from 'zod';
import type * as checks from '../../http/local/checks.ts';
import type * as faults from '../../http/local/faults.ts';
import type * as marks from '../../http/local/marks.ts';
import type * as messages from '../../http/local/messages.ts';
import type * as outbound from '../../http/local/outbound.ts';
import type * as outgoing from '../../http/local/outgoing-webhooks.ts';
import type * as texts from '../../http/local/phone-texts.ts';
import type * as runs from '../../http/local/runs.ts';
import type * as schemas from '../../http/local/schemas.ts';
import type * as search from '../../http/local/search.ts';
import type * as webhooks from '../../http/local/webhooks.ts';
import type * as waits from '../../http/waits.ts';
import type { SignatureScheme } from '../../webhooks/schemes.ts';
import type { AttachmentResponse, NonNullFields, SendRequest } from './resources.ts';

// The answers of the local API, as its schemas describe them, and the request bodies, which the server's rules check.

/** A message whose attachments have ids, as all attachments have. */
type NamedAttachments<Message> = Omit<Message, 'attachments'> & { attachments: AttachmentResponse[] };

/** The health of the server. */
export type Health = z.infer<typeof schemas.HealthResponse>;
/** The addresses, version, plan and counts of the server. */
export type Info = z.infer<typeof schemas.InfoResponse>;
/** A workspace: a tenant with its own mailboxes, webhooks and keys. */
export type Workspace = z.infer<typeof schemas.WorkspaceResponse>;
/** An API key, without the key itself. */
export type Key = z.infer<typeof schemas.KeyResponse>;
/** A new API key. Its `key` is shown only once. */
export type IssuedKey = z.infer<typeof schemas.IssuedKeyResponse>;
/** A group of mailboxes. */
export type Group = z.infer<typeof schemas.GroupResponse>;
/** A stored authenticator, without its secret. */
export type StoredAuthenticator = z.infer<typeof schemas.AuthenticatorResponse>;
/** A mailbox with its settings, its addresses and its SMTP credentials. */
export type MailboxSettings = NonNullFields<
  z.infer<typeof schemas.MailboxOverview>,
  'id' | 'workspaceId' | 'name' | 'subdomain'
>;
/** A mail that is attached to a message. The ids of its attachments work like those of the message's own. */
export type AttachedMail = z.infer<typeof messages.AttachedMailResponse>;
/** The facts of a message without its raw bytes: envelope, TLS, SMTP transcript, codes and links. */
export type MessageFacts = z.infer<typeof messages.FactsResponse>;
/** A message with everything that a test may need: content, envelope, codes and links. */
export type WholeMessage = NamedAttachments<z.infer<typeof messages.WholeMessageResponse>>;
/** The summary of a message, with its marks: read, starred, tags. */
export type MarkedSummary = z.infer<typeof marks.MarkedSummaryResponse>;
/** The content of a message, with its marks. */
export type MessageContent = NamedAttachments<z.infer<typeof messages.MessageContentResponse>>;
/** The number of messages that were marked. */
export type MarkedCount = z.infer<typeof marks.MarkedResponse>;
/** A page of search results, with the total number of results. */
export type SearchPage = z.infer<typeof search.SearchResponse>;
/** A message found by a search, with the ids of its mailbox and workspace. */
export type FoundMessage = z.infer<typeof search.FoundMessage>;
/** The conversation of a message. */
export type Thread = z.infer<typeof search.ThreadResponse>;
/** The number of messages that a search deleted. */
export type DeletedCount = z.infer<typeof search.DeletedResponse>;
/** The reasons why no message matched. */
export type Diagnosis = z.infer<typeof schemas.DiagnosisResponse>;
/** A domain that a workspace may send from. */
export type Identity = z.infer<typeof outbound.IdentityResponse>;
/** The delivery state of a sent message, for each recipient. */
export type SendState = z.infer<typeof outbound.SendStateResponse>;
/** A captured request, with its headers in their order and as they were sent. */
export type RequestFacts = NonNullFields<z.infer<typeof webhooks.RequestResponse>, 'method' | 'path'>;
/** A webhook with its settings, its URL, its counts, and the requests that made room for newer ones. */
export type WebhookFacts = NonNullFields<z.infer<typeof webhooks.WebhookOverview>, 'key'>;
/** The scripted answers of a webhook that are not used yet. */
export type ScriptedResponses = z.infer<typeof webhooks.ScriptedResponses>;
/** The result of the checks of a message. */
export type Checks = z.infer<typeof checks.ChecksResponse>;
/** One thing that the checks of a message found. */
export type CheckFinding = Checks['findings'][number];
/** The share of the HTML of a message that mail clients support, and what they lack. */
export type HtmlSupport = z.infer<typeof checks.HtmlSupportResponse>;
/** The addresses of a message. */
export type MailLinks = z.infer<typeof checks.MailLinksResponse>;
/** The answers of the addresses of a message. */
export type LinkCheck = z.infer<typeof checks.LinkCheckResponse>;
/** The relay's reply to a released message. */
export type Release = z.infer<typeof messages.ReleaseResponse>;
/** The URL where a message can be viewed for some minutes, and the hosts that it would load from. */
export type MessageView = z.infer<typeof messages.ViewResponse>;
/** The first words of a message, and the likeliest code or all that are equally likely. */
export type MessagePreview = z.infer<typeof messages.MessagePreviewResponse>;
/** The event that a captured request tells, and the thing that it concerns. */
export type RequestPreview = z.infer<typeof webhooks.RequestPreviewResponse>;
/** An await that the server holds, with the wait of the client that made it. */
export type HeldWait = z.infer<typeof waits.WaitResponse>;
/** An event of the feed. */
export type RecordedEvent = z.infer<typeof schemas.EventResponse>;
/** A fault rule that is in force, with the number of times it applied. `remaining` is null if it has no limit. */
export type Fault = z.infer<typeof faults.FaultResponse>;
/** The time of the server or in a workspace, and its offset from real time in seconds. */
export type Clock = z.infer<typeof schemas.ClockResponse>;

/** A run of a test runner. */
export type TestRun = z.infer<typeof runs.RunResponse>;
/** A run of a test runner with its tests. */
export type TestRunWithTests = z.infer<typeof runs.RunWithTestsResponse>;
/** A test of a run with its attempts. */
export type TestOfRun = z.infer<typeof runs.TestResponse>;
/** An attempt at a test of a run. */
export type TestAttempt = z.infer<typeof runs.AttemptResponse>;

/** A report about an attempt at a test. */
export interface TestReport {
  /** The name of the runner, such as `playwright`. */
  readonly runner: string;
  /** The runner's id of the test, the same for all its attempts. Default: its file and titles tell which they are. */
  readonly test?: string | null;
  /** The name of the project. */
  readonly project: string;
  /** The path of the file, relative to the project. */
  readonly file: string;
  /** The titles of the test's groups, and then its own. */
  readonly titles: readonly string[];
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** The number or the name of the worker. */
  readonly worker: string;
  /** How the attempt ended, or `'running'`. */
  readonly outcome: 'running' | 'passed' | 'failed' | 'skipped';
  /** The message of the error; none if left out. */
  readonly error?: string | null | undefined;
  /** The time of its start in ISO 8601. */
  readonly startedAt: string;
  /** The time of its end in ISO 8601; null while it runs. */
  readonly endedAt: string | null;
  /** The ids of the mailboxes that it used; none if left out. */
  readonly mailboxIds?: readonly string[] | undefined;
  /** The ids of the webhooks that it used; none if left out. */
  readonly webhookIds?: readonly string[] | undefined;
  /** Its waits, and how they ended; none if left out. */
  readonly waits?: readonly TestReportedWait[] | undefined;
}

/** A wait of a test, and how it ended. */
export interface TestReportedWait {
  /** The time of its start in ISO 8601. */
  readonly at: string;
  /** The call, such as `waitForCode`. */
  readonly call: string;
  /** The filter as a text; none if left out. */
  readonly filter?: string | undefined;
  readonly tookMs: number;
  /** What came, or the message of the error. */
  readonly outcome: string;
}

/** A sample event of a service that can be sent. */
export type WebhookSample = z.infer<typeof outgoing.SampleResponse>;
/** A webhook that the server sent, with each try. */
export type ServerDelivery = z.infer<typeof outgoing.DeliveryResponse>;
/** Captured requests as JSON that people read and commit. */
export type Recording = z.infer<typeof outgoing.RecordingResponse>;
/** The answers to the requests of a recording. */
export type Playback = z.infer<typeof outgoing.PlaybackResponse>;

/** A webhook for the server to send. */
export interface ServerDeliveryFields {
  /** The http or https URL, as the server reaches it. */
  readonly url: string;
  /** The name of a sample event, such as `checkout.session.completed` or `push`. If left out, `body` is sent. */
  readonly event?: string | undefined;
  /** The scheme of the signature; the scheme of the event's service if left out. `none` sends no signature. */
  readonly scheme?: SignatureScheme | 'none' | undefined;
  /** The secret of the signature. The server does not keep it. */
  readonly secret?: string | undefined;
  /** The exact body; the event's body if left out. */
  readonly body?: string | undefined;
  /** The exact body as base64, in place of `body`. */
  readonly bodyBase64?: string | undefined;
  /**
   * Values to set in the JSON body, by their paths: `{ 'data.object.currency': 'eur' }`. All names of a path but the
   * last must exist in the body. None by default.
   */
  readonly set?: Readonly<Record<string, unknown>> | undefined;
  /** Header fields. Each replaces the field of the same name, even a signature. None by default. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The id of the message, for schemes that sign an id; a new id if left out. */
  readonly id?: string | undefined;
  /** The largest number of tries after the first; `true` for the number that the service makes; 0 by default. */
  readonly retries?: number | boolean | undefined;
  /** The time for which the server holds the call, in seconds; 30 by default, 600 at most. */
  readonly timeout?: number | undefined;
}

/** A recording whose requests the server sends. */
export interface PlaybackFields
  extends Pick<ServerDeliveryFields, 'url' | 'scheme' | 'secret' | 'headers' | 'timeout'> {
  /** The parsed JSON of a recording. */
  readonly recording: unknown;
  /** Tells whether to make the pauses of the recording; `false` by default. */
  readonly pauses?: boolean | undefined;
}

/**
 * The fields of a workspace. For a field that is left out, a new workspace gets the default and a changed one keeps its
 * value.
 */
export interface WorkspaceFields {
  /** The name; `Workspace` by default. */
  readonly name?: string | undefined;
  /** The plan, which sets the limits; the server's plan by default. */
  readonly plan?: 'free' | 'business' | undefined;
  /** The balance in cents; the plan's starting balance by default. */
  readonly walletCents?: number | undefined;
  /** `verified`: mail by the API of a provider has to come from an identity of the workspace. */
  readonly senders?: 'any' | 'verified' | undefined;
  /** The rate limits and daily caps: those of the cloud, or none with `'off'`. */
  readonly limits?: 'cloud' | 'off' | undefined;
}

/** Marks to set. A mark that is left out stays. */
export interface MarkFields {
  /** Marks it as read, or as unread. */
  readonly read?: boolean | undefined;
  /** Gives it a star, or takes the star away. */
  readonly starred?: boolean | undefined;
  /** Replaces all tags. */
  readonly tags?: readonly string[] | undefined;
  /** Tags to add. */
  readonly addTags?: readonly string[] | undefined;
  /** Tags to remove. */
  readonly removeTags?: readonly string[] | undefined;
}

/** Marks to set on many messages: those with these ids, or those that a search finds. */
export interface MarkManyFields extends MarkFields {
  /** The ids of up to 10,000 messages. */
  readonly ids?: readonly string[] | undefined;
  /** In place of `ids`: the search that finds the messages. */
  readonly query?: string | undefined;
  /** With `query`: only messages of this mailbox. */
  readonly mailboxId?: string | undefined;
  /** With `query`: only messages of this workspace. */
  readonly workspaceId?: string | undefined;
}

/** The fields of a new API key. */
export interface KeyFields {
  /** The name of the key; `API key` if left out. */
  readonly name?: string | undefined;
  /**
   * The mailboxes, authenticators and webhooks that the key can use; all if left out. Every key reads and changes the
   * suppression list of its workspace.
   */
  readonly scopes?:
    | {
        /** The ids of the mailboxes, or `'all'`, which includes later ones. */
        readonly mailboxes?: 'all' | readonly string[] | undefined;
        /** The ids of the authenticators, or `'all'`, which includes later ones. */
        readonly authenticators?: 'all' | readonly string[] | undefined;
        /**
         * `'all'` or `'none'`; `'all'` if left out. Webhooks belong to the workspace: a key with `'all'` reads,
         * changes and deletes every one with its captured requests, whatever its mailboxes.
         */
        readonly webhooks?: 'all' | 'none' | undefined;
      }
    | undefined;
}

/** The secret of a second factor and its parameters, as an authenticator app gets them from a QR code. */
export interface TotpSecret {
  /** The secret in base32 (RFC 4648), in either case. Spaces and hyphens are allowed between its characters. */
  readonly secret: string;
  /** The hash function; `'SHA1'` if left out. */
  readonly algorithm?: 'SHA1' | 'SHA256' | 'SHA512' | undefined;
  /** The number of digits of a code; 6 if left out. */
  readonly digits?: 6 | 8 | undefined;
  /** The length of a time step in seconds, from 15 to 120; 30 if left out. */
  readonly period?: number | undefined;
}

type TotpSource =
  | TotpSecret
  | {
      /** A URI such as `otpauth://totp/Shop:ada?secret=...`. */
      readonly uri: string;
    };

/** The fields of a stored authenticator: a secret with its parameters, or a URI. */
export type AuthenticatorFields = TotpSource & {
  /** The name of the authenticator. */
  readonly name: string;
};

/** A secret with its parameters, or a URI that holds both. */
export type TotpFields = TotpSource & {
  /** The workspace by whose clock the code is computed; the clock of the server if left out. */
  readonly workspaceId?: string | undefined;
};

/** The settings of a mailbox. A setting that is left out stays as it is. */
export interface MailboxFields {
  /** The name, 1 to 100 characters. */
  readonly name?: string | undefined;
  /** The days that messages are kept, from 1 to the plan's maximum. */
  readonly retentionDays?: number | undefined;
  /** `true` if the mailbox may send mail. */
  readonly outboundEnabled?: boolean | undefined;
  /** The recipients that the mailbox may send to: addresses, `*@domain` and `*.domain` patterns. */
  readonly allowlist?: readonly string[] | undefined;
}

/** The hosts that a message may load from, such as `cdn.example` or `cdn.example:8080`, for each kind of resource. */
export interface ViewFields {
  /** The allowed hosts of each kind of resource; none if left out. */
  readonly allow?:
    | {
        readonly images?: readonly string[] | undefined;
        readonly styles?: readonly string[] | undefined;
        readonly fonts?: readonly string[] | undefined;
        readonly media?: readonly string[] | undefined;
      }
    | undefined;
}

/**
 * The setting of a clock of the server or of a workspace: an offset from real time in seconds, a fixed start time, or null for real time.
 */
export type ClockSetting = { readonly offsetSeconds: number } | { readonly now: string | Date } | null;

/** An SMTP connection with its transcript. Secrets are masked. */
export type SmtpSession = z.infer<typeof schemas.SmtpSessionResponse>;

/** A fault that the server injects. Rules are tried in their order. */
export interface FaultRule {
  /** The SMTP command at which the rule applies, `end` being the end of the message; or `http` for a request. */
  readonly stage: 'connect' | 'helo' | 'auth' | 'mail' | 'rcpt' | 'data' | 'end' | 'http';
  /**
   * Glob patterns, each by the name of the value it must match, such as `to` or `path`. `mailboxId` limits a rule to a
   * mailbox.
   */
  readonly match?: Readonly<Record<string, string>> | undefined;
  /** The effect of the rule. A delay without a reply or a drop only slows things down. */
  readonly action: {
    /**
     * The answer in place of the real one: an SMTP reply such as `451 4.7.1 try later`, or an HTTP answer for the stage
     * `http`.
     */
    readonly reply?:
      | string
      | {
          readonly status: number;
          readonly headers?: Readonly<Record<string, string>> | undefined;
          readonly body?: string | undefined;
        }
      | undefined;
    /** The delay in milliseconds, at most 600,000; 0 if left out. */
    readonly delayMs?: number | undefined;
    /** Drops the connection without an answer. */
    readonly drop?: true | undefined;
  };
  /** The number of times the rule applies; without limit if left out. */
  readonly times?: number | undefined;
  /** The probability that the rule applies, from 0 to 1; 1 if left out. */
  readonly probability?: number | undefined;
}

/** The fields of a new group of mailboxes. */
export interface GroupFields {
  /** The name, 1 to 100 characters. */
  readonly name: string;
}

/** The fields of a new verified domain. */
export interface IdentityFields {
  /** The domain. The workspace may send from it and from all domains below it. */
  readonly domain: string;
}

/** An act of the reader of a mail. */
export type Interaction = z.infer<typeof messages.InteractionResponse>;

/** An act of the reader of a provider's mail. */
export interface InteractionFields {
  readonly type: Interaction['type'];
  /** The URL that was clicked; for `clicked` alone. */
  readonly link?: string | undefined;
  /** The recipient of the email who did it. The first whose mailbox has the message if left out. */
  readonly recipient?: string | undefined;
}

/** The recipients of a message that is released. */
export interface ReleaseFields {
  /** An RFC 5322 address list. */
  readonly to: string;
}

/** An email to send from a mailbox: that of the cloud API, with files, or as an answer. */
export interface SendFromFields extends SendRequest {
  readonly attachments?: readonly {
    readonly filename: string;
    /** That of the ending of the filename if left out. */
    readonly contentType?: string | null;
    /** In base64. */
    readonly content: string;
  }[];
  /** The id of the message that it answers, whose conversation it joins. */
  readonly inReplyTo?: string | null;
}

/** A text message that a phone sends to the app. */
export interface TextFields {
  /** The phone: a number of the mailbox. Its first number if left out. */
  readonly from?: string | undefined;
  /** A number of the app, with `whatsapp:` before it for WhatsApp. */
  readonly to: string;
  /** The text. It may be left out if there are media. */
  readonly body?: string | undefined;
  /** The URLs of pictures and other files, at most 10. */
  readonly media?: readonly string[] | undefined;
}

/** A text message on its way to the app. */
export type SentText = z.infer<typeof texts.TextResponse>;

/** The addresses of a message to request. */
export interface LinkCheckFields {
  /** Addresses of `listLinks`. Without them all web addresses are requested but those that do something. */
  readonly urls?: readonly string[];
}

/** An entry for the suppression list. */
export interface SuppressionFields {
  /** The address that can't be sent to. */
  readonly recipient: string;
  /** The reason for the suppression. */
  readonly reason: 'bounce' | 'complaint';
}

/** An answer that is used for one request. By default it is status 200 with an empty body and no delay. */
export interface ScriptedResponse {
  /** The HTTP status; 200 if left out. */
  readonly status?: number | undefined;
  /** The headers; none if left out. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body; empty if left out. */
  readonly body?: string | undefined;
  /** The delay before the answer, in milliseconds; 0 if left out. */
  readonly delayMs?: number | undefined;
  /** Drops the connection without an answer. */
  readonly drop?: true | undefined;
}
