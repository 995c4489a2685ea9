import { generateKeyPairSync } from 'node:crypto';
import express, { type Express } from 'express';
import * as openid from 'openid-client';
import type { ChallengeFactor } from 'passport-sms-otp';
import { GatewayClient } from 'passport-sms-otp/client';
import { createApp } from '../../../docs/recipes/oidc-provider';
import { listen } from './listen';
import { RECIPE_SECRETS, RecipeUsers } from './recipe-users';

/** What the test hands over: where its simulator is. */
const { SIMULATOR = '', GATEWAY_PASSWORD = '' } = process.env;
const SECRET = 'the secret of the client, known to both';

/** Stands for a passkey: the recipe looks at its name alone. Some have one. */
const PASSKEY: ChallengeFactor = {
  name: 'passkey',
  amr: 'pop',
  isAvailable: ({ id }) => ['carol', 'frank'].includes(id),
  createOptions: ({ challenge }) => ({ challenge }),
  checkResponse: ({ challenge, response }) => Reflect.get(response, 'signed') === challenge,
};

/**
 * The provider of the recipe and a client of openid-client, on loopback. Both libraries are ES
 * modules.
 */
async function main(): Promise<void> {
  const clock = shiftClock();
  const provider = await listen();
  const client = await listen();
  const callbackUrl = `${client.url}/callback`;
  const gateway = new GatewayClient({
    baseUrl: SIMULATOR,
    variant: 'A',
    username: 'demo',
    password: GATEWAY_PASSWORD,
  });
  provider.serveAfresh(() =>
    createApp({
      users: new RecipeUsers(),
      gateway,
      ...RECIPE_SECRETS,
      issuer: provider.url,
      clients: [{ client_id: 'shop', client_secret: SECRET, redirect_uris: [callbackUrl] }],
      jwks: { keys: [createKey()] },
      cookieSecret: 'a key of the tests',
      passkey: PASSKEY,
    }),
  );
  client.serve(createClient(await discover(provider.url), callbackUrl, clock));
  console.log(JSON.stringify({ client: client.url, provider: provider.url }));
}

/** Everything in this process reads the time here, so that a test needs no waiting. */
function shiftClock(): { advanceSeconds(seconds: number): void } {
  const now = Date.now.bind(Date);
  let shiftMs = 0;
  Date.now = () => now() + shiftMs;
  return { advanceSeconds: (seconds) => void (shiftMs += seconds * 1000) };
}

function createKey(): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'test' };
}

function discover(issuer: string): Promise<openid.Configuration> {
  // Deprecated by its authors so that nobody uses it anywhere but on loopback.
  const allowHttp = Reflect.get(openid, 'allowInsecureRequests');
  return openid.discovery(new URL(issuer), 'shop', SECRET, undefined, { execute: [allowHttp] });
}

/**
 * Sends browsers to the provider with the parameters of its own query, and shows the claims of the
 * ID token.
 */
function createClient(
  config: openid.Configuration,
  callbackUrl: string,
  clock: ReturnType<typeof shiftClock>,
): Express {
  const verifiers = new Map<
    string,
    { readonly pkceCodeVerifier: string; readonly maxAge?: number }
  >();
  const app = express();
  app.get('/start', async (req, res) => {
    const asked = new URL(req.url, callbackUrl).searchParams;
    const maxAge = asked.get('max_age');
    const state = openid.randomState();
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    verifiers.set(state, { pkceCodeVerifier, ...(maxAge !== null && { maxAge: Number(maxAge) }) });
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: callbackUrl,
      scope: 'openid',
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...Object.fromEntries(asked),
    });
    res.redirect(url.href);
  });
  app.get('/callback', async (req, res) => {
    const current = new URL(req.url, callbackUrl);
    const state = current.searchParams.get('state') ?? '';
    try {
      const checks = { expectedState: state, ...verifiers.get(state) };
      const tokens = await openid.authorizationCodeGrant(config, current, checks);
      res.json(tokens.claims());
    } catch (error) {
      res.status(400).json({
        error: error instanceof Error ? (Reflect.get(error, 'error') ?? error.message) : null,
      });
    }
  });
  app.post('/advance/:seconds', (req, res) => {
    clock.advanceSeconds(Number(req.params.seconds));
    res.json({ now: Math.floor(Date.now() / 1000) });
  });
  return app;
}

void main();
