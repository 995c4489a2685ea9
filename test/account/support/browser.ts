import { wrongCode } from '../../support/visit';
import { ALICE, type TestApp, type TestUser } from '../../support/test-app';

/** An answer as a browser sees it. */
export interface Seen {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly location: string | null;
  /** What the answer says of the device's cookie; undefined when it says nothing. */
  readonly deviceCookie: string | undefined;
  /** The lines of all cookies that the answer sets. */
  readonly setCookies: readonly string[];
}

const DEVICE_COOKIE = '__Host-sms-otp-device';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';

/** A person's browser that keeps every cookie, as one does that came over TLS. */
export class Browser {
  readonly cookies = new Map<string, string>();
  userAgent = FIREFOX;

  constructor(
    private readonly test: TestApp,
    readonly user: TestUser = ALICE,
    /** Where proxies say that it is. */
    private readonly address?: string,
  ) {}

  get device(): string | undefined {
    return this.cookies.get(DEVICE_COOKIE);
  }

  /** Puts another cookie in the place of the device's. */
  set device(value: string | undefined) {
    if (value === undefined) this.cookies.delete(DEVICE_COOKIE);
    else this.cookies.set(DEVICE_COOKIE, value);
  }

  /** @param body A string is sent as it is. */
  async send(method: string, path: string, body?: object | string): Promise<Seen> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      ...{ 'content-type': 'application/json', 'user-agent': this.userAgent, cookie },
      ...(this.address !== undefined && { 'x-forwarded-for': this.address }),
    };
    const answer = await fetch(this.test.agent().get(path).url, {
      method,
      redirect: 'manual',
      headers,
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const set = answer.headers.getSetCookie();
    for (const line of set) this.keep(line);
    const text = await answer.text();
    return {
      status: answer.status,
      // Passport's own refusals are plain text, everything else is an object.
      body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>,
      location: answer.headers.get('location'),
      deviceCookie: set.find((line) => line.startsWith(DEVICE_COOKIE)),
      setCookies: set,
    };
  }

  get(path: string): Promise<Seen> {
    return this.send('GET', path);
  }
  post(path: string, body: object | string = {}): Promise<Seen> {
    return this.send('POST', path, body);
  }
  login(): Promise<Seen> {
    return this.post('/login', { username: this.user.id, password: 'right' });
  }
  enter(more: object = {}): Promise<Seen> {
    return this.post('/login/pin', { pin: this.test.code(this.user), ...more });
  }
  enterWrong(): Promise<Seen> {
    return this.post('/login/pin', { pin: wrongCode(this.test.code(this.user)) });
  }
  recover(recoveryCode: unknown, more: object = {}): Promise<Seen> {
    return this.post('/recover', { recoveryCode, ...more });
  }
  /** Logs in with a texted code and has this device trusted. */
  async trust(): Promise<Seen> {
    await this.login();
    return this.enter({ trustDevice: 'on' });
  }
  /** Comes back another day: the session is over, the device's cookie is there. */
  leave(): void {
    this.cookies.delete('connect.sid');
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    const expires = attributes.find((attribute) => attribute.startsWith('Expires='))?.slice(8);
    const isOver = expires !== undefined && Date.parse(expires) <= this.test.clock.now();
    if (isOver) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
