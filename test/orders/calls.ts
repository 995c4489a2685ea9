import { AsyncResource } from 'node:async_hooks';
import session, { type SessionData } from 'express-session';
import type { Counter, FinishOptions, PhoneBook, RecordsOf, SmsOtpStore } from 'passport-sms-otp';
import { GatewayClient, GatewayUnreachableError } from 'passport-sms-otp/client';
import type { MemoryPhoneBook } from '../support/memory-phone-book';
import { type Call, type Points, reads, type Touch, writes } from './points';

/** A session store in memory. Each call is one step, as it is for Redis and PostgreSQL. */
export class PointSessions extends session.Store {
  private sessions = new Map<string, string>();

  constructor(private readonly points: Points) {
    super();
  }

  reset(): void {
    this.sessions = new Map();
  }

  /** Returns a function that brings back what is stored now. */
  keep(): () => void {
    const kept = [...this.sessions];
    return () => void (this.sessions = new Map(kept));
  }

  /** Returns what is stored, without a scheduling point. */
  peek(id: string): SessionData | null {
    const text = this.sessions.get(id);
    // It was written by `set`.
    return text === undefined ? null : (JSON.parse(text) as SessionData);
  }

  override get(id: string, callback: (error: unknown, data?: SessionData | null) => void): void {
    this.call('get', [reads(`session:${id}`)], callback, () => this.peek(id));
  }

  override set(id: string, data: SessionData, callback?: (error?: unknown) => void): void {
    const text = JSON.stringify(data);
    this.call('set', [writes(`session:${id}`)], callback, () => void this.sessions.set(id, text));
  }

  override destroy(id: string, callback?: (error?: unknown) => void): void {
    this.call('destroy', [writes(`session:${id}`)], callback, () => void this.sessions.delete(id));
  }

  /** Changes the end of a session's life alone, and only of one that is there. */
  override touch(_id: string, _data: SessionData, callback?: () => void): void {
    this.call('touch', [], callback && (() => callback()), () => undefined);
  }

  private call<Result>(
    name: string,
    touches: readonly Touch[],
    callback: ((error: unknown, result?: Result) => void) | undefined,
    work: () => Result,
  ): void {
    const toError = (): Error => new Error('the session store does not answer');
    // express-session goes on in the context of the request that has called.
    const done = AsyncResource.bind((error: unknown, result?: Result) => callback?.(error, result));
    this.points.call({ name: `session.${name}`, touches, work, toError }).then(
      (result) => done(null, result),
      (error: unknown) => done(error),
    );
  }
}

/** A text message with a code. */
export interface Text {
  readonly otpId: string;
  readonly mobile: string;
  readonly pin: string;
  /** The request that has sent it. */
  readonly by: string;
}

/** No code is this one. */
export const WRONG_PIN = '0000';

/** What is seen of a gateway, and how it begins anew. */
export interface WatchedGateway {
  readonly texts: readonly Text[];
  /** How often a code was judged since `startCounting`, by OTP id. */
  readonly judged: ReadonlyMap<string, number>;
  /** The texts whose code was right since then. */
  readonly right: ReadonlySet<Text>;
  /** Accepts a right code as often as it comes. */
  acceptsTwice: boolean;
  reset(): void;
  /** Returns a function that brings back what it knows now. */
  keep(): () => void;
  startCounting(): void;
}

/**
 * Stands in for the gateway at the calls of the client, not on its wire: queue, token and
 * connection are the client's own matter, their orders are those of one process, and no socket may
 * decide when a call arrives.
 */
export class PointGateway extends GatewayClient implements WatchedGateway {
  texts: Text[] = [];
  judged = new Map<string, number>();
  right = new Set<Text>();
  acceptsTwice = false;
  private used = new Set<string>();

  constructor(private readonly points: Points) {
    super({
      baseUrl: 'https://gateway.invalid',
      variant: 'A',
      username: 'tests',
      password: 'a password',
    });
  }

  reset(): void {
    this.texts = [];
    this.used = new Set();
    this.acceptsTwice = false;
  }

