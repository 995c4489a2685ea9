import { ALICE, type TestUser } from '../support/test-users';
import {
  type Answer,
  DEVICE_COOKIE,
  HOME,
  type Jar,
  keepCookies,
  KNOWN_COOKIE,
  NEW,
  type PasskeyResponse,
  WORK,
  type World,
} from './app';
import { WRONG_PIN } from './calls';
import { type Place, type Scenario, type State, userOf, type Verb } from './scenarios';

/** What the requests of one browser know. */
export interface Person {
  readonly user: TestUser;
  readonly jar: Jar;
  /** The cookies with that of a trusted device, where a verb needs it. */
  readonly deviceJar: Jar;
  readonly recoveryCode: string;
  /** The code that is on the phone. */
  readonly pin: string;
  /** The one that came before it. */
  readonly earlierPin: string;
  /** Of the number that is texted. */
  readonly phoneId: string;
  /** The challenge of a passkey that was asked for. */
  readonly challenge?: unknown;
}

/** What the requests of an order know. */
export type Situation = Readonly<Record<Place, Person>>;

type Action = (world: World, person: Person) => Promise<Answer>;

const post = (path: string, toBody: (person: Person) => object = () => ({})): Action => {
  return (world, person) => world.post(path, person.jar, toBody(person));
};

const toPassword = ({ user }: Pick<Person, 'user'>): object => {
  return { username: user.id, password: 'right' };
};

/** A client with the password, and with headers that are not the user's. */
const logInElsewhere: Action = (world, { user }) =>
  world.post('/login', new Map(), toPassword({ user }), 'another client');

const useDevice: Action = (world, person) =>
  world.post('/login', person.deviceJar, toPassword(person));

/** What is sent for each verb. */
export const ACTIONS: Readonly<Record<Verb, Action>> = {
  send: post('/login', toPassword),
  right: post('/login/pin', ({ pin }) => ({ pin })),
  'right-trust': post('/login/pin', ({ pin }) => ({ pin, trustDevice: 'on' })),
  earlier: post('/login/pin', ({ earlierPin }) => ({ pin: earlierPin })),
  wrong: post('/login/pin', () => ({ pin: WRONG_PIN })),
  resend: post('/login/resend'),
  cancel: post('/login/cancel'),
  'step-up': post('/step-up'),
  transaction: post('/pay'),
  enroll: post('/phones/enroll', () => ({ phone: NEW })),
  confirm: post('/phones/confirm', ({ pin }) => ({ pin })),
  recover: post('/recover', ({ recoveryCode }) => ({ recoveryCode })),
  options: post('/passkey/options'),
  answer: post('/passkey', ({ user, challenge }) => {
    const response: PasskeyResponse = { challenge, userId: user.id };
    return { response };
  }),
  device: useDevice,
  stolen: useDevice,
  stranger: logInElsewhere,
  remove: post('/phones/remove', ({ phoneId }) => ({ phoneId })),
  'new-codes': post('/codes'),
  'revoke-all': post('/revoke-all'),
  forget: post('/forget'),
  enable: post('/enable'),
  logout: post('/logout'),
  guard: (world, { jar }) => world.get('/account', jar),
};

/** A browser that does one thing after the other. */
class Browser {
  jar: Jar = new Map();

  constructor(
    private readonly world: World,
    readonly user: TestUser,
  ) {}

  async post(path: string, body?: object): Promise<void> {
    const answer = await this.world.post(path, this.jar, body);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    this.jar = keepCookies(this.jar, answer);
  }

  async enterPassword(): Promise<void> {
    await this.post('/login', toPassword(this));
  }

  async logIn(more?: object): Promise<void> {
    await this.enterPassword();
    await this.post('/login/pin', { pin: this.newestPin, ...more });
  }

  get newestPin(): string {
    return this.world.gateway.texts.at(-1)?.pin ?? 'none';
  }

  get earlierPin(): string {
    return this.world.gateway.texts.at(-2)?.pin ?? 'none';
  }

  /** Returns the cookies of these names. */
  keep(...names: readonly string[]): Jar {
    return new Map([...this.jar].filter(([name]) => names.includes(name)));
  }

  forgetAllBut(...names: readonly string[]): void {
    this.jar = this.keep(...names);
  }
}

