import { randomBytes } from 'node:crypto';
import type { Core } from '../../core/context';
import type { SecondFactor, Feature } from '../../core/feature';
import { createUserFactors } from '../../core/user-factors';
import type { MiddlewareContext } from '../../middleware/context';
import { RECOVERY_CODES_ID } from '../../stores/check-values';
import { createRecoveryCodes, readRecoveryCode, type RecoveryCodes } from './recovery-codes';
import { createRecoveryCodesPart, type RecoveryCodesPart } from './recovery-codes-part';

/** Added by the option `recoveryCodes`. */
export interface RecoveryPart {
  /** Generates and counts the codes for users who have lost their phone. */
  readonly recoveryCodes: RecoveryCodesPart;
}

/**
 * Creates the feature that lets in users who have lost their phone.
 * @param field The form field that holds the code.
 */
export function createRecoveryFeature(
  core: Core,
  { count }: { readonly count: number },
  field: string,
): Feature<MiddlewareContext> {
  const { store, now } = core;
  const digests = core.createDigests('factors');
  const codes = createRecoveryCodes({
    count,
    sets: store.recoveryCodes,
    digests,
    randomBytes,
    now,
  });
  const { hasNoFactor } = createUserFactors(core);

  return {
    ...createForgottenCodes(core),
    factors: [createRecoveryCodeFactor(core, codes, field)],
    async offers(_user, userId) {
      return ((await codes.count(userId)) ?? 0) > 0 ? ['recovery-code'] : [];
    },
    // Spent codes count as well, until an operator enables codes.
    has: async (_user, userId) => (await codes.count(userId)) !== null,
    members: (edge): RecoveryPart => ({
      recoveryCodes: createRecoveryCodesPart(core, edge, codes, hasNoFactor),
    }),
  };
}

/**
 * Creates the feature for an app without the option. It removes and exports codes from a time when
 * there were recovery codes.
 */
export function createForgottenCodes({ store: { recoveryCodes } }: Core): Feature {
  return {
    name: 'recovery-codes',
    forget: (userId) => recoveryCodes.remove(userId, RECOVERY_CODES_ID),
    async exportUser(userId) {
      const set = await recoveryCodes.find(userId, RECOVERY_CODES_ID);
      return { recoveryCodes: set?.hashes.length ?? 0 };
    },
  };
}

/**
 * Creates the factor for recovery codes. The step that ends the pending login also uses the code
 * up, so a code lets in once, and a login that ends meanwhile uses none. A used code stays used
 * even if the session cannot be saved.
 */
function createRecoveryCodeFactor(
  { emit }: Pick<Core, 'emit'>,
  codes: RecoveryCodes,
  field: string,
): SecondFactor {
  return {
    method: 'recovery-code',
    field,
    amr: 'recovery-code',
    counting: 'recovery',
    purposes: ['login', 'step-up'],
    read: readRecoveryCode,
    check: async ({ pending: { userId }, code, address }) => {
      const used = await codes.prepareUse(userId, code);
      if (used === null) return { kind: 'wrong' };

      const { put, left } = used;
      const written = (): void => emit({ type: 'recovery-code-used', userId, address, left });
      return { kind: 'right', puts: [{ put, written, done: doNothing, undo: staysUsed }] };
    },
  };
}

function doNothing(): void {
  // The event was emitted when the record was written: an alarm does not wait for the session.
}

function staysUsed(): Promise<void> {
  return Promise.resolve();
}
