import type { Route } from '../../model/route.ts';

export type WebhookRoute = Extract<Route, { at: 'webhooks' }>;
