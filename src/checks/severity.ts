/** An error breaks the mail for its reader, a warning hinders some. A note is for information and fails no check. */
export const SEVERITIES = ['error', 'warning', 'note'] as const;
export type Severity = (typeof SEVERITIES)[number];
