import nodemailer from 'nodemailer';

/** Returns the code and the link in the mail of an attempt. Each attempt has its own. */
export function secretsOf(attempt) {
  const code = String(100_000 + ((attempt * 7_919) % 900_000));
  return { code, link: `https://app.test/verify?token=t${attempt.toString(36)}x` };
}

/** Mails a code and a link, as an app does that has answered the request already. The promise resolves after the 250. */
export async function mail({ host, port, to, attempt }) {
  const { code, link } = secretsOf(attempt);
  const transport = nodemailer.createTransport({ host, port, ignoreTLS: true });
  try {
    await transport.sendMail({
      from: 'Shop <accounts@shop.test>',
      to,
      subject: 'Verify your address',
      text: `Welcome!\n\nYour code is ${code}.\n\nOr open ${link}\n\nThe Shop\n`,
      html: `<style>p { color: #336699 }</style><p>Welcome!</p><p>Your code is <b>${code}</b>.</p><p><a href="${link}">Verify your address</a></p>`,
    });
  } finally {
    transport.close();
  }
}
