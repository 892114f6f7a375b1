import type { WebhookId, WorkspaceId } from './ids.ts';

/** `async`: answer first, forward afterwards. `sync`: one attempt before the answer (docs/contract.md#forwarding). */
export type ForwardMode = 'off' | 'async' | 'sync';

/** An interceptor: a capture URL that records what it receives, answers as configured, and forwards where it is told to. */
export interface Webhook {
  readonly id: WebhookId;
  readonly workspaceId: WorkspaceId;
  readonly name: string | null;
  /** The capture key: who knows it may send. */
  readonly key: string;
  readonly responseStatus: number;
  readonly responseContentType: string | null;
  readonly responseBody: string;
  readonly forwardMode: ForwardMode;
  readonly forwardUrl: string | null;
  readonly retentionDays: number;
  readonly createdAt: number;
}

/** An answer used once, before the configured one again (docs/contract.md#captured-requests-here). */
export type ScriptedResponse =
  | { readonly drop: true; readonly delayMs: number }
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      readonly delayMs: number;
    };
