/** A visitor of an app that answers requests in this process: keeps cookies, and posts as the app's pages do. */
export class Visitor {
  #answer;
  #origin;
  #cookies = new Map();

  constructor(origin, answer) {
    this.#origin = origin;
    this.#answer = answer;
  }

  async json(path, body) {
    const headers = { 'Content-Type': 'application/json' };
    const response = await this.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  }

  async request(url, { headers = {}, ...init } = {}) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { ...headers, Origin: this.#origin, Cookie: cookie };
    const response = await this.#answer(new Request(new URL(url, this.#origin), { ...init, headers: sent }));
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