  keep(): () => void {
    const [texts, used] = [[...this.texts], [...this.used]];
    return () => {
      this.texts = [...texts];
      this.used = new Set(used);
    };
  }

  startCounting(): void {
    this.judged = new Map();
    this.right = new Set();
  }

  override readonly otp: GatewayClient['otp'] = {
    generate: ({ mobile }) => {
      const otpId = this.points.nextId('otp');
      const by = this.points.request;
      return this.call('generate', [], () => {
        this.texts.push({ otpId, mobile, pin: String(1000 + this.texts.length), by });
        const rest = { sender: null, validitySeconds: null, message: null, referenceCode: null };
        return { variant: 'A', id: otpId, mobile, ...rest };
      });
    },
    check: ({ id, pin }) =>
      this.call('validate', [writes(`gateway:${id}`)], () => {
        this.judged.set(id, (this.judged.get(id) ?? 0) + 1);
        if (this.used.has(id) && !this.acceptsTwice) return 'over';
        const text = this.texts.find(({ otpId }) => otpId === id);
        if (text?.pin !== pin) return 'wrong';
        this.used.add(id);
        this.right.add(text);
        return 'right';
      }),
    validate: () => Promise.reject(new Error('nobody asks for it')),
    balance: () => Promise.reject(new Error('nobody asks for it')),
    pricing: () => Promise.reject(new Error('nobody asks for it')),
  };

  override admit(): ReturnType<GatewayClient['admit']> {
    return this.call('admit', [], () => ({ release: () => undefined }));
  }

  private call<Result>(
    name: 'generate' | 'validate' | 'admit',
    touches: readonly Touch[],
    work: () => Result,
  ): Promise<Result> {
    const toError: Call<Result>['toError'] = (mishap) =>
      new GatewayUnreachableError(name === 'admit' ? 'auth' : name, mishap === 'lost');
    return this.points.call({ name: `gateway.${name}`, touches, work, toError });
  }
}

type Arguments = readonly unknown[];
type FindTouches = (...given: Arguments) => readonly Touch[];

/** Ids that differ from run to run look alike: a few calls too many depend on each other. */
const withoutIds = (key: unknown): string => String(key).replace(/[\w-]{22,}/g, '*');
const counter = (key: unknown): string => `counter:${withoutIds(key)}`;

const records = ({ kind, owner }: RecordsOf): string => `records:${kind}:${withoutIds(owner)}`;
const readsRecords: FindTouches = (of) => [reads(records(of as RecordsOf))];
const writesRecords: FindTouches = (of) => [writes(records(of as RecordsOf))];

/** Whose the pending logins are that have begun. */
export class PendingOwners {
  private owners = new Map<string, string>();

  reset(): void {
    this.owners = new Map();
  }

  /** Returns a function that brings back the owners of now. */
  keep(): () => void {
    const kept = [...this.owners];
    return () => void (this.owners = new Map(kept));
  }

  /** Nobody knows the id of a pending login before the call that begins it. */
  add(pendingId: string, userId: string): void {
    this.owners.set(pendingId, userId);
  }

  list(): readonly string[] {
    return [...this.owners.keys()];
  }

  find(pendingId: string): string {
    return this.owners.get(pendingId) ?? 'nobody';
  }
}

interface Begun {
  readonly pendingId: string;
  readonly userId: string;
}

const pendingOf = (userId: string): string => `pending:${userId}`;

/**
 * What each call for pending logins reads and writes, from its arguments. Whether a text lives
 * depends on all pending logins of the user.
 */
function toPendingTouches(owners: PendingOwners): Readonly<Record<string, FindTouches>> {
  const of = (pendingId: unknown): string => pendingOf(owners.find(String(pendingId)));
  const writesPending: FindTouches = (pendingId) => [writes(of(pendingId))];
  return {
    'pendingLogins.begin': (begun) => {
      const { pendingId, userId } = begun as Begun;
      owners.add(pendingId, userId);
      return [writes(pendingOf(userId))];
    },
    'pendingLogins.attach': writesPending,
    'pendingLogins.claim': writesPending,
    'pendingLogins.find': (pendingId) => [reads(of(pendingId))],
    'pendingLogins.findNewest': (userId) => [reads(pendingOf(String(userId)))],
    'pendingLogins.end': writesPending,
    'pendingLogins.endAll': (userId) => [writes(pendingOf(String(userId)))],
    'store.finish': (pendingId, options) => [
      writes(of(pendingId)),
      ...toFinishTouches(options as FinishOptions),
    ],
  };
}

