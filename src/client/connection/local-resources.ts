import type { z } from 'zod';
import type * as messages from '../../http/local/message-schemas.ts';
import type * as outbound from '../../http/local/outbound-schemas.ts';
import type * as schemas from '../../http/local/schemas.ts';
import type * as search from '../../http/local/search-schemas.ts';
import type * as webhooks from '../../http/local/webhook-schemas.ts';

// What the local API answers, as its schemas say, and what it is given, which the server's rules check.

export type Health = z.infer<typeof schemas.HealthResponse>;
export type Info = z.infer<typeof schemas.InfoResponse>;
export type Workspace = z.infer<typeof schemas.WorkspaceResponse>;
export type Key = z.infer<typeof schemas.KeyResponse>;
export type IssuedKey = z.infer<typeof schemas.IssuedKeyResponse>;
export type Group = z.infer<typeof schemas.GroupResponse>;
export type StoredAuthenticator = z.infer<typeof schemas.AuthenticatorResponse>;
/** A mailbox with its settings, the addresses it takes and how to sign in to it by SMTP. */
export type MailboxSettings = z.infer<typeof schemas.MailboxOverview>;
export type MessageFacts = z.infer<typeof messages.FactsResponse>;
/** A message with all that a test may want of it. */
export type WholeMessage = z.infer<typeof messages.WholeMessageResponse>;
/** A page of what a search found, with how many there are. */
export type SearchPage = z.infer<typeof search.SearchResponse>;
export type FoundMessage = z.infer<typeof search.FoundMessage>;
/** How many messages a search deleted. */
export type Deleted = z.infer<typeof search.DeletedResponse>;
export type Diagnosis = z.infer<typeof schemas.DiagnosisResponse>;
/** A domain that a workspace may send from. */
export type Identity = z.infer<typeof outbound.IdentityResponse>;
/** What became of what was sent, recipient by recipient. */
export type SendState = z.infer<typeof outbound.SendStateResponse>;
/** A captured request, its headers in order and as they were sent. */
export type RequestFacts = z.infer<typeof webhooks.RequestResponse>;
export type ScriptedResponses = z.infer<typeof webhooks.ScriptedResponses>;
/** What a relay said of a message that was handed to it. */
export type Release = z.infer<typeof messages.ReleaseResponse>;
/** Where a message can be looked at for minutes, and who it would load from. */
export type MessageView = z.infer<typeof messages.ViewResponse>;
export type Clock = z.infer<typeof schemas.ClockResponse>;

export interface WorkspaceFields {
  readonly name?: string | undefined;
  readonly plan?: 'free' | 'business' | undefined;
  readonly walletCents?: number | undefined;
  /** `off` lifts the rate limits and the daily caps. */
  readonly limits?: 'cloud' | 'off' | undefined;
}

export interface KeyFields {
  readonly name?: string | undefined;
  /** Everything, if left out. */
  readonly scopes?:
    | {
        readonly mailboxes?: 'all' | readonly string[] | undefined;
        readonly authenticators?: 'all' | readonly string[] | undefined;
      }
    | undefined;
}

/** By secret or by URI. */
export type AuthenticatorFields =
  | {
      readonly name: string;
      /** Base32, however it is written. */
      readonly secret: string;
      readonly algorithm?: 'SHA1' | 'SHA256' | 'SHA512' | undefined;
      readonly digits?: 6 | 8 | undefined;
      /** Seconds, 15 to 120. */
      readonly period?: number | undefined;
    }
  | {
      readonly name: string;
      /** `otpauth://totp/...` */
      readonly uri: string;
    };

/** A secret with its parameters, or a URI that says it all. */
export type TotpFields =
  | {
      /** Base32, in either case, spaces and hyphens between allowed. */
      readonly secret: string;
      /** `'SHA1'` if left out. */
      readonly algorithm?: 'SHA1' | 'SHA256' | 'SHA512' | undefined;
      /** 6 if left out. */
      readonly digits?: 6 | 8 | undefined;
      /** Seconds, 15 to 120; 30 if left out. */
      readonly period?: number | undefined;
    }
  | {
      /** `otpauth://totp/...` */
      readonly uri: string;
    };

export interface MailboxFields {
  readonly name?: string | undefined;
  readonly retentionDays?: number | undefined;
  readonly outboundEnabled?: boolean | undefined;
  /** Addresses and `*.domain` patterns. */
  readonly allowlist?: readonly string[] | undefined;
}

