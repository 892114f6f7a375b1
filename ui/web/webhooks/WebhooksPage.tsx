export function WebhooksPage(_props: object) { return null; }
