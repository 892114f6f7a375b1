import type { WebhookId, WorkspaceId } from './ids.ts';

/**
 * The forwarding mode. `async` answers first and then forwards. `sync` makes one attempt before it answers
 * (docs/webhooks.md#forwarding).
 */
export type ForwardMode = 'off' | 'async' | 'sync';

/** An interceptor. Its capture URL records requests, answers as configured, and may forward them. */
export interface Webhook {
  readonly id: WebhookId;
  readonly workspaceId: WorkspaceId;
  readonly name: string | null;
  /** The capture key. Anyone who knows it may send requests. */
  readonly key: string;
  readonly responseStatus: number;
  readonly responseContentType: string | null;
  readonly responseBody: string;
  readonly forwardMode: ForwardMode;
  readonly forwardUrl: string | null;
  readonly retentionDays: number;
  readonly createdAt: number;
}

/** A response that serves one request. The configured response follows (docs/webhooks.md#answers-that-change). */
export type ScriptedResponse =
  | { readonly drop: true; readonly delayMs: number }
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      readonly delayMs: number;
    };
