import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import Joi from 'joi';
import validator from 'validator';
import { describe, expect, test as plain } from 'vitest';
import * as yup from 'yup';
import { z } from 'zod';
import { createClient } from '../../src/client/index.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { BY_DAY } from '../support/night.ts';
import { unless } from '../support/unless.ts';
import { python } from './programs.ts';

// Apps refuse what these libraries refuse, before any mail is sent.

const NPM: readonly (readonly [name: string, takes: (address: string) => boolean])[] = [
  ['Joi', (address) => Joi.string().email().validate(address).error === undefined],
  ['validator', (address) => validator.isEmail(address)],
  ['yup', (address) => yup.string().email().isValidSync(address)],
  ['zod', (address) => z.email().safeParse(address).success],
];

/** The addresses of each kind that a test may sign up with. */
async function addressesOf(server: TestServer): Promise<string[]> {
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey, workspaceId: server.workspaceId });
  const mailbox = await client.mailbox({ name: 'Sign up' });
  const { mailDomain } = server;
  return [
    mailbox.address,
    mailbox.addressFor('ada'),
    mailbox.addressFor('ada+tag'),
    `ada@inbox.${mailDomain}`,
    `bounce@simulator.${mailDomain}`,
  ];
}

describe.each(NPM)('%s of npm', (_name, takes) => {
  test('takes the addresses of mailboxes', async ({ mailcap }) => {
    for (const address of await addressesOf(mailcap)) expect([address, takes(address)]).toEqual([address, true]);
    expect(takes('ada@')).toBe(false);
  });
});

const CHECK = `
import sys
from django.core.validators import validate_email
from email_validator import validate_email as validated
from pydantic import BaseModel, EmailStr
class Form(BaseModel):
    email: EmailStr
for address in sys.argv[1:]:
    validate_email(address)
    validated(address, check_deliverability=False)
    Form(email=address)
    print(address)
`;

unless(plain, BY_DAY)(
  'Django, email-validator and pydantic of PyPI take the addresses of mailboxes',
  { timeout: 300_000 },
  async () => {
    await using server = await startServer();
    const addresses = await addressesOf(server);
    const run = async (...given: string[]) => promisify(execFile)(await python(), ['-c', CHECK, ...given]);
    expect((await run(...addresses)).stdout.trim().split('\n')).toEqual(addresses);
    await expect(run('ada@inbox.mailcap.test'), 'the reason for this test').rejects.toThrow(/special-use or reserved/);
  },
);
