import nodemailer from 'nodemailer';

export async function invite(smtpUrl, email) {
  const transport = nodemailer.createTransport(smtpUrl);
  const link = `https://app.example.com/join?team=1&token=${Math.random().toString(36).slice(2)}`;
  await transport.sendMail({
    from: 'Team <team@example.com>',
    to: email,
    subject: 'You are invited',
    html: `<p>Hello!</p><p><a href="${link.replace('&', '&amp;')}">Accept the invitation</a></p>`,
  });
  transport.close();
}
