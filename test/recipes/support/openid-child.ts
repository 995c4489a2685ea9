import type { RequestListener } from 'node:http';
import * as openid from 'openid-client';
import { GatewayClient } from 'passport-sms-otp/client';
import { createApp, type Identity } from '../../../docs/recipes/openid-connect';
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
  const linkCallbackUrl = `${app.url}/settings/link/callback`;
  issuer.serve(await createProvider(issuer.url, [callbackUrl, linkCallbackUrl]));

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
  const parts = { users, gateway, ...RECIPE_SECRETS, config, callbackUrl, linkCallbackUrl };
  app.serveAfresh(() => {
    const identities = new Identities(users, issuer.url);
    return createApp({
      ...parts,
      findByIdentity: (iss, subject) => identities.find({ issuer: iss, subject }),
      linkIdentity: (userId, identity) => identities.link(userId, identity),
    });
  });
  console.log(JSON.stringify({ app: app.url, issuer: issuer.url }));
}

/** At the provider our users have other names: `alice` here is `subject-alice` there. */
class Identities {
  /** The users to whom subjects were linked. */
  private readonly linked = new Map<string, string>();

  constructor(
    private readonly users: RecipeUsers,
    private readonly issuer: string,
  ) {}

  async find({ issuer, subject }: Identity): Promise<Express.User | null> {
    if (issuer !== this.issuer) return null;
    const [, name] = /^subject-(.*)/.exec(subject) ?? [];
    const userId = name ?? this.linked.get(subject);
    return userId === undefined ? null : this.users.findById(userId);
  }

  async link(userId: string, identity: Identity): Promise<boolean> {
    const owner = await this.find(identity);
    if (owner !== null && owner.id !== userId) return false;
    this.linked.set(identity.subject, userId);
    return true;
  }
}

/** Its login page, for development, believes whatever name it is told. */
async function createProvider(
  issuer: string,
  redirectUris: readonly string[],
): Promise<RequestListener> {
  const { Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'bank', client_secret: SECRET, redirect_uris: redirectUris }],
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
