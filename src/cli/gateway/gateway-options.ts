import type { CommandOptions } from '../command';

/** What every command that talks to the gateway takes. */
export const GATEWAY_OPTIONS = {
  ca: { value: '<file>', help: 'certificate authority to trust besides the public ones, as PEM' },
  timeout: { value: '<seconds>', help: 'give each call so long, 1 to 60' },
  'password-stdin': { help: 'read the password from standard input instead of SMS_OTP_PASSWORD' },
} satisfies CommandOptions;
