import type { OtpGateway, OtpText, PinVerdict, SmsOtpStore, TypedPin } from 'passport-sms-otp';
import { smsGateway } from 'passport-sms-otp/sms-gateway';
import { PendingOwners, type Text, toPointStore, type WatchedGateway } from './calls';
import type { Points } from './points';

/** How `smsGateway` names its records. */
const KIND = 'texted-code';

/**
 * `smsGateway` with the calls that it makes as scheduling points: those of its store, and the one
 * that sends a text. Its ids are random; a login gets others, which are the same in every run.
 */
export class PointSmsGateway implements OtpGateway, WatchedGateway {
  texts: Text[] = [];
  judged = new Map<string, number>();
  right = new Set<Text>();
  acceptsTwice = false;
  /** The ids that a login has, with those of `smsGateway`. */
  private ids = new Map<string, string>();
  /** The id of the text that each request asks for. */
  private readonly asked = new Map<string, string>();
  private readonly inner: OtpGateway;

  constructor(
    private readonly points: Points,
    getStore: () => SmsOtpStore,
    now: () => number,
  ) {
    this.inner = smsGateway({
      sendSms: (mobile, text) => this.send(mobile, text),
      store: this.naming(toPointStore(points, new PendingOwners(), () => this.watch(getStore()))),
      secret: 'a secret of the tests, long enough to be one',
      now,
    });
  }

  reset(): void {
    this.texts = [];
    this.ids = new Map();
    this.acceptsTwice = false;
  }

  keep(): () => void {
    const [texts, ids] = [[...this.texts], [...this.ids]];
    return () => {
      this.texts = [...texts];
      this.ids = new Map(ids);
    };
  }

  startCounting(): void {
    this.judged = new Map();
    this.right = new Set();
  }

  async generate(text: OtpText): ReturnType<OtpGateway['generate']> {
    const id = this.points.nextId('otp');
    this.asked.set(this.points.request, id);
    return { ...(await this.inner.generate(text)), id };
  }

  validate({ id, to, pin }: TypedPin): Promise<PinVerdict> {
    return this.inner.validate({ id: this.ids.get(id) ?? '', to, pin });
  }

  private send(mobile: string, text: string): Promise<unknown> {
    const by = this.points.request;
    const otpId = this.asked.get(by) ?? '';
    const [pin = ''] = /[0-9]{6}/.exec(text) ?? [];
    return this.points.call({
      name: 'gateway.sms',
      touches: [],
      work: () => this.texts.push({ otpId, mobile, pin, by }),
      toError: () => new Error('the provider does not answer'),
    });
  }

  /** Learns the id of a code while the request that makes it is known. */
  private naming(store: SmsOtpStore): SmsOtpStore {
    const { records } = store;
    const put: typeof records.put = (given) => {
      if (given.kind === KIND) this.ids.set(this.asked.get(this.points.request) ?? '', given.owner);
      return records.put(given);
    };
    const get = (target: object, name: string): unknown =>
      name === 'put' ? put : Reflect.get(target, name);
    // It has every call of the records.
    return { ...store, records: new Proxy(records, { get }) as typeof records };
  }

  /** Watches what becomes of the codes in the store. */
  private watch({ records, ...store }: SmsOtpStore): SmsOtpStore {
    const idOf = (owner: string): string =>
      Array.from(this.ids).find(([, inner]) => inner === owner)?.[0] ?? '';
    return {
      ...store,
      records: {
        put: (put) => records.put(put),
        find: (record) => records.find(record),
        swap: async (record, seenTag, next, ttlSeconds) => {
          const isSwapped = await records.swap(record, seenTag, next, ttlSeconds);
          const id = idOf(record.owner);
          if (record.kind === KIND && isSwapped)
            this.judged.set(id, (this.judged.get(id) ?? 0) + 1);
          return isSwapped;
        },
        list: (of) => records.list(of),
        remove: async (record, seenTag) => {
          const isRemoved = await records.remove(record, seenTag);
          const text = this.texts.find(({ otpId }) => otpId === idOf(record.owner));
          if (record.kind === KIND && isRemoved && text !== undefined) this.right.add(text);
          return isRemoved;
        },
        removeAll: (of, except) => records.removeAll(of, except),
      },
    };
  }
}
