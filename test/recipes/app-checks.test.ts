import type { RequestListener } from 'node:http';
import { describe, it, jest } from '@jest/globals';
import passport from 'passport';
import type { PhoneBook } from 'passport-sms-otp';
import type { AppDescription } from 'passport-sms-otp/testing';
import { createApp as consent } from '../../docs/recipes/consent';
import { createApp as customCallback } from '../../docs/recipes/custom-callback';
import { createApp as express4 } from '../../docs/recipes/express-4';
import { createApp as graphql } from '../../docs/recipes/graphql';
import { createApp as jwt } from '../../docs/recipes/jwt';
import { createApp as logInAs } from '../../docs/recipes/log-in-as';
import { createApp as mandatoryFrom } from '../../docs/recipes/mandatory-from';
import { createApp as nativeApp } from '../../docs/recipes/native-app';
import { createApp as nestjs } from '../../docs/recipes/nestjs-app';
import { createApp as ownPassword } from '../../docs/recipes/own-password';
import type { RecipeParts } from '../../docs/recipes/parts';
import { memoryPasskeyBook } from '../../docs/recipes/passkey-book';
import { createApp as passkeys } from '../../docs/recipes/passkeys-app';
import { createApp as passwordReset } from '../../docs/recipes/password-reset';
import { memoryPhoneBook } from '../../docs/recipes/phone-book-memory';
import { RememberTokens } from '../../docs/recipes/remember-tokens';
import { ResetTokens } from '../../docs/recipes/reset-tokens';
import { createApp as signUp } from '../../docs/recipes/sign-up';
import { createApp as singlePage } from '../../docs/recipes/single-page-app';
import { OptOuts } from '../../docs/recipes/opt-outs';
import { createApp as stopReplies } from '../../docs/recipes/stop-replies';
import { createApp as testedApp } from '../../docs/recipes/tested-app';
import { createApp as transaction } from '../../docs/recipes/transaction';
import { serve } from '../app-checks/support/base-app';
import { useGateway } from '../app-checks/support/use-gateway';
import { OldUsers, UsersWithStaff } from './support/dated-users';
import { expectChecksToPass, login, toUser, toUsers, RECIPE_APP } from './support/pass-checks';
import { passwordOf, RECIPE_SECRETS, RecipeUsers } from './support/recipe-users';
import { ChangingUsers, Mailbox } from './support/reset-users';

/** A recipe, and what of its description differs from that of an API at `/login`. */
interface Recipe extends Partial<AppDescription> {
  readonly create: (
    parts: RecipeParts & { readonly users: RecipeUsers },
  ) => RequestListener | Promise<RequestListener>;
}

const TOKEN_SECRET = 'the secret of the tokens, known to nobody else';
const PASSPORT_OF_REMEMBER_ME = '../../node_modules/passport-remember-me/node_modules/passport';
const forms = { jsonForms: false } as const;
const createAccount = (): Promise<null> => Promise.resolve(null);

/** The e-mails of the app that was started last. */
let mail = new Mailbox();

/** A phone book in which each user has the number of the description. */
async function fullPhoneBook(): Promise<PhoneBook> {
  const phoneBook = memoryPhoneBook();
  for (const { name, phone } of RECIPE_APP.users) {
    await phoneBook.addUnconfirmed(name, phone, { consentedAt: 0 });
    await phoneBook.confirm(name, phone);
  }
  return phoneBook;
}

