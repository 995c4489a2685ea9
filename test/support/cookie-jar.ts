/** The cookies that a browser keeps of one site. */
export class CookieJar {
  readonly cookies = new Map<string, string>();

  /**
   * @param isOverTls Whether Secure cookies are kept, as where the site is reached over TLS, or is on
   * a loopback address.
   */
  constructor(private readonly isOverTls = true) {}

  /** What goes along with a request; empty when there is none. */
  get header(): string {
    return Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Keeps, changes and deletes what an answer says, as it was at a time. */
  keep(setCookies: readonly string[], nowMs = Date.now()): void {
    for (const line of setCookies) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
      if (/; secure\b/i.test(attributes) && !this.isOverTls) continue;
      const [, expires = ''] = /; expires=([^;]+)/i.exec(attributes) ?? [];
      if (Date.parse(expires) <= nowMs) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
