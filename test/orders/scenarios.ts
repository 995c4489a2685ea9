import { ALICE } from '../support/test-users';
import { USER_KEYS } from '../../src/limits/user-keys';
import { type Answer, HOME, type Jar, keepCookies, NEW, SESSION_COOKIE, type World } from './app';
import type { Subject } from './explorer';
import { WRONG_PIN } from './calls';
import { observe, type Outcome } from './outcome';

/** What a person does. All requests of an order leave with the same cookies. */
export const VERBS = [
  'send',
  'right',
  'wrong',
  'resend',
  'cancel',
  'step-up',
  'transaction',
  'enroll',
  'confirm',
  'recover',
  'device',
  'logout',
  'guard',
] as const;
export type Verb = (typeof VERBS)[number];

/** What has happened before, in one browser. */
export const STATES = [
  'pending',
  'pending-known',
  'logged-in',
  'stepping-up',
  'approving',
  'enrolling',
  'locked',
  'waiting',
] as const;
export type State = (typeof STATES)[number];

/** Requests that are under way together, and what was before. */
export interface Scenario {
  readonly state: State;
  readonly verbs: readonly Verb[];
  /** Whether the gateway accepts a right code as often as it comes. Default: false. */
  readonly acceptsTwice?: boolean;
  /** Whether the app does without the option `logins`. Default: false. */
  readonly hasNoLogins?: boolean;
}

/** What the requests of an order know. */
interface Situation {
  readonly jar: Jar;
  /** The cookies of the same browser with a device that is trusted, where a verb needs one. */
  readonly deviceJar: Jar;
  readonly recoveryCode: string;
  /** The code that is on the phone. */
  readonly pin: string;
}

const PASSWORD = { username: ALICE.id, password: 'right' };

const ACTIONS: Readonly<Record<Verb, (world: World, situation: Situation) => Promise<Answer>>> = {
  send: (world, { jar }) => world.post('/login', jar, PASSWORD),
  right: (world, { jar, pin }) => world.post('/login/pin', jar, { pin }),
  wrong: (world, { jar }) => world.post('/login/pin', jar, { pin: WRONG_PIN }),
  resend: (world, { jar }) => world.post('/login/resend', jar),
  cancel: (world, { jar }) => world.post('/login/cancel', jar),
  'step-up': (world, { jar }) => world.post('/step-up', jar),
  transaction: (world, { jar }) => world.post('/pay', jar),
  enroll: (world, { jar }) => world.post('/phones/enroll', jar, { phone: NEW }),
  confirm: (world, { jar, pin }) => world.post('/phones/confirm', jar, { pin }),
  recover: (world, { jar, recoveryCode }) => world.post('/recover', jar, { recoveryCode }),
  device: (world, { deviceJar }) => world.post('/login', deviceJar, PASSWORD),
  logout: (world, { jar }) => world.post('/logout', jar),
  guard: (world, { jar }) => world.get('/account', jar),
};

/** A browser that does one thing after the other. */
class Browser {
  jar: Jar = new Map();

  constructor(private readonly world: World) {}

  async post(path: string, body?: object): Promise<void> {
    const answer = await this.world.post(path, this.jar, body);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    this.jar = keepCookies(this.jar, answer);
  }

  async logIn(more?: object): Promise<void> {
    await this.post('/login', PASSWORD);
    await this.post('/login/pin', { pin: this.world.gateway.texts.at(-1)?.pin, ...more });
  }

  forgetAllBut(...names: readonly string[]): void {
    this.jar = new Map([...this.jar].filter(([name]) => names.includes(name)));
  }
}

const KNOWN_COOKIE = '__Host-sms-otp-browser';
const DEVICE_COOKIE = '__Host-sms-otp-device';

