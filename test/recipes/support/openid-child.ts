import type { RequestListener } from 'node:http';
import * as openid from 'openid-client';
import { GatewayClient } from 'passport-sms-otp/client';
import { createApp } from '../../../docs/recipes/openid-connect';
import { listen } from './listen';
import { RECIPE_SECRETS, RecipeUsers } from './recipe-users';

/** What the test hands over: where its simulator is. */
const { SIMULATOR = '', GATEWAY_PASSWORD = '' } = process.env;
const SECRET = 'the secret of the client, known to both';

/** An OpenID provider on loopback, and the app of the recipe. Both are ES modules, or need one. */
async function main(): Promise<void> {
  const users = new RecipeUsers();

  const app = await listen();
  const issuer = await listen();
  const callbackUrl = `${app.url}/login/callback`;
  issuer.serve(await createProvider(issuer.url, callbackUrl));

  // Deprecated by its authors so that nobody uses it anywhere but on loopback.
  const allowHttp = Reflect.get(openid, 'allowInsecureRequests');
  const insecure = { execute: [allowHttp] };
  const config = await openid.discovery(new URL(issuer.url), 'bank', SECRET, undefined, insecure);
  const gateway = new GatewayClient({
    baseUrl: SIMULATOR,
    variant: 'A',
    username: 'demo',
    password: GATEWAY_PASSWORD,
  });
  const findByIdentity = (iss: string, sub: string) => findUser(users, iss === issuer.url, sub);
  const parts = { users, gateway, ...RECIPE_SECRETS };
  app.serveAfresh(() => createApp({ ...parts, config, callbackUrl, findByIdentity }));
  console.log(JSON.stringify({ app: app.url, issuer: issuer.url }));
}

/** At the provider our users have other names: `alice` here is `subject-alice` there. */
async function findUser(
  users: RecipeUsers,
  isOurIssuer: boolean,
  sub: string,
): Promise<Express.User | null> {
  return isOurIssuer && sub.startsWith('subject-')
    ? users.findById(sub.slice('subject-'.length))
    : null;
}

/** Its login page, for development, believes whatever name it is told. */
async function createProvider(issuer: string, callbackUrl: string): Promise<RequestListener> {
  const { Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'bank', client_secret: SECRET, redirect_uris: [callbackUrl] }],
    cookies: { keys: ['a key of the tests'] },
    // Everybody has the same e-mail address: it must not matter.
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: 'alice@bank.example' }),
    }),
  });
  return provider.callback();
}

void main();
