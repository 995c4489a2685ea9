import type { OtpGateway, OtpText, PinVerdict, TypedPin } from 'passport-sms-otp';

/** A code as it was texted. */
export interface FakeText extends OtpText {
  readonly id: string;
  readonly pin: string;
}

/** A gateway of an app, in memory, whose answers a test can replace. */
export class FakeGateway implements OtpGateway {
  readonly texts: FakeText[] = [];
  readonly typed: TypedPin[] = [];
  /** In place of a new id for each text. */
  nextId: string | undefined;
  /** In place of its own answers; what they throw is thrown. The text goes out all the same. */
  answerGenerate: ((id: string) => unknown) | undefined;
  answerValidate: ((verdict: PinVerdict) => unknown) | undefined;
  readonly #used = new Set<string>();

  generate(text: OtpText): ReturnType<OtpGateway['generate']> {
    const id = this.nextId ?? `fake-${this.texts.length + 1}`;
    this.texts.push({ ...text, id, pin: String(100_000 + this.texts.length) });
    const { answerGenerate: answer } = this;
    return answerAs(() => (answer ? answer(id) : { id }));
  }

  validate(typed: TypedPin): Promise<PinVerdict> {
    this.typed.push(typed);
    const verdict = this.#judge(typed);
    const { answerValidate: answer } = this;
    return answerAs(() => (answer ? answer(verdict) : verdict));
  }

  /** The newest code of a number. */
  lastPin(to: string | null): string {
    return this.texts.findLast((text) => text.to === to)?.pin ?? 'none';
  }

  #judge({ id, to, pin }: TypedPin): PinVerdict {
    if (this.#used.has(id)) return 'over';
    const text = this.texts.findLast((one) => one.id === id && one.to === to);
    if (text?.pin !== pin) return 'wrong';
    this.#used.add(id);
    return 'right';
  }
}

/** What a test answers may be of any type, as that of an app without types. */
function answerAs<Answer>(answer: () => unknown): Promise<Answer> {
  return new Promise((resolve) => resolve(answer() as Answer));
}