/** The same for the other calls of our store. */
const STORE_TOUCHES: Readonly<Record<string, FindTouches>> = {
  'counters.charge': (charged) => (charged as readonly ChargedCounter[]).flatMap(toChargeTouches),
  'counters.clear': (keys) => (keys as readonly string[]).map((key) => writes(counter(key))),
  'counters.unlock': (keys) => (keys as readonly string[]).map((key) => writes(counter(key))),
  'records.put': writesRecords,
  'records.find': readsRecords,
  'records.swap': writesRecords,
  'records.list': readsRecords,
  'records.remove': writesRecords,
  'records.removeAll': writesRecords,
};

function toFinishTouches({ clears, charges, puts, replaces }: FinishOptions): readonly Touch[] {
  const changed = [...puts, ...(replaces === undefined ? [] : [replaces])];
  return [
    ...clears.map((key) => writes(counter(key))),
    ...charges.flatMap((charged) => toChargeTouches(charged)),
    ...changed.map((of) => writes(records(of))),
  ];
}

type ChargedCounter = Pick<Counter, 'key' | 'isOnlyRead' | 'exemptBy'>;

function toChargeTouches({ key, isOnlyRead, exemptBy = [] }: ChargedCounter): readonly Touch[] {
  const own = isOnlyRead === true ? reads(counter(key)) : writes(counter(key));
  return [own, ...exemptBy.map((other) => reads(counter(other)))];
}

/** Makes a scheduling point of every call of the store of the moment. */
export function toPointStore(
  points: Points,
  owners: PendingOwners,
  getStore: () => SmsOtpStore,
): SmsOtpStore {
  const touches = { ...STORE_TOUCHES, ...toPendingTouches(owners) };
  const toPart = <Name extends keyof SmsOtpStore>(name: Name): SmsOtpStore[Name] =>
    toPointPart(points, name, () => getStore()[name], touches);
  const whole = toPointPart(points, 'store', getStore, touches);
  return {
    pendingLogins: toPart('pendingLogins'),
    counters: toPart('counters'),
    records: toPart('records'),
    tokens: toPart('tokens'),
    finish: (pendingId, options) => whole.finish(pendingId, options),
  };
}

const writesBook: FindTouches = (userId) => [writes(`book:${String(userId)}`)];

const BOOK_TOUCHES: Readonly<Record<string, FindTouches>> = {
  'book.list': (userId) => [reads(`book:${String(userId)}`)],
  'book.addUnconfirmed': writesBook,
  'book.confirm': writesBook,
  'book.replace': writesBook,
  'book.remove': writesBook,
};

export function toPointBook(points: Points, getBook: () => MemoryPhoneBook): PhoneBook {
  return toPointPart<PhoneBook>(points, 'book', getBook, BOOK_TOUCHES);
}

function toPointPart<Part extends object>(
  points: Points,
  part: string,
  getPart: () => Part,
  findTouches: Readonly<Record<string, FindTouches>>,
): Part {
  const get =
    (_target: object, member: string) =>
    (...given: Arguments): Promise<unknown> => {
      const name = `${part}.${member}`;
      const touches = findTouches[name]?.(...given);
      if (touches === undefined)
        throw new Error(`${name} is not among the calls that are explored`);
      const work = (): unknown => {
        // Only the names of the contract are ever asked for, and all of them are calls.
        const method = Reflect.get(getPart(), member) as (...values: Arguments) => unknown;
        return method(...given);
      };
      return points.call({
        name,
        touches,
        work,
        toError: () => new Error(`${part} does not answer`),
      });
    };
  const has = (): boolean => true;
  // Each member is looked up in the part of the moment.
  return new Proxy({}, { get, has }) as Part;
}
