// The hosts, with their subdomains, that track clicks and then redirect.
const HOSTS: Readonly<Record<string, string>> = {
  'sendgrid.net': 'SendGrid',
  'ct.sendgrid.net': 'SendGrid',
  'list-manage.com': 'Mailchimp',
  'mandrillapp.com': 'Mandrill',
  'awstrack.me': 'Amazon SES',
  'mjt.lu': 'Mailjet',
  'sendibm1.com': 'Brevo',
  'sendibt2.com': 'Brevo',
  'sendibt3.com': 'Brevo',
  'sibautomation.com': 'Brevo',
  'hubspotlinks.com': 'HubSpot',
  'hubspotemail.net': 'HubSpot',
  'hs-sites.com': 'HubSpot',
  'klclick.com': 'Klaviyo',
  'klclick1.com': 'Klaviyo',
  'klclick2.com': 'Klaviyo',
  'klclick3.com': 'Klaviyo',
  'trk.klclick.com': 'Klaviyo',
  'customeriomail.com': 'Customer.io',
  'exct.net': 'Salesforce Marketing Cloud',
  'exacttarget.com': 'Salesforce Marketing Cloud',
  'pstmrk.it': 'Postmark',
  'click.pstmrk.it': 'Postmark',
  'mailgun.org': 'Mailgun',
  'sparkpostmail.com': 'SparkPost',
  'spgo.io': 'SparkPost',
  'rs6.net': 'Constant Contact',
  'createsend.com': 'Campaign Monitor',
  'cmail19.com': 'Campaign Monitor',
  'cmail20.com': 'Campaign Monitor',
  'intercom-clicks.com': 'Intercom',
  'intercom-mail.com': 'Intercom',
  'convertkit-mail.com': 'Kit',
  'convertkit-mail2.com': 'Kit',
  'beehiiv.com': 'beehiiv',
  'activehosted.com': 'ActiveCampaign',
  'mlsend.com': 'MailerLite',
  'loops.so': 'Loops',
  'resend-clicks.com': 'Resend',
  'safelinks.protection.outlook.com': 'Microsoft Safe Links',
  'urldefense.com': 'Proofpoint',
  'urldefense.proofpoint.com': 'Proofpoint',
  'bit.ly': 'Bitly',
  't.co': 'X',
  'lnkd.in': 'LinkedIn',
};
const REDIRECTS = new Set(['url', 'u', 'q', 'target', 'dest', 'destination', 'link', 'redirect', 'goto', 'to', 'r']);
const CLICKS = new Set([
  'click',
  'clicks',
  'track',
  'redirect',
  'redir',
  'url',
  'l',
  'c',
  'r',
  'ck',
  'cl0',
  'go',
  'out',
]);

/** Returns the service that tracks a click on this link, or null if none is known. It makes no request. */
export function trackerOf(url: URL): string | null {
  const labels = url.hostname.split('.').slice(-6);
  for (let from = 0; from < labels.length - 1; from++) {
    const host = labels.slice(from).join('.');
    if (Object.hasOwn(HOSTS, host)) return HOSTS[host] ?? null;
  }
  const segments = url.pathname.toLowerCase().split('/', 6);
  if (segments[1] === 'ls' && segments[2] === 'click') return 'SendGrid';
  if (!segments.some((segment) => CLICKS.has(segment))) return null;
  for (const [name, value] of [...url.searchParams].slice(0, 50)) {
    if (REDIRECTS.has(name.toLowerCase()) && /^https?:\/\//i.test(value)) return `the parameter ${name}`;
  }
  return null;
}
