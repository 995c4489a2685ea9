import { describe, it } from '@jest/globals';
import type { AppDescription } from 'passport-sms-otp/testing';
import { serve } from '../app-checks/support/base-app';
import { expectChecksToPass, RECIPE_APP, toUsers } from './support/pass-checks';
import { createProviderFront } from './support/oidc-provider-front';
import { createOpenIdFront } from './support/openid-front';
import { RECIPE_SECRETS } from './support/recipe-users';
import { useChild } from './support/start-child';

const SECRETS = [...Object.values(RECIPE_SECRETS), 'the secret of the client, known to both'];

describe('the checks pass for an app that logs in at a provider', () => {
  const site = useChild('openid-child.ts');

  it('for the recipe openid-connect', async () => {
    const app: AppDescription = {
      start: async () => {
        await site.startAfresh('app');
        return serve(createOpenIdFront(site.url('app')));
      },
      simulator: () => site.sim,
      ...RECIPE_APP,
      secrets: SECRETS,
    };
    // The password, and the page that asks for it, are the provider's.
    const leftOut = [
      'a wrong password sends no message',
      'a malformed password causes no server error',
      'a wrong password does not reveal whether the user exists',
    ];
    await expectChecksToPass(app, 1, { leftOut, fewest: 25 });
  });
});

describe('the checks pass for an app that is the provider', () => {
  const site = useChild('oidc-provider-child.ts');

  it('for the recipe oidc-provider', async () => {
    const app: AppDescription = {
      start: async () => {
        await site.startAfresh('provider');
        const [provider, client] = [site.url('provider'), site.url('client')];
        return serve(createProviderFront({ provider, client }));
      },
      simulator: () => site.sim,
      ...RECIPE_APP,
      users: toUsers('alice', 'bob', 'dave'), // They have no passkey, which would come first.
      sessionCookie: 'connect.sid',
      secrets: [...SECRETS, 'a key of the tests'],
      resend: { path: '/resend' },
      cancel: { path: '/cancel' },
      stepUp: { path: '/step-up' },
      logout: { path: '/logout' },
    };
    // The guarded page is the client's, and so are its address and what it answers to whom.
    const leftOut = ['guarded pages are closed under other spellings of their addresses'];
    await expectChecksToPass(app, 2, { leftOut });
  });
});
