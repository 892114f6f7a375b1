import { randomUUID } from 'node:crypto';
import { expect } from '@playwright/test';
import { PASSWORD, TEAM } from './seed.js';

/** Somebody who uses FlowFuse through the requests that its pages make. The request context keeps the session. */
export class Visitor {
  #request;

  constructor(request) {
    this.#request = request;
  }

  /** Signs up with an address, and returns the user name. */
  async register(email) {
    const username = `user-${randomUUID()}`;
    await this.post('/account/register', { username, name: 'Ezra Bridger', email, password: PASSWORD });
    return username;
  }

  logIn(username, password = PASSWORD) {
    return this.post('/account/login', { username, password });
  }

  /** Follows a link of a mail, whose page posts to its own address. */
  follow(link) {
    return this.post(link);
  }

  account() {
    return this.#answer(this.#request.get('/api/v1/user'));
  }

  async teams() {
    return (await this.#answer(this.#request.get('/api/v1/user/teams'))).teams;
  }

  /** Invites somebody into the team, by user name or by address. */
  async invite(user) {
    const { id } = await this.#answer(this.#request.get(`/api/v1/teams/slug/${TEAM.slug}`));
    await this.post(`/api/v1/teams/${id}/invitations`, { user, role: TEAM.member });
  }

  post(path, data = {}) {
    return this.#answer(this.#request.post(path, { data }));
  }

  put(path, data) {
    return this.#answer(this.#request.put(path, { data }));
  }

  /** Asserts that FlowFuse refuses what `act` asks for. */
  async refused(act) {
    await expect(act()).rejects.toThrow(/^40[0-9]/);
  }

  async #answer(sent) {
    const response = await sent;
    if (!response.ok()) throw new Error(`${response.status()} ${response.url()} ${await response.text()}`);
    return response.headers()['content-type']?.includes('json') ? response.json() : null;
  }
}
