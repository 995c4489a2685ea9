import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  GatewayBusyError,
  type GatewayEventListener,
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  type OtpCall,
  type OtpGateway,
  type OtpText,
  type Permit,
  type PinVerdict,
  type TextedOtp,
  type TypedPin,
} from 'passport-sms-otp';
import type { GatewayFailure, GatewayUnderTest, ReceivedText } from 'passport-sms-otp/testing';

/** A code as the provider keeps it. */
export interface KeptCode {
  readonly id: string;
  readonly to: string;
  readonly pin: string;
  readonly expiresAt: number;
  isUsed: boolean;
  attempts: number;
}

/** A provider in memory, which a wrong gateway may use in a wrong way. */
export class ReferenceProvider {
  readonly secret = 'the password of the provider';
  readonly texts = new Map<string, ReceivedText[]>();
  readonly codes = new Map<string, KeptCode>();
  readonly failures: { readonly call: OtpCall; readonly failure: GatewayFailure }[] = [];
  nowSeconds = 0;

  send({ to, message, validitySeconds }: OtpText): KeptCode {
    const pin = String(randomInt(1_000_000)).padStart(6, '0');
    const received = { pin, text: message.replace('[PIN]', pin) };
    this.texts.set(to, [...(this.texts.get(to) ?? []), received]);
    const expiresAt = this.nowSeconds + validitySeconds;
    const code = { id: randomUUID(), to, pin, expiresAt, isUsed: false, attempts: 0 };
    this.codes.set(code.id, code);
    return code;
  }

  judge({ id, to, pin }: TypedPin): PinVerdict {
    const code = this.codes.get(id);
    if (code === undefined || code.isUsed || code.expiresAt <= this.nowSeconds) return 'over';
    if (code.attempts >= 5) return 'over';
    code.attempts += 1;
    if (code.to !== to || code.pin !== pin) return 'wrong';
    code.isUsed = true;
    return 'right';
  }

  takeFailure(call: OtpCall): GatewayFailure | undefined {
    const index = this.failures.findIndex((one) => one.call === call);
    return index < 0 ? undefined : this.failures.splice(index, 1)[0]?.failure;
  }
}

/** Calls that may be made at the same time. */
const MOST_PERMITS = 50;

/** A right gateway with everything that one can have. Wrong ones inherit from it. */
export class ReferenceGateway implements Required<OtpGateway> {
  readonly writesMessages: boolean = true;
  readonly maxCodeDigits: number = 10;
  protected permits = 0;
  protected isClosed = false;
  readonly #listeners = new Set<GatewayEventListener>();

  constructor(
    readonly provider: ReferenceProvider,
    readonly deadlineMs: number,
  ) {}

  async generate(text: OtpText, _permit?: Permit): Promise<TextedOtp> {
    const code = await this.call('generate', () => this.provider.send(text));
    return { id: code.id, validitySeconds: text.validitySeconds, cost: '0.0450' };
  }

  validate(typed: TypedPin, _permit?: Permit): Promise<PinVerdict> {
    return this.call('validate', () => this.provider.judge(typed));
  }

  admit(_call: OtpCall): Promise<Permit> {
    if (this.permits >= MOST_PERMITS) throw new GatewayBusyError('all permits are out', 1);
    this.permits += 1;
    let isOut = true;
    const release = (): void => {
      if (isOut) this.permits -= 1;
      isOut = false;
    };
    return Promise.resolve({ release });
  }

  warmUp(): Promise<void> {
    return Promise.resolve();
  }

  subscribe(listener: GatewayEventListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  /** Makes a call of the provider, which may be about to fail. */
  protected async call<Result>(call: OtpCall, act: () => Result): Promise<Result> {
    if (this.isClosed) throw new GatewayBusyError('the gateway is closed', 1);
    const failure = this.provider.takeFailure(call);
    if (failure === 'refused')
      throw new GatewayRejectedError(call, { httpStatus: 400, mayHaveArrived: false });
    if (failure === 'lost-before') throw new GatewayUnreachableError(call, true);
    const result = act();
    this.tell(call);
    if (failure !== undefined) return this.fail(call, failure);
    return result;
  }

  protected async fail(call: OtpCall, failure: GatewayFailure): Promise<never> {
    if (failure === 'lost-after') throw new GatewayUnreachableError(call, true);
    if (failure === 'nonsense') throw new GatewayResponseError(call, 200, 'it is no JSON');
    if (failure === 'other-shape') throw new GatewayResponseError(call, 200, 'it has no id');
    await wait(this.deadlineMs);
    throw new GatewayTimeoutError(call, this.deadlineMs, true);
  }

  protected tell(call: OtpCall, more: object = {}): void {
    for (const listener of this.#listeners) {
      try {
        listener({ type: 'gateway-call', call, outcome: 'ok', durationMs: 1, ...more });
      } catch {
        // The listener is not the gateway's.
      }
    }
  }
}

/** Makes a gateway of a class that knows the provider. */
export type GatewayClass = new (provider: ReferenceProvider, deadlineMs: number) => OtpGateway;

/** Puts a gateway of this class on the stage of the contract. */
export function underTest(Gateway: GatewayClass): GatewayUnderTest {
  const provider = new ReferenceProvider();
  return {
    gateway: new Gateway(provider, 5_000),
    another: () => new Gateway(provider, 5_000),
    hasty: () => new Gateway(provider, 1),
    textsOf: (to) => provider.texts.get(to) ?? [],
    failNext: (call, failure) => void provider.failures.push({ call, failure }),
    passSeconds: (seconds) => void (provider.nowSeconds += seconds),
    secrets: [provider.secret],
    close: () => undefined,
  };
}
