import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { createTransport } from 'nodemailer';

// Does with the container of .ci/image what its users do: probes, a mail by SMTP, the page, POP3 and IMAP.

const URL_OF_IT = 'http://127.0.0.1:18025';
const authorization = 'Bearer svc_live_image';

await until(async () => (await fetch(`${URL_OF_IT}/readyz`)).status === 200);
for (const path of ['/livez', '/readyz', '/healthz', '/', '/docs']) {
  const { status } = await fetch(URL_OF_IT + path, { headers: { accept: 'text/html' } });
  if (status !== 200) throw new Error(`${path}: ${status}`);
}
const transport = createTransport({ host: '127.0.0.1', port: 11_025, ignoreTLS: true });
await transport.sendMail({
  from: 'a@example.com',
  to: 'ada@inbox.mailcap.example.com',
  subject: 'Here',
  text: 'Hello.',
});
const [{ id }] = await (await fetch(`${URL_OF_IT}/v1/mailboxes`, { headers: { authorization } })).json();
await until(async () => {
  const answer = await fetch(`${URL_OF_IT}/v1/mailboxes/${id}/messages`, { headers: { authorization } });
  return (await answer.json())[0]?.subject === 'Here';
});
await talk(11_110, ['+OK', 'USER inbox', '+OK', 'PASS svc_live_image', '+OK', 'STAT', '+OK 1 ', 'QUIT', '+OK']);
await talk(11_143, ['* OK', 'a LOGIN inbox svc_live_image', 'a OK', 'b SELECT INBOX', 'b OK', 'c LOGOUT', 'c OK']);

/** Says every second line, and waits for a line that begins with the one before or after it. */
async function talk(port, lines) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
  for (const [at, line] of lines.entries()) {
    if (at % 2 === 1) {
      socket.write(`${line}\r\n`);
      continue;
    }
    let { value, done } = await answers.next();
    while (!done && !value.startsWith(line)) {
      if (/^(-ERR|\w (NO|BAD))/.test(value)) throw new Error(`port ${port}: ${value}`);
      ({ value, done } = await answers.next());
    }
    if (done) throw new Error(`port ${port} closed before ${line}`);
  }
  socket.destroy();
}

async function until(isSo) {
  for (const end = Date.now() + 30_000; ; ) {
    if (await isSo().catch(() => false)) return;
    if (Date.now() > end) throw new Error(`it was never so: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