const PREPARATIONS: Readonly<Record<State, (browser: Browser, world: World) => Promise<void>>> = {
  new: () => Promise.resolve(),
  pending: (browser) => browser.enterPassword(),
  resent: async (browser, world) => {
    await browser.enterPassword();
    await world.passGap();
    await browser.post('/login/resend');
  },
  'pending-known': async (browser) => {
    await browser.logIn();
    browser.forgetAllBut(KNOWN_COOKIE);
    await browser.enterPassword();
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
  replacing: async (browser) => {
    await browser.logIn();
    await browser.post('/phones/replace', { phone: NEW });
  },
  locked: async (browser, world) => {
    await browser.enterPassword();
    const key = `locks:${ALICE.id}:sms`;
    const lock = { every: 1, seconds: [1_800] };
    await world.now.store.counters.charge([{ key, windowSeconds: null, lock }]);
  },
  joined: async (browser, world) => {
    await browser.enterPassword();
    const sent = world.gateway.texts.length;
    browser.forgetAllBut();
    await browser.enterPassword();
    if (world.gateway.texts.length > sent) throw new Error('the login was not joined');
  },
  waiting: async (browser, world) => {
    world.now.preferredFactor = 'recovery-code';
    await browser.enterPassword();
  },
};

/** What stands for a request that needs a recovery code. */
const NEEDS_CODES: readonly (Verb | State)[] = ['recover', 'waiting'];

/** Brings about what was before, without what has led there in the earlier order. */
export async function prepare(world: World, scenario: Scenario): Promise<Situation> {
  await world.reset();
  const { beside } = scenario;
  world.now.hasPasskey = beside?.verbs.includes('answer') === true;
  const codes = [await addUser(world, scenario, 'here')];
  if (beside?.who === 'user') codes.push(await addUser(world, scenario, 'there'));
  // New codes make browsers unknown that are known in the same second.
  world.clock.advanceSeconds(1);
  const thereUser = userOf(scenario, 'there');
  const device = await trustDevice(world, scenario, thereUser);
  const here = await prepareBrowser(world, new Browser(world, ALICE), scenario);
  const there =
    beside?.who === 'browser'
      ? await prepareBrowser(world, new Browser(world, ALICE), beside)
      : { ...here, user: thereUser };
  await world.passGap();
  if (scenario.verbs.includes('stolen')) {
    // A text would hold up that of the other browser.
    Object.assign(world.now, { hasPasskey: true, factorOfDevices: 'passkey' });
  }
  return {
    here: { ...here, recoveryCode: codes[0] ?? 'none', deviceJar: withDevice(here, device.here) },
    there: {
      ...there,
      recoveryCode: codes.at(-1) ?? 'none',
      deviceJar: withDevice(there, device.there),
    },
  };
}

/**
 * Gives a user numbers, the one that is texted first, and recovery codes where they are needed.
 * Returns one of the codes.
 */
async function addUser(
  { now: { book }, makeRecoveryCodes }: World,
  scenario: Scenario,
  place: Place,
): Promise<string | undefined> {
  const { state, verbs, beside } = scenario;
  const user = userOf(scenario, place);
  const asked = [state, ...verbs, ...(beside?.verbs ?? [])];
  const needsCodes = asked.some((name) => NEEDS_CODES.includes(name));
  const [code] = needsCodes ? await makeRecoveryCodes(user) : [];
  const numbers = [user.phone ?? HOME, ...(verbs.includes('remove') ? [WORK] : [])];
  for (const mobile of numbers) {
    await book.addUnconfirmed(user.id, mobile);
    book.confirm(user.id, mobile);
  }
  return code;
}

async function prepareBrowser(
  world: World,
  browser: Browser,
  { state }: Pick<Scenario, 'state'>,
): Promise<Pick<Person, 'user' | 'jar' | 'pin' | 'earlierPin' | 'phoneId'>> {
  await PREPARATIONS[state](browser, world);
  const { user, jar, newestPin: pin, earlierPin } = browser;
  return { user, jar, pin, earlierPin, phoneId: await world.findPhoneId(user) };
}

/** The cookies of a trusted device, where the requests of a place need them. */
type Devices = Readonly<Record<Place, Jar>>;

/**
 * Has the device trusted that a verb stands for. Whoever stole a device has the cookie that it had
 * before it was used once more.
 */
async function trustDevice(
  world: World,
  { verbs, beside }: Scenario,
  thereUser: TestUser,
): Promise<Devices> {
  const none: Jar = new Map();
  const isStolen = verbs.includes('stolen');
  const isThere = beside?.verbs.includes('device') === true;
  if (!isStolen && !isThere && !verbs.includes('device')) return { here: none, there: none };
  const here = await logInTrusted(world, ALICE);
  const stolen = here.keep(DEVICE_COOKIE);
  if (isStolen) await here.enterPassword();
  const current = here.keep(DEVICE_COOKIE);
  const there =
    isThere && thereUser !== ALICE
      ? (await logInTrusted(world, thereUser)).keep(DEVICE_COOKIE)
      : current;
  return { here: isStolen ? stolen : current, there };
}

async function logInTrusted(world: World, user: TestUser): Promise<Browser> {
  const browser = new Browser(world, user);
  await browser.logIn({ trustDevice: 'on' });
  if (!browser.jar.has(DEVICE_COOKIE)) throw new Error('the device is not trusted');
  browser.forgetAllBut(DEVICE_COOKIE);
  // Of two browsers that were seen at the same time none is the older one.
  world.clock.advanceSeconds(1);
  return browser;
}

function withDevice({ jar }: Pick<Person, 'jar'>, device: Jar): Jar {
  return new Map([...jar, ...device]);
}
