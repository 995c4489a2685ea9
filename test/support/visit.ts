import type { Server } from 'node:http';
import supertest, { type Response, type Test } from 'supertest';
import { CookieJar } from './cookie-jar';
import type { TestApp } from './test-app';
import { ALICE, type TestUser } from './test-users';

/** An answer, with what browsers read from its headers. */
export interface Answer extends Response {
  readonly location: string | null;
  /** What the answer says of the trusted device's cookie; undefined when it says nothing. */
  readonly deviceCookie: string | undefined;
  /** The lines of all cookies that the answer sets. */
  readonly setCookies: readonly string[];
}

/** A request that goes out when it is awaited. */
export interface Asked extends Test {
  then: Promise<Answer>['then'];
}

type Listed = { phoneId: string; maskedPhone: string; isConfirmed: boolean }[];

const DEVICE_COOKIE = '__Host-sms-otp-device';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';

/** Two browsers never send the same headers, so that one does not join the login of the other. */
let browsers = 0;

/**
 * A person with a browser of their own: it keeps cookies, and follows no redirects. Where an app is
 * started anew for each test, each finds another browser, so that nothing passes between tests.
 */
export class Visit {
  #server: Server | undefined;
  readonly #userAgent = `${FIREFOX} browser/${(browsers += 1)}`;
  #browser = { userAgent: this.#userAgent, jar: new CookieJar() };

  constructor(
    private readonly test: TestApp,
    readonly user: TestUser,
    private readonly headers: Readonly<Record<string, string>>,
    /** Whether Secure cookies are kept, as where the app is reached over TLS. */
    private readonly isOverTls: boolean,
  ) {}

