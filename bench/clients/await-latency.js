import http from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import nodemailer from 'nodemailer';
import { openSmtpSession } from './smtp-session.js';

// This program acts as a test process: it holds an await, sends a mail, and measures the time until it has the answer.

const { apiUrl, smtpPort, mailboxId, headers, mails, warmUp } = JSON.parse(process.argv[2]);
const agent = new http.Agent({ keepAlive: true });
const to = 'user@inbox.mailcap.example.com';

/** Resolves with the time at which the summary was read. */
function awaitMessage(subject) {
  const url = `${apiUrl}/mailboxes/${mailboxId}/messages/await?timeout=10&subject=${subject}`;
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => {
        const at = performance.now();
        if (response.statusCode === 200 && JSON.parse(body).subject === subject) resolve(at);
        else reject(new Error(`await answered ${response.statusCode} ${body}`));
      });
    });
    request.on('error', reject);
  });
}

/** Returns the milliseconds from the time that `send` resolves with until the answer, for each mail. */
async function latencies(name, send) {
  const all = [];
  for (let index = 0; index < warmUp + mails; index++) {
    const subject = `${name}-${index}`;
    const answered = awaitMessage(subject);
    // The await must be held by the server before the mail is sent.
    await delay(4);
    const [from, at] = await Promise.all([send(subject), answered]);
    if (index >= warmUp) all.push(at - from);
  }
  return all;
}

function unpooled(options) {
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port: smtpPort, ...options });
  return async (subject) => {
    const calledAt = performance.now();
    await transport.sendMail({ from: 'sender@app.test', to, subject, text: 'Your code is 123456.' });
    return calledAt;
  };
}

const session = await openSmtpSession(smtpPort);
const result = {
  fromCall: await latencies('plain', unpooled({ ignoreTLS: true })),
  fromCallTls: await latencies('tls', unpooled({ tls: { rejectUnauthorized: false } })),
  from250: await latencies('raw', (subject) => session.send({ to, subject })),
};
session.close();
agent.destroy();
process.stdout.write(JSON.stringify(result));
