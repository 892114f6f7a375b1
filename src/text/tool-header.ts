/**
 * The header by which the command line and the inboxes tell a server that a request is theirs. Its value is the admin
 * token, or {@link ON_LOOPBACK} if there is none.
 */
export const TOOL_HEADER = 'mailcap-tool';

/** The value of the header for a server on loopback, which has no admin token. */
export const ON_LOOPBACK = 'local';
