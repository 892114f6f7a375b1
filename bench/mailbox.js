import http from 'node:http';

// What a test does with a mailbox, through the cloud API.

/** GETs JSON. Anything but a 200 is an error. */
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

/** Throws unless the inbox holds as many messages as were acknowledged: a server that loses mail fast is no result. */
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