const RECIPES: Readonly<Record<string, Recipe>> = {
  consent: {
    create: async (parts) => consent({ ...parts, phoneBook: await fullPhoneBook(), consents: [] }),
    ...forms,
    newNumber: { path: '/phone', phone: '+18185550142' },
  },
  'custom-callback': {
    create: customCallback,
    login: { ...login, path: '/api/login' },
    code: { path: '/api/login/pin' },
    guarded: ['/api/account'],
  },
  'express-4': { create: express4, ...forms },
  graphql: {
    create: (parts) => graphql({ ...parts, names: new Map() }),
    guarded: [{ path: '/graphql', method: 'POST', fields: { query: '{ account { id } }' } }],
    logout: { path: '/logout' },
  },
  jwt: {
    create: (parts) => jwt({ ...parts, tokenSecret: TOKEN_SECRET }),
    token: { field: 'token' },
    secrets: [TOKEN_SECRET],
    guarded: ['/api/account'],
  },
  'log-in-as': {
    create: (parts) =>
      logInAs({ ...parts, users: new UsersWithStaff(), record: () => Promise.resolve() }),
    logout: { path: '/logout' },
    // The third one is staff, whose pages nobody looks at.
    users: toUsers('alice', 'bob'),
    logInAs: {
      by: toUser('erin'),
      request: {
        path: '/support/view',
        fields: ({ name }) => ({ customerId: name, reason: 'a question on the phone' }),
      },
      shows: ({ name }) => `"id":"${name}"`,
    },
  },
  'mandatory-from': {
    create: async (parts) =>
      mandatoryFrom({
        ...parts,
        users: new OldUsers(),
        phoneBook: await fullPhoneBook(),
        mandate: { from: 0, graceDays: 14 },
      }),
    guarded: ['/account', '/transfers'],
    newNumber: { path: '/phone', phone: '+18185550142' },
    userWithoutNumber: 'dave',
  },
  'native-app': { create: nativeApp, guarded: ['/api/account'], logout: { path: '/logout' } },
  nestjs: {
    create: async (parts) =>
      (await nestjs(parts)).getHttpAdapter().getInstance() as RequestListener,
    guarded: ['/account', '/account/statements'],
  },
  'own-password': { create: ownPassword, ...forms },
  passkeys: {
    create: (parts) =>
      passkeys({
        ...parts,
        book: memoryPasskeyBook(),
        textsOff: new Set(),
        passkeys: {
          rpId: 'bank.example',
          origin: 'https://bank.example',
          requireUserVerification: true,
        },
      }),
    guarded: ['/account', '/settings/passkeys'],
    resend: { path: '/login/resend' },
    stepUp: { path: '/step-up' },
  },
  'password-reset': {
    create: (parts) => {
      mail = new Mailbox();
      return passwordReset({
        ...parts,
        ...{ users: new ChangingUsers(), tokens: new ResetTokens(), mail },
        origin: 'https://bank.example',
        onError: () => undefined,
      });
    },
    ...forms,
    passwordReset: {
      requests: [
        { path: '/forgot', fields: ({ name }) => ({ username: name }) },
        {
          path: '/reset',
          fields: async ({ name }) => ({
            token: await mail.readToken(name),
            password: passwordOf(name).password,
          }),
        },
      ],
    },
    trustedDevice: { fields: { trustDevice: 'on' } },
  },
  'remember-me': {
    create: async (parts) => {
      // What the `overrides` do that the page asks for: one Passport for all.
      jest.doMock(PASSPORT_OF_REMEMBER_ME, () => jest.requireActual('passport'));
      const { createApp } = await import('../../docs/recipes/remember-me');
      return createApp({ ...parts, tokens: new RememberTokens(), isHttps: false });
    },
    ...forms,
    rememberMe: { fields: { remember: 'on' }, request: { path: '/login/remembered' } },
    logout: { path: '/logout' },
  },
  'sign-up': {
    create: async (parts) => {
      const users = Object.assign(parts.users, { create: createAccount });
      return signUp({ ...parts, users, phoneBook: await fullPhoneBook() });
    },
    newNumber: { path: '/sign-up/phone', phone: '+18185550142' },
    resend: { path: '/sign-up/resend' },
  },
  'single-page-app': {
    create: singlePage,
    csrf: { path: '/api/csrf-token', header: 'x-csrf-token' },
    login: { ...login, path: '/api/login' },
    code: { path: '/api/login/pin' },
    guarded: ['/api/account'],
    resend: { path: '/api/login/resend' },
  },
  'stop-replies': {
    create: (parts) =>
      stopReplies({ ...parts, optOuts: new OptOuts(), webhookSecret: TOKEN_SECRET }),
    ...forms,
    secrets: [TOKEN_SECRET],
    code: { path: '/second-factor/code' },
    resend: { path: '/second-factor/resend' },
  },
  'the app of docs/testing.md': { create: testedApp },
  transaction: {
    create: (parts) => transaction({ ...parts, payments: { execute: () => Promise.resolve() } }),
    guarded: [{ path: '/payments', method: 'POST', fields: { amount: '49.90', payee: 'Flowers' } }],
  },
};

describe('the checks pass for the recipe', () => {
  const gateway = useGateway();

  function describeRecipe({ create, ...rest }: Recipe): AppDescription {
    return {
      start: async () => {
        // The recipes register at the Passport of the whole process.
        passport.unuse('sms-otp');
        const parts = { users: new RecipeUsers(), gateway: gateway.client, ...RECIPE_SECRETS };
        return serve(await create(parts));
      },
      simulator: () => gateway.simulator,
      ...RECIPE_APP,
      ...rest,
    };
  }

  it.each(Object.entries(RECIPES).map(([name, recipe], place) => [name, recipe, place] as const))(
    '%s',
    async (_name, recipe, place) => {
      await expectChecksToPass(describeRecipe(recipe), place);
    },
  );
});
