const { createMailcap } = require('mailcap');

module.exports = async () => {
  const mailcap = await createMailcap({ port: 0, smtpPort: 0, ephemeral: true, limits: 'off', starttls: 'off' });
  process.env.MAILCAP_URL = mailcap.url;
  process.env.MAILCAP_API_KEY = mailcap.apiKey;
  process.env.MAILCAP_SMTP_URL = mailcap.smtp.url;
  globalThis.mailcap = mailcap;
};
