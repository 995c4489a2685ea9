/** The two variants of the OTP interface. An option says which one a gateway has. OTP spec §1. */
export type Variant = 'A' | 'B';

const OTP = '/apis/otp/v3';
const SMS = '/apis/sms/mt/v2';
const HLR = '/apis/hlr/v2';

/**
 * The calls of both services and their paths. A path that ends in a slash is followed by an id or a
 * number. OTP spec §4, HLR spec §4.
 */
export const PATHS = {
  /** The path is the same for both services. */
  auth: '/apis/auth',
  generate: `${OTP}/generate`,
  /** The percent-encoded OTP id follows. */
  validate: `${OTP}/validate/`,
  balance: { A: `${SMS}/balance`, B: `${OTP}/balance` },
  pricing: { A: `${SMS}/pricing`, B: `${OTP}/pricing` },
  /** The digits of the number follow. */
  lookup: `${HLR}/`,
  'hlr-balance': `${HLR}/balance`,
  'hlr-pricing': `${HLR}/pricing`,
} as const;

/** The names of the gateway's calls in errors, events, deadlines and the simulator. */
export type CallName = keyof typeof PATHS;

/**
 * OTP spec §4, POST validate/{id}. The id must have passed `readOtpId`: "." and ".." would change
 * the path.
 */
export function validatePath(id: string): string {
  return PATHS.validate + encodeURIComponent(id);
}

/** HLR spec §4, GET {mobile}. Takes digits without a plus. */
export function lookupPath(digits: string): string {
  return PATHS.lookup + digits;
}
