import type { Cap } from './caps.ts';
import type { Tool } from './tool.ts';
import { checkMessage } from './tools/check-message.ts';
import { createMailbox } from './tools/create-mailbox.ts';
import { diagnoseMailbox } from './tools/diagnose.ts';
import { addFaults, removeFaults, scriptAnswers } from './tools/faults.ts';
import { getTotpCode } from './tools/get-totp-code.ts';
import { listMessages } from './tools/list-messages.ts';
import { readMessage } from './tools/read-message.ts';
import { waitForMessage } from './tools/wait-for-message.ts';
import { waitForWebhook } from './tools/wait-for-webhook.ts';

/** Every tool, in the order in which agents see them. No tool sends mail, and none requests a URL of a mail. */
export const TOOLS: readonly Tool[] = [
  createMailbox,
  waitForMessage,
  listMessages,
  readMessage,
  checkMessage,
  diagnoseMailbox,
  getTotpCode,
  waitForWebhook,
  addFaults,
  removeFaults,
  scriptAnswers,
];

/** Returns the tools of an agent: the eight, and those of its capabilities. */
export function toolsFor(caps: readonly Cap[]): readonly Tool[] {
  return TOOLS.filter(({ cap }) => cap === null || caps.includes(cap));
}
