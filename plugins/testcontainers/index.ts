export { MailcapContainer } from './container.ts';
export { StartedMailcapContainer } from './started-container.ts';
