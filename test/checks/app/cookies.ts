/** A cookie of an answer. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly isHttpOnly: boolean;
  readonly isSecure: boolean;
  /** Null if the cookie has none: not every browser treats that as Lax. */
  readonly sameSite: 'strict' | 'lax' | 'none' | null;
}

/** Where a request comes from. It decides whether cookies with SameSite are sent. */
export type Origin = 'same-site' | 'cross-site-form' | 'cross-site-link';

/**
 * The cookies of one browser. Secure cookies are kept, because a loopback address counts as secure.
 */
export class CookieJar {
  readonly #cookies: Map<string, Cookie>;

  constructor(cookies: Iterable<Cookie> = []) {
    this.#cookies = new Map(Array.from(cookies, (cookie) => [cookie.name, cookie]));
  }

  /** Returns a copy for another browser. */
  copy(): CookieJar {
    return new CookieJar(this.#cookies.values());
  }

  get all(): readonly Cookie[] {
    return Array.from(this.#cookies.values());
  }

  find(name: string): Cookie | undefined {
    return this.#cookies.get(name);
  }

  delete(name: string): void {
    this.#cookies.delete(name);
  }

  /** Returns the header of a request. Empty if no cookie is sent. */
  header(origin: Origin): string {
    return this.all
      .filter((cookie) => goesAlong(cookie, origin))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  /** Stores, changes and deletes cookies as an answer says. */
  keep(lines: readonly string[]): void {
    for (const line of lines) {
      const cookie = readCookie(line);
      if (cookie === null) continue;
      if (hasEnded(line)) this.#cookies.delete(cookie.name);
      else this.#cookies.set(cookie.name, cookie);
    }
  }
}

function goesAlong({ sameSite }: Cookie, origin: Origin): boolean {
  if (origin === 'same-site' || sameSite === 'none' || sameSite === null) return true;
  return origin === 'cross-site-link' && sameSite === 'lax';
}

/** Reads one `Set-Cookie` line. Null if it sets no cookie. */
function readCookie(line: string): Cookie | null {
  const [, name = '', value = '', attributes = ''] = /^\s*([^=;]+)=([^;]*)(.*)$/.exec(line) ?? [];
  if (name === '') return null;
  const sameSite = /;\s*samesite=(strict|lax|none)\b/i.exec(attributes)?.[1]?.toLowerCase();
  return {
    name,
    value,
    isHttpOnly: /;\s*httponly\b/i.test(attributes),
    isSecure: /;\s*secure\b/i.test(attributes),
    sameSite: sameSite === 'strict' || sameSite === 'lax' || sameSite === 'none' ? sameSite : null,
  };
}

function hasEnded(line: string): boolean {
  const [, maxAge] = /;\s*max-age=(-?\d+)/i.exec(line) ?? [];
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  const [, expires = ''] = /;\s*expires=([^;]+)/i.exec(line) ?? [];
  return Date.parse(expires) <= Date.now();
}
