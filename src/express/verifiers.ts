import type { Factor } from '../factors/factor';
import { createFactorJudge } from '../login/judge-factor';
import { createPinJudge } from '../login/judge-pin';
import type { LoginParts } from '../login/login-parts';
import { createVerifyOtp } from '../login/verify-otp';
import type { Verifier } from './edge-parts';

interface VerifierSettings {
  readonly pinField: string;
  readonly factors: readonly Factor[];
}

/** Every factor whose codes a request may hold, by name. */
export function createVerifiers(
  login: LoginParts,
  { pinField, factors }: VerifierSettings,
): ReadonlyMap<string, Verifier> {
  const sms: Verifier = {
    field: pinField,
    amr: 'sms',
    purposes: ['login', 'step-up', 'transaction'],
    verify: createVerifyOtp(login, createPinJudge(login)),
  };
  const others = factors.map((factor): [string, Verifier] => [
    factor.name,
    toVerifier(login, factor, pinField),
  ]);
  return new Map([['sms', sms], ...others]);
}

/** A transaction's text shows what is approved, and an enrolment proves the number: only the texted code is good for those. */
function toVerifier(login: LoginParts, factor: Factor, pinField: string): Verifier {
  return {
    field: factor.field ?? pinField,
    amr: factor.amr ?? factor.name,
    purposes: ['login', 'step-up'],
    verify: createVerifyOtp(login, createFactorJudge(factor)),
  };
}
