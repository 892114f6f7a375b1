const { createClient, WaitTimeoutError } = require('mailcap/client');
const { finishLogin, startLogin } = require('./login');

const client = createClient();
let mailbox;
let webhook;

// Each attempt at a test gets its own mailbox and webhook: `jest.retryTimes` runs `beforeEach` again too.
beforeEach(async () => {
  [mailbox, webhook] = await Promise.all([client.mailbox(), client.webhook()]);
});
afterEach(() => Promise.all([mailbox.delete(), webhook.delete()]));

test('logs in with the code that was mailed, and is audited', async () => {
  const login = await startLogin(mailbox.address);
  const code = await mailbox.waitForCode({ subject: 'your code' });
  expect(await finishLogin(login, code, webhook.url)).toBe(true);
  const request = await webhook.waitForRequest({ method: 'POST', path: '/events' });
  expect(request.json()).toEqual({ event: 'login', email: mailbox.address });
});

test('audits nobody who has another code', async () => {
  const login = await startLogin(mailbox.address);
  expect(await finishLogin(login, 'another', webhook.url)).toBe(false);
  await webhook.expectNoRequest({}, { for: 100 });
});

test('a wait says why nothing came', async () => {
  await startLogin(mailbox.address);
  const wait = mailbox.waitForMessage({ subject: 'welcome' }, { timeout: 100 });
  await expect(wait).rejects.toThrow(WaitTimeoutError);
  await expect(wait).rejects.toThrow('subject has no "welcome"');
});