  private get browser(): { userAgent: string; readonly jar: CookieJar } {
    if (this.#server !== this.test.server)
      this.#browser = { userAgent: this.#userAgent, jar: new CookieJar(this.isOverTls) };
    this.#server = this.test.server;
    return this.#browser;
  }

  get cookies(): Map<string, string> {
    return this.browser.jar.cookies;
  }

  get userAgent(): string {
    return this.browser.userAgent;
  }
  set userAgent(value: string) {
    this.browser.userAgent = value;
  }

  /** The cookie of the trusted device, which can be put in place of another. */
  get device(): string | undefined {
    return this.cookies.get(DEVICE_COOKIE);
  }
  set device(value: string | undefined) {
    if (value === undefined) this.cookies.delete(DEVICE_COOKIE);
    else this.cookies.set(DEVICE_COOKIE, value);
  }

  /** A request to which a test adds what it likes. */
  ask(method: 'get' | 'post', path: string): Asked {
    const { jar, userAgent } = this.browser;
    const asked = new supertest.Test(this.test.server, method, path);
    asked.set({ 'User-Agent': userAgent, ...this.headers });
    if (jar.header !== '') asked.set('Cookie', jar.header);
    asked.on('response', (answer: Response) => {
      const setCookies = answer.get('Set-Cookie') ?? [];
      // Sessions expire by the real clock, cookies of ours by that of the test.
      jar.keep(setCookies, Math.min(Date.now(), this.test.clock.now()));
      Object.assign(answer, {
        setCookies,
        location: answer.headers.location ?? null,
        deviceCookie: setCookies.find((line) => line.startsWith(DEVICE_COOKIE)),
      });
    });
    // The listener has added what makes an answer of a response.
    return asked as Asked;
  }

  readonly get = async (path: string): Promise<Answer> => this.ask('get', path);
  /** @param body A string is sent as it is. */
  readonly post = async (path: string, body: object | string = {}): Promise<Answer> =>
    this.ask('post', path).type('json').send(body);

  readonly login = (as = this.user): Promise<Answer> =>
    this.post('/login', { username: as.id, password: 'right' });
  readonly enter = (pin: unknown, more: object = {}): Promise<Answer> =>
    this.post('/login/pin', { pin, ...more });
  /** Enters the newest code on the person's phone. */
  readonly enterRight = (more: object = {}): Promise<Answer> =>
    this.enter(this.test.code(this.user), more);
  /** Enters a code that is surely not the newest one. */
  readonly enterWrong = (): Promise<Answer> => this.enter(wrongCode(this.test.code(this.user)));
  readonly resend = (): Promise<Answer> => this.post('/login/resend');
  readonly cancel = (): Promise<Answer> => this.post('/login/cancel');
  readonly stepUp = (): Promise<Answer> => this.post('/step-up');
  readonly logout = (): Promise<Answer> => this.post('/logout');
  readonly recover = (recoveryCode: unknown, more: object = {}): Promise<Answer> =>
    this.post('/recover', { recoveryCode, ...more });
  readonly account = (): Promise<Answer> => this.get('/account');
  readonly status = (): Promise<Answer> => this.get('/status');
  /** The OTP id the session waits for, or undefined. */
  readonly pendingId = async (): Promise<string | undefined> =>
    (await this.status()).body.session?.pending?.otpId as string | undefined;

  /** Gives the password, and the code where one is texted. */
  async logIn(): Promise<void> {
    const { body } = await this.login();
    if (body.sent === true) await this.enter(this.test.sim.outbox.at(-1)?.pin);
  }
  /** Logs in with a texted code and has this device trusted. */
  async trust(): Promise<Answer> {
    await this.login();
    return this.enterRight({ trustDevice: 'on' });
  }
  /** Comes back another day: the session is over, the other cookies are there. */
  leave(): void {
    this.cookies.delete('connect.sid');
  }

  readonly enroll = (phone: unknown, more: object = {}): Promise<Answer> =>
    this.post('/phones/enroll', { phone, ...more });
  readonly replace = (phone: unknown, more: object = {}): Promise<Answer> =>
    this.post('/phones/replace', { phone, ...more });
  /** Enters the newest code of a number, or this code. */
  readonly confirm = (mobile: string): Promise<Answer> =>
    this.confirmWith(this.test.sim.lastPin(mobile));
  readonly confirmWith = (pin: unknown): Promise<Answer> => this.post('/phones/confirm', { pin });
  readonly list = async (): Promise<Listed> => (await this.get('/phones')).body as Listed;
  /** The id of a number by its last two digits. */
  readonly idOf = async (mobile: string): Promise<string> =>
    (await this.list()).find(({ maskedPhone }) => maskedPhone.endsWith(mobile.slice(-2)))
      ?.phoneId ?? 'none';
}

/**
 * A browser over plain http, which keeps no Secure cookies: it is never known, and no device is
 * trusted.
 */
export function visit(
  test: TestApp,
  user: TestUser = ALICE,
  headers: Readonly<Record<string, string>> = {},
): Visit {
  return new Visit(test, user, headers, false);
}

/** A browser that keeps every cookie, as one does that came over TLS. */
export function visitOverTls(
  test: TestApp,
  user: TestUser = ALICE,
  headers: Readonly<Record<string, string>> = {},
): Visit {
  return new Visit(test, user, headers, true);
}

/** A code of the same length that differs in its last digit. */
export function wrongCode(code: string): string {
  return code.slice(0, -1) + String((Number(code.slice(-1)) + 1) % 10);
}

/** The cookie of a known browser with another seal: its last character is always another one. */
export function withForgedSeal(cookie: string): string {
  return cookie.slice(0, -1) + (cookie.endsWith('A') ? 'E' : 'A');
}

/** A code was entered so many times, each one wrong. */
export async function enterWrongly(visitor: Visit, times: number): Promise<Response[]> {
  const answers: Response[] = [];
  for (let time = 0; time < times; time += 1) answers.push(await visitor.enterWrong());
  return answers;
}

/** Status and body of an answer. */
export function seen({ status, body }: Response): [number, unknown] {
  return [status, body];
}
