import http from 'node:http';

// This module does what a test does with a mailbox, through the cloud API.

/** Fetches JSON with GET. Throws for any status but 200. */
export function getJson(url, options) {
  return new Promise((resolve, reject) => {
    const request = http.get(url, options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(body));
        else reject(new Error(`${url} answered ${response.statusCode} ${body}`));
      });
    });
    request.on('error', reject);
  });
}

/**
 * Throws unless the inbox holds every acknowledged message. A server that is fast but loses mail gives no valid result.
 */
export async function checkStored({ apiUrl, mailboxId, headers }, acknowledged) {
  const agent = new http.Agent({ keepAlive: true });
  let stored = 0;
  let page = [];
  do {
    const before = page.length === 0 ? '' : `&before=${page.at(-1).id}`;
    page = await getJson(`${apiUrl}/mailboxes/${mailboxId}/messages?limit=200${before}`, { agent, headers });
    stored += page.length;
  } while (page.length > 0);
  agent.destroy();
  if (stored !== acknowledged) throw new Error(`${acknowledged} messages were acknowledged, ${stored} are there`);
}

/** Creates mailboxes, and returns the id and an address of each. */
export async function createMailboxes({ apiUrl, workspaceId, mailDomain, headers }, count) {
  const mailboxes = [];
  for (let index = 0; index < count; index++) {
    const response = await fetch(`${apiUrl}/workspaces/${workspaceId}/mailboxes`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `box ${index}` }),
    });
    if (response.status !== 201) throw new Error(`no mailbox: ${response.status} ${await response.text()}`);
    const { id, subdomain } = await response.json();
    mailboxes.push({ id, address: `user@${subdomain}.${mailDomain}` });
  }
  return mailboxes;
}
