// Starts FlowFuse with accounts that it keeps in memory. It mails to SMTP_HOST and SMTP_PORT, as its own suite sets it up.
import startForge from '@flowfuse/flowfuse/forge/forge.js';
import { PASSWORD, PEOPLE, TEAM } from './seed.js';

const port = Number(process.env.PORT);
const forge = await startForge({
  config: {
    port,
    host: '127.0.0.1',
    db: { type: 'sqlite', storage: ':memory:' },
    driver: { type: 'stub' },
    telemetry: { enabled: false },
    logging: { level: 'error', pretty: false },
    email: {
      enabled: true,
      smtp: { host: process.env.SMTP_HOST, port: Number(process.env.SMTP_PORT), secure: false },
    },
  },
});
forge.license.defaults.users = 1_000;
const settings = ['setup:initialised', 'user:signup', 'user:reset-password', 'team:user:invite:external'];
for (const name of settings) await forge.settings.set(name, true);

const { User, Team, TeamType } = forge.db.models;
const people = await Promise.all(
  Object.values(PEOPLE).map((person) =>
    User.create({ ...person, password: PASSWORD, email_verified: true, password_expired: false }),
  ),
);
const { id: TeamTypeId } = await TeamType.findOne({ where: { name: 'starter' } });
const team = await Team.create({ name: TEAM.name, slug: TEAM.slug, TeamTypeId });
await team.addUser(people[0], { through: { role: TEAM.owner } });

await forge.listen({ port, host: '127.0.0.1' });
