import net from 'node:net';
import { performance } from 'node:perf_hooks';

/** Opens an SMTP connection that stays open. `send` takes one recipient or several, and resolves with the time at which its 250 was read. */
export async function openSmtpSession(port) {
  const socket = net.connect(port, '127.0.0.1').setNoDelay(true);
  const replies = replyReader(socket);
  await replies.expect('220');
  await command('EHLO bench.test', '250');
  return {
    async send({ to, subject, headers = '', text = 'Your code is 123456.' }) {
      await command('MAIL FROM:<sender@app.test>', '250');
      for (const recipient of [to].flat()) await command(`RCPT TO:<${recipient}>`, '250');
      await command('DATA', '354');
      return command(
        `From: sender@app.test\r\nTo: ${[to].flat()[0]}\r\nSubject: ${subject}\r\n${headers}\r\n${text}\r\n.`,
        '250',
      );
    },
    close: () => socket.destroy(),
  };

  function command(text, code) {
    socket.write(`${text}\r\n`);
    return replies.expect(code);
  }
}

function replyReader(socket) {
  let text = '';
  let waiting = null;
  socket.setEncoding('latin1').on('data', (chunk) => {
    const at = performance.now();
    text += chunk;
    // The last line of a reply has a space after its code.
    const reply = text.match(/^(?:\d{3}-.*\r\n)*(\d{3})(?: .*)?\r\n/);
    if (!reply || waiting === null) return;
    text = text.slice(reply[0].length);
    const { code, resolve, reject } = waiting;
    waiting = null;
    if (reply[1] === code) resolve(at);
    else reject(new Error(`expected ${code}, got ${reply[0].trim()}`));
  });
  const fail = (error) => waiting?.reject(error ?? new Error('the SMTP connection ended'));
  socket.on('error', fail).on('close', () => fail());
  return {
    expect: (code) =>
      new Promise((resolve, reject) => {
        waiting = { code, resolve, reject };
      }),
  };
}
