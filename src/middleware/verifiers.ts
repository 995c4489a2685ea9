import type { Factor } from '../account/factor';
import type { RecoveryCodes } from '../account/recovery-codes';
import { createFactorJudge, createPinJudge, createRecoveryCodeJudge } from '../login/code-verifiers';
import type { LoginContext } from '../login/context';
import { createVerifyOtp } from '../login/verify-otp';
import type { Verifier } from './context';

interface VerifierSettings {
  readonly fields: { readonly code: string; readonly recoveryCode: string };
  readonly factors: readonly Factor[];
}

/** Every factor whose codes a request may hold, by name. */
export function createVerifiers(
  login: LoginContext,
  { fields, factors }: VerifierSettings,
  recoveryCodes: RecoveryCodes | undefined,
): ReadonlyMap<string, Verifier> {
  const sms: Verifier = {
    field: fields.code,
    amr: 'sms',
    purposes: ['login', 'step-up', 'transaction'],
    verify: createVerifyOtp(login, createPinJudge(login)),
  };
  const others = factors.map((factor): [string, Verifier] => [
    factor.name,
    toVerifier(login, factor, fields.code),
  ]);
  const recovery = recoveryCodes && toRecoveryVerifier(login, recoveryCodes, fields.recoveryCode);
  return new Map([['sms', sms], ...(recovery ? ([['recovery-code', recovery]] as const) : []), ...others]);
}

/** Whether a factor is one of the app's: ours have middlewares of their own. */
export function isOfApp(factor: string): boolean {
  return factor !== 'sms' && factor !== 'recovery-code';
}

function toRecoveryVerifier(login: LoginContext, codes: RecoveryCodes, field: string): Verifier {
  return {
    field,
    amr: 'recovery-code',
    purposes: ['login', 'step-up'],
    verify: createVerifyOtp(login, createRecoveryCodeJudge(login, codes)),
  };
}

/** A transaction's text shows what is approved, and an enrollment proves the number: only the texted code is good for those. */
function toVerifier(login: LoginContext, factor: Factor, codeField: string): Verifier {
  return {
    field: factor.field ?? codeField,
    amr: factor.amr ?? factor.name,
    purposes: ['login', 'step-up'],
    verify: createVerifyOtp(login, createFactorJudge(factor)),
  };
}
