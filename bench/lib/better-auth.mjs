import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { twoFactor } from 'better-auth/plugins';

/** better-auth with its two-factor plugin, in memory, the password's hash taken out. */
export function createBetterAuth({ baseUrl, sendOtp }) {
  const tables = {
    user: [],
    session: [],
    account: [],
    verification: [],
    twoFactor: [],
    rateLimit: [],
  };
  return betterAuth({
    baseURL: baseUrl,
    secret: 's'.repeat(40),
    database: memoryAdapter(tables),
    logger: { disabled: true },
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      password: {
        hash: async (password) => password,
        verify: async ({ hash, password }) => hash === password,
      },
    },
    plugins: [
      twoFactor({
        skipVerificationOnEnable: true,
        otpOptions: { sendOTP: ({ user, otp }) => sendOtp(user, otp) },
      }),
    ],
  });
}
