import { afterEach } from '@jest/globals';
import { GatewaySimulator, type SimulatorOptions } from 'passport-sms-otp/simulator';

/** What every answer holds. OTP spec §1. */
export interface Envelope {
  readonly status_code: unknown;
  readonly status_message: unknown;
  readonly payload?: unknown;
  readonly errors?: readonly { readonly code: unknown; readonly message: unknown }[] | null;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Envelope;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly validity_period: unknown;
}

export const PATHS = {
  auth: '/apis/auth',
  generate: '/apis/otp/v3/generate',
  validate: '/apis/otp/v3/validate/',
  balance: { A: '/apis/sms/mt/v2/balance', B: '/apis/otp/v3/balance' },
  pricing: { A: '/apis/sms/mt/v2/pricing', B: '/apis/otp/v3/pricing' },
  lookup: '/apis/hlr/v2/',
  hlrBalance: '/apis/hlr/v2/balance',
  hlrPricing: '/apis/hlr/v2/pricing',
} as const;

export const ALICE = '12025550123';
export const BOB = '12025550124';
export const VARIANTS = ['A', 'B'] as const;

/** A simulator and somebody who speaks to it in plain HTTP. */
export class Gateway {
  token = '';

  constructor(readonly sim: GatewaySimulator) {}

  /** One request as it is; the token goes along when there is one. */
  fetch(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const authorization: Record<string, string> =
      this.token === '' ? {} : { authorization: `Bearer ${this.token}` };
    return fetch(this.sim.baseUrl + path, {
      method,
      redirect: 'manual',
      ...init,
      headers: { 'content-type': 'application/json', ...authorization, ...Object(init.headers) },
    });
  }

  async call(method: string, path: string, body?: unknown): Promise<Reply> {
    const response = await this.fetch(
      method,
      path,
      body === undefined ? {} : { body: JSON.stringify(body) },
    );
    const text = await response.text();
    // Each member is asserted by the tests that read it.
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: JSON.parse(text) as Envelope,
    };
  }

  get(path: string): Promise<Reply> {
    return this.call('GET', path);
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.call('POST', path, body);
  }

  /** Authenticates with credentials and keeps the token. */
  async logIn(members: object = {}): Promise<Tokens> {
    const { username, password } = this.sim;
    const reply = await this.post(PATHS.auth, {
      type: 'access_token',
      username,
      password,
      ...members,
    });
    const tokens = readTokens(reply);
    this.token = tokens.access_token;
    return tokens;
  }

  refresh(refreshToken: string, members: object = {}): Promise<Reply> {
    return this.post(PATHS.auth, {
      type: 'refresh_token',
      refresh_token: refreshToken,
      ...members,
    });
  }

  generate(members: object = {}): Promise<Reply> {
    return this.post(PATHS.generate, { mobile: ALICE, ...members });
  }

  /** Generates and gives the new OTP's id and pin as the outbox knows them. */
  async send(members: object = {}): Promise<{ readonly id: string; readonly pin: string }> {
    await this.generate(members);
    const message = this.sim.outbox.at(-1);
    if (message === undefined) throw new Error('Nothing was sent');
    return message;
  }

  validate(id: string, pin: unknown, mobile: unknown = ALICE): Promise<Reply> {
    return this.post(PATHS.validate + encodeURIComponent(id), { mobile, pin });
  }

  balance(): Promise<Reply> {
    return this.get(PATHS.balance[this.sim.variant]);
  }

  /** True when a token opens the balance. */
  async opens(token: string): Promise<boolean> {
    const kept = this.token;
    this.token = token;
    const { status } = await this.balance();
    this.token = kept;
    return status === 200;
  }
}

export function readTokens({ body }: Reply): Tokens {
  // A test that meets something else fails when it uses the tokens.
  return body.payload as Tokens;
}

/** The code of a refusal, or undefined. */
export function codeOf({ body }: Reply): unknown {
  return body.errors?.[0]?.code;
}

/** A pin that is wrong whatever the right one is. */
export function wrongPin(pin: string): string {
  return (pin.startsWith('9') ? '0' : '9') + pin.slice(1);
}

const open = new Set<GatewaySimulator>();

afterEach(async () => {
  await Promise.all([...open].map((sim) => sim.close()));
  open.clear();
});

/** Starts a simulator that is closed after the test. */
export async function start(options: SimulatorOptions = {}): Promise<Gateway> {
  const sim = await GatewaySimulator.start(options);
  open.add(sim);
  return new Gateway(sim);
}

/** Starts a simulator and authenticates. */
export async function startLoggedIn(options: SimulatorOptions = {}): Promise<Gateway> {
  const gateway = await start(options);
  await gateway.logIn();
  return gateway;
}