const PREPARATIONS: Readonly<Record<State, (browser: Browser, world: World) => Promise<void>>> = {
  pending: (browser) => browser.post('/login', PASSWORD),
  'pending-known': async (browser) => {
    await browser.logIn();
    browser.forgetAllBut(KNOWN_COOKIE);
    await browser.post('/login', PASSWORD);
  },
  'logged-in': (browser) => browser.logIn(),
  'stepping-up': async (browser) => {
    await browser.logIn();
    await browser.post('/step-up');
  },
  approving: async (browser) => {
    await browser.logIn();
    await browser.post('/pay');
  },
  enrolling: async (browser) => {
    await browser.logIn();
    await browser.post('/phones/enroll', { phone: NEW });
  },
  locked: async (browser, world) => {
    await browser.post('/login', PASSWORD);
    const key = USER_KEYS.lock(ALICE.id, 'sms');
    const lock = { every: 1, seconds: [1_800] };
    await world.now.store.counters.charge([{ key, windowSeconds: null, lock }]);
  },
  waiting: async (browser, world) => {
    world.now.preferredFactor = 'recovery-code';
    await browser.post('/login', PASSWORD);
  },
};

/** Which verbs stand for a request that needs a recovery code, and a trusted device. */
const NEEDS_CODES: readonly (Verb | State)[] = ['recover', 'waiting'];

async function prepare(world: World, { state, verbs }: Scenario): Promise<Situation> {
  await world.reset();
  const needsCodes = [state, ...verbs].some((name) => NEEDS_CODES.includes(name));
  const [recoveryCode = 'none'] = needsCodes ? await world.makeRecoveryCodes() : [];
  await world.now.book.addUnconfirmed(ALICE.id, HOME);
  world.now.book.confirm(ALICE.id, HOME);
  const browser = new Browser(world);
  const device = verbs.includes('device') ? await trustDevice(browser, world) : [];
  await PREPARATIONS[state](browser, world);
  await world.passGap();
  const { jar } = browser;
  const pin = world.gateway.texts.at(-1)?.pin ?? 'none';
  return { jar, deviceJar: new Map([...jar, ...device]), recoveryCode, pin };
}

async function trustDevice(
  browser: Browser,
  world: World,
): Promise<readonly (readonly [string, string])[]> {
  await browser.logIn({ trustDevice: 'on' });
  const device = browser.jar.get(DEVICE_COOKIE);
  if (device === undefined) throw new Error('the device is not trusted');
  browser.forgetAllBut();
  // Of two browsers that were seen at the same time none is the older one.
  world.clock.advanceSeconds(1);
  return [[DEVICE_COOKIE, device]];
}

/** Gives each request a name: the verb, and a number for the second and third of a kind. */
export function nameRequests(verbs: readonly Verb[]): readonly (readonly [string, Verb])[] {
  return verbs.map((verb, index) => {
    const earlier = verbs.slice(0, index).filter((other) => other === verb).length;
    return [earlier === 0 ? verb : `${verb}${earlier + 1}`, verb] as const;
  });
}

/**
 * Makes a scenario something to explore.
 * @param requests Those that run, where it is not all of them.
 */
export function toSubject(
  world: World,
  scenario: Scenario,
  requests = nameRequests(scenario.verbs),
): Subject<Outcome> {
  let situation: Situation;
  let bringBack: (() => Promise<void>) | undefined;
  const answers = new Map<string, Answer>();
  const start = (name: string, verb: Verb): Promise<void> =>
    world.points
      .run(name, () => ACTIONS[verb](world, situation))
      .then((answer) => void answers.set(name, answer));
  return {
    prepare: async () => {
      answers.clear();
      if (bringBack === undefined) {
        situation = await prepare(world, scenario);
        bringBack = world.keep();
      } else await bringBack();
      world.gateway.startCounting();
      world.gateway.acceptsTwice = scenario.acceptsTwice === true;
    },
    start: () => new Map(requests.map(([name, verb]) => [name, start(name, verb)])),
    observe: (run) => observe(world, situation.jar.get(SESSION_COOKIE) ?? 'none', answers, run),
  };
}
