/** A visitor of the shop: keeps cookies, and posts JSON as the shop's pages do. */
export class Visitor {
  #url;
  #cookies = new Map();

  constructor(url) {
    this.#url = url;
  }

  /** Posts to an endpoint of better-auth. Throws its message if it refuses. */
  async post(path, body) {
    const headers = { 'Content-Type': 'application/json', Origin: this.#url };
    const response = await this.#fetch(`${this.#url}/api/auth${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.message);
    return answer;
  }

  /** Opens a link of a mail, and returns the address to which it leads. */
  async open(link) {
    const response = await this.#fetch(link, { redirect: 'manual' });
    return response.headers.get('location');
  }

  /** Returns the address of the account that is signed in. Null if none is. */
  async account() {
    const response = await this.#fetch(`${this.#url}/api/auth/get-session`);
    return (await response.json())?.user.email ?? null;
  }

  async #fetch(url, { headers = {}, ...options } = {}) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...options, headers: { ...headers, Cookie: cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
