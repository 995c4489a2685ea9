import { promisify } from 'node:util';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import session from 'express-session';
import { interactionPolicy, Provider, type ClientMetadata, type Interaction } from 'oidc-provider';
import passport from 'passport';
import { createSmsOtp, type ChallengeFactor } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import { requireForClients, toClaims } from './oauth-step-up';
import type { RecipeParts } from './parts';

interface ProviderParts extends RecipeParts {
  readonly issuer: string;
  readonly clients: readonly ClientMetadata[];
  /** Private keys that sign the ID tokens. */
  readonly jwks: { readonly keys: readonly object[] };
  readonly cookieSecret: string;
  /** A factor with `name: 'passkey'`, such as that of passkeys.md. */
  readonly passkey: ChallengeFactor;
}

export function createApp({
  users,
  gateway,
  sessionSecret,
  otpSecret,
  passkey,
  ...oidc
}: ProviderParts): Express {
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    secret: otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    factors: [passkey],
    preferredFactor: () => 'passkey', // Users without one are texted, and so is who asks for it.
  });
  const provider: Provider = new Provider(oidc.issuer, {
    clients: oidc.clients,
    jwks: oidc.jwks,
    cookies: { keys: [oidc.cookieSecret] },
    acrValues: ['mfa', 'phr'],
    claims: { openid: ['sub', 'acr', 'amr', 'auth_time'] },
    features: { claimsParameter: { enabled: true }, devInteractions: { enabled: false } },
    interactions: { policy: createPolicy(isIn), url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: async (_context, id) =>
      (await users.findById(id)) && { accountId: id, claims: () => ({ sub: id }) },
    loadExistingGrant: async ({ oidc: { client, session: loggedIn } }) => {
      const { accountId } = loggedIn;
      const grantId = loggedIn.grantIdFor(client.clientId);
      const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
      const grant = known ?? new provider.Grant({ clientId: client.clientId, accountId });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
  });

  /** Whether a user's login here goes on: without it the provider's session is worth nothing. */
  async function isIn(req: Request, accountId: string): Promise<boolean> {
    await smsOtp.checkSecondFactor(req);
    return smsOtp.hasSecondFactor(req) && req.user?.id === accountId;
  }

  /** Whether the second factor that the user has passed before is what the client asks for. */
  function isEnough(req: Request, { params, prompt }: Interaction): boolean {
    if (prompt.reasons.includes('login_prompt')) return false; // prompt=login
    // Another account is asked for: this one would be sent back here without an end.
    if (prompt.reasons.some((reason) => OTHER_ACCOUNT.includes(reason))) return false;
    const maxAgeSeconds = params.max_age === undefined ? undefined : Number(params.max_age);
    const { values } = readAcr(params);
    const acr = toClaims(smsOtp.status(req))?.acr;
    return smsOtp.hasSecondFactor(req, { maxAgeSeconds }) && hasAcr(acr, values);
  }

  /** Sends the browser back to the client, with what the user has passed and no more. */
  const finish: RequestHandler = async (req, res) => {
    const { params } = await provider.interactionDetails(req, res);
    const claims = toClaims(smsOtp.status(req));
    const { values, isEssential } = readAcr(params);
    if (claims === null || req.user === undefined || (isEssential && !hasAcr(claims.acr, values))) {
      return void res.status(403).json({ error: 'second-factor-required', acr: values });
    }
    const { acr, amr, auth_time } = claims;
    await provider.interactionFinished(req, res, {
      login: { accountId: req.user.id, acr, amr, ts: auth_time },
    });
  };

  const app = express();
  const sessions: readonly RequestHandler[] = [
    session({
      secret: sessionSecret,
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax' }, // Browsers send it with no form of another site.
    }),
    passport.session() as RequestHandler, // Typed as any.
  ];
  const pages = express.Router();
  pages.use(express.json(), ...sessions);
  pages.get('/:uid', async (req, res, next) => {
    const interaction = await provider.interactionDetails(req, res);
    await smsOtp.checkSecondFactor(req);
    if (isEnough(req, interaction)) return void finish(req, res, next);
    // In place of a page: the form of the password, or of a step-up where the user is logged in.
    res.json({
      isLoggedIn: smsOtp.hasSecondFactor(req),
      acr: readAcr(interaction.params),
      ...smsOtp.status(req),
    });
  });
  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  pages.post(
    '/:uid/login',
    firstFactor,
    smsOtp.send(),
    (req, res) => void res.json(smsOtp.status(req)),
  );
  pages.post('/:uid/step-up', smsOtp.stepUp(), (req, res) => void res.json(smsOtp.status(req)));
  pages.post('/:uid/resend', smsOtp.resend(), (req, res) => void res.json(smsOtp.status(req)));
  pages.post('/:uid/pin', smsOtp.verify(), finish);
  pages.post('/:uid/passkey/options', smsOtp.optionsWith('passkey'));
  pages.post('/:uid/passkey', smsOtp.verifyWith('passkey'), finish);
  pages.post('/:uid/cancel', smsOtp.cancel(), (req, res) =>
    provider.interactionFinished(req, res, { error: 'unmet_authentication_requirements' }),
  );
  app.use('/interaction', pages);
  const asked = { realm: 'bank', methods: ['passkey'], maxAgeSeconds: 300 };
  app.get('/api/balance', ...sessions, requireForClients(smsOtp, asked), (_req, res) => {
    res.json({ balance: 49.9 });
  });
  app.use(['/auth', '/session/end/confirm'], ...sessions);
  // A user who logs out of the provider logs out here, too: once the provider has checked the form.
  const logOut = promisify<Request, Response>(smsOtp.logout());
  provider.use(async (context, next) => {
    await next();
    const { route, params, session: ended } = context.oidc ?? {};
    if (route !== 'end_session_confirm' || context.status !== 303 || !params?.logout) return;
    // Express has called the provider with its own request and response.
    const req = context.req as Request;
    // The provider ends the session of an earlier user as well, once another one has logged in.
    if (req.user?.id === ended?.accountId) await logOut(req, context.res as Response);
  });
  app.use(provider.callback());
  return app;
}

/** Why the provider asks for a login although there is one. */
const OTHER_ACCOUNT = ['id_token_hint', 'claims_id_token_sub_value'];

/**
 * Asks for a login where that behind the provider's session has ended, and for another second factor
 * than the session has. Once: whether the answer is enough is up to `finish`.
 */
function createPolicy(
  isIn: (req: Request, accountId: string) => Promise<boolean>,
): ReturnType<typeof interactionPolicy.base> {
  const policy = interactionPolicy.base();
  policy.remove('consent'); // The clients are our own.
  const check = new interactionPolicy.Check(
    'acr_asked',
    'another second factor is asked for',
    ({ oidc }) => {
      return !hasAcr(oidc.acr, readAcr(oidc.params).values) && oidc.result?.login === undefined;
    },
  );
  policy.get('login')?.checks.add(check);
  // Always asked: the last redirect of an interaction may come when the login has ended.
  const hasEnded = new interactionPolicy.Check(
    'login_ended',
    'the login here has ended',
    async ({ req, oidc: { session: loggedIn } }) =>
      !(await isIn(req as Request, loggedIn.accountId)),
  );
  policy.get('login')?.checks.add(hasEnded);
  return policy;
}

/**
 * What the client asks for in `claims` or `acr_values`. The provider has checked that `claims` is
 * JSON.
 */
function readAcr({ claims = '{}', acr_values = '' }: Interaction['params']): {
  values: string[];
  isEssential: boolean;
} {
  const { id_token: idToken } = JSON.parse(claims) as { id_token?: { acr?: AcrClaim | null } };
  const asked = [idToken?.acr?.values ?? idToken?.acr?.value ?? []].flat();
  if (asked.length > 0) return { values: asked, isEssential: idToken?.acr?.essential === true };
  return { values: acr_values.split(' ').filter(Boolean), isEssential: false };
}

interface AcrClaim {
  readonly essential?: boolean;
  readonly value?: string;
  readonly values?: string[];
}

function hasAcr(acr: string | undefined, values: readonly string[]): boolean {
  return values.length === 0 || values.includes(acr ?? '');
}