/** A search of a mailbox. */
export interface MessageSearch {
  /** Search words, all of which must hold, as in `from:ada has:code "two words"`; everything, if left out. */
  readonly query?: string | undefined;
  /** 1 to 200; 50, if left out. */
  readonly limit?: number | undefined;
  /** Only messages older than the one of this id. */
  readonly before?: string | undefined;
}

/** What an await is to wait for; every filter that is given must match. */
export interface WholeAwaitQuery {
  readonly subject?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Contained in the text that a reader sees, in any case. */
  readonly body?: string | undefined;
  /** `X-Campaign: spring`, or a name alone: the field is there. */
  readonly header?: string | undefined;
  /** Only messages that hold a code. */
  readonly code?: boolean | undefined;
  /** Only messages that hold a link of this kind. */
  readonly link?: 'verify' | 'magic' | 'reset' | 'invite' | 'unsubscribe' | 'other' | 'any' | undefined;
  /** Search words. */
  readonly query?: string | undefined;
  /** Five seconds before, if left out. */
  readonly since?: string | Date | undefined;
  /** Seconds the server waits, 1 to 60; 30 if left out. */
  readonly timeout?: number | undefined;
}

/** Hosts that a message may load from, as `cdn.example` or `cdn.example:8080`, by what is loaded. */
export interface ViewFields {
  readonly allow?:
    | {
        readonly images?: readonly string[] | undefined;
        readonly styles?: readonly string[] | undefined;
        readonly fonts?: readonly string[] | undefined;
        readonly media?: readonly string[] | undefined;
      }
    | undefined;
}

/** A search of all mailboxes. */
export interface WideSearch extends MessageSearch {
  /** Of all workspaces, if left out. */
  readonly workspaceId?: string | undefined;
}

/** What is to be deleted. */
export interface DoomedMessages {
  /** Search words; they may not be empty. */
  readonly query: string;
  /** Of all mailboxes, if left out. */
  readonly mailboxId?: string | undefined;
  /** Of all workspaces, if left out; means nothing beside `mailboxId`. */
  readonly workspaceId?: string | undefined;
}

/** So far from real time, at that time, or real time again. */
export type ClockSetting = { readonly offsetSeconds: number } | { readonly now: string | Date } | null;

/** What a diagnosis is to explain: a wait's filters, and since when. */
export interface DiagnosisQuery {
  readonly subject?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Five minutes before, if left out. */
  readonly since?: string | Date | undefined;
}

/** An SMTP connection with what was said on it, secrets left out. */
export type SmtpSession = z.infer<typeof schemas.SmtpSessionResponse>;

/** What is to fail on purpose; rules are asked in their order. */
export interface FaultRule {
  readonly stage: 'connect' | 'helo' | 'auth' | 'mail' | 'rcpt' | 'data' | 'end' | 'http';
  /** Globs by what they are matched with, as `to` or `path`; and a `mailboxId`. */
  readonly match?: Readonly<Record<string, string>> | undefined;
  readonly action: {
    /** An SMTP reply as `451 4.7.1 try later`; for `http` an answer. */
    readonly reply?:
      | string
      | {
          readonly status: number;
          readonly headers?: Readonly<Record<string, string>> | undefined;
          readonly body?: string | undefined;
        }
      | undefined;
    readonly delayMs?: number | undefined;
    readonly drop?: true | undefined;
  };
  /** How often it applies; without end, if left out. */
  readonly times?: number | undefined;
  /** 0 to 1; always, if left out. */
  readonly probability?: number | undefined;
}

/** A rule that is in force, and how often it applied. */
export interface Fault extends Omit<FaultRule, 'times' | 'probability'> {
  readonly match: Readonly<Record<string, string>>;
  readonly times: number | null;
  readonly probability: number | null;
  readonly applied: number;
  /** Null: without end. */
  readonly remaining: number | null;
}

export interface SuppressionFields {
  readonly recipient: string;
  readonly reason: 'bounce' | 'complaint';
}

/** Newest first. */
export interface SendQuery {
  readonly workspaceId?: string | undefined;
  readonly mailboxId?: string | undefined;
  readonly limit?: number | undefined;
  /** Only sends older than the one of this id. */
  readonly before?: string | undefined;
}

/** An answer used once: 200 and empty, at once, where it says nothing else. */
export interface ScriptedResponse {
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly delayMs?: number | undefined;
  /** The connection is dropped, and nothing answered. */
  readonly drop?: true | undefined;
}

export interface RequestAwaitQuery {
  /** Only requests newer than the one of this id. */
  readonly after?: string | undefined;
  /** Seconds the server waits, 1 to 60; 30 if left out. */
  readonly timeout?: number | undefined;
}
