import type { Identity } from '../../domain/outbound.ts';
import { uuid7Of } from '../../domain/provider.ts';
import type { Reader } from '../../ports/store.ts';
import type { BodyFields } from '../body-fields.ts';
import type { DoorCall, DoorRoute } from '../door.ts';
import { addDomain, identities } from '../identities.ts';
import { keyIn } from '../resources.ts';
import { changeRoute, getRoute, okAnswer, postRoute } from '../routes.ts';
import { timeText } from './answers.ts';
import { notFound, resendBody, validationError } from './errors.ts';
import { receivingDomains, setReceiving } from './receiving.ts';

// The domains of Resend: https://resend.com/docs/api-reference/domains

export const domains: readonly DoorRoute[] = [
  getRoute('/domains', async (call, reader) => {
    const receiving = await receivingDomains(call, reader);
    const data = (await identities(call, reader)).map((one) => shownDomain(one, receiving));
    return { object: 'list', has_more: false, data };
  }),
  changeRoute('POST', '/domains', 201, async (call, tx) => {
    const given = resendBody(call);
    const isReceiving = receivingIn(given);
    const refuse = () => validationError('The `name` field must be a domain name.');
    const identity = await addDomain(call, tx, given.raw('name'), refuse);
    if (isReceiving !== null) await setReceiving(call, tx, identity.domain, isReceiving);
    return wholeDomain(identity, await receivingDomains(call, tx));
  }),
  getRoute('/domains/:id', async (call, reader) => {
    const receiving = await receivingDomains(call, reader);
    return { object: 'domain', ...wholeDomain(await domainOf(call, reader), receiving) };
  }),
  changeRoute('PATCH', '/domains/:id', 200, async (call, tx) => {
    const { id, domain } = await domainOf(call, tx);
    const isReceiving = receivingIn(resendBody(call));
    if (isReceiving !== null) await setReceiving(call, tx, domain, isReceiving);
    return { object: 'domain', id: uuid7Of(id) };
  }),
  postRoute('/domains/:id/verify', async (call) => {
    const { id } = await domainOf(call, await call.ctx.store.readNow());
    return okAnswer({ object: 'domain', id: uuid7Of(id) });
  }),
  changeRoute('DELETE', '/domains/:id', 200, async (call, tx) => {
    const { id, domain } = await domainOf(call, tx);
    await tx.identities.remove(id);
    await setReceiving(call, tx, domain, false);
    return { object: 'domain', id: uuid7Of(id), deleted: true };
  }),
];

async function domainOf(call: DoorCall, reader: Reader): Promise<Identity> {
  const found = (await identities(call, reader)).find(({ id }) => uuid7Of(id) === keyIn(call));
  if (found === undefined) throw notFound('Domain');
  return found;
}

/** Reads whether a domain is to receive mail; null if the request does not say it. */
function receivingIn(given: BodyFields): boolean | null {
  const capabilities = given.checked('capabilities');
  const [sending = 'enabled', receiving] = [capabilities.raw('sending'), capabilities.raw('receiving')];
  if (sending !== 'enabled')
    throw validationError('Every domain of mailcap sends: `capabilities.sending` must be `enabled`.');
  if (receiving === undefined) return null;
  if (receiving !== 'enabled' && receiving !== 'disabled')
    throw validationError('The `capabilities.receiving` field must be `enabled` or `disabled`.');
  return receiving === 'enabled';
}

/** Every domain is verified: mailcap does not ask for one before it takes mail. */
function shownDomain({ id, domain, createdAt }: Identity, receiving: ReadonlySet<string>) {
  const capabilities = { sending: 'enabled', receiving: receiving.has(domain) ? 'enabled' : 'disabled' };
  const region = 'us-east-1';
  return { id: uuid7Of(id), name: domain, status: 'verified', created_at: timeText(createdAt), region, capabilities };
}

/** Shows a domain with its DNS records: mailcap asks for none to send. */
function wholeDomain(identity: Identity, receiving: ReadonlySet<string>) {
  const { domain: name } = identity;
  const value = 'inbound-smtp.us-east-1.amazonaws.com';
  const mx = { record: 'Receiving', name, type: 'MX', ttl: 'Auto', status: 'verified', value, priority: 10 };
  return { ...shownDomain(identity, receiving), records: receiving.has(name) ? [mx] : [] };
}
