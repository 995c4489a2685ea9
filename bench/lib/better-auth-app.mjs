import { createRequire } from 'node:module';
import { toNodeHandler } from 'better-auth/node';
import { createBetterAuth } from './better-auth.mjs';

const express = createRequire(import.meta.url)('express');

/**
 * better-auth's own way; the code is handed over instead of texted, so that no gateway is asked.
 * @param tell hears of each code, by the user's address.
 */
export async function createBetterAuthApp({ users, tell }) {
  const auth = createBetterAuth({
    baseUrl: 'http://127.0.0.1',
    sendOtp: async (user, otp) => void tell(user.email, otp),
  });
  for (let id = 0; id < users; id += 1) {
    const body = { email: `${id}@example.com`, password: 'password-1', name: String(id) };
    const signedUp = await auth.api.signUpEmail({ body, asResponse: true });
    const cookie = signedUp.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    await auth.api.enableTwoFactor({
      body: { password: 'password-1' },
      headers: new Headers({ cookie }),
    });
  }
  const app = express();
  app.all('/api/auth/{*any}', toNodeHandler(auth));
  app.get('/account', async (req, res) => {
    const found = await auth.api.getSession({
      headers: new Headers({ cookie: req.headers.cookie ?? '' }),
    });
    if (found === null) return res.status(403).end();
    res.end(found.user.id);
  });
  return app;
}
