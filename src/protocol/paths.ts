/** The two variants of the OTP interface. Which one a deployment speaks is configuration. OTP spec §1. */
export type Variant = 'A' | 'B';

const OTP = '/apis/otp/v3';
const SMS = '/apis/sms/mt/v2';
const HLR = '/apis/hlr/v2';

/** Authentication, the same for both services. OTP spec §4, HLR spec §4. */
export const AUTH_PATH = '/apis/auth';

/** OTP spec §4, POST generate. */
export const GENERATE_PATH = `${OTP}/generate`;

/** OTP spec §4, GET balance. */
export const BALANCE_PATH = { A: `${SMS}/balance`, B: `${OTP}/balance` } as const;

/** OTP spec §4, GET pricing. */
export const PRICING_PATH = { A: `${SMS}/pricing`, B: `${OTP}/pricing` } as const;

/** HLR spec §4, GET balance. */
export const HLR_BALANCE_PATH = `${HLR}/balance`;

/** HLR spec §4, GET pricing. */
export const HLR_PRICING_PATH = `${HLR}/pricing`;

/** Where the validate calls live; the percent-encoded OTP id follows. OTP spec §4. */
export const VALIDATE_PREFIX = `${OTP}/validate/`;

/** Where the lookups live; the digits of the number follow. HLR spec §4. */
export const LOOKUP_PREFIX = `${HLR}/`;

/** OTP spec §4, POST validate/{id}. The id must have passed `readOtpId`: "." and ".." would change the path. */
export function validatePath(id: string): string {
  return VALIDATE_PREFIX + encodeURIComponent(id);
}

/** HLR spec §4, GET {mobile}. Takes digits without a plus. */
export function lookupPath(digits: string): string {
  return LOOKUP_PREFIX + digits;
}
