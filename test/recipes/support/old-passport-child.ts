import { GatewayClient } from 'passport-sms-otp/client';
import { createApp } from '../../../docs/recipes/remember-me';
import { RememberTokens } from '../../../docs/recipes/remember-tokens';
import { RECIPE_SECRETS, RecipeUsers } from './recipe-users';

/** In a process of its own: Passport 0.1 changes Node's requests for the whole process. */
const account = {
  baseUrl: 'https://gateway.example',
  variant: 'A',
  username: 'u',
  password: 'p',
} as const;
const parts = { users: new RecipeUsers(), gateway: new GatewayClient(account), ...RECIPE_SECRETS };
createApp({ ...parts, tokens: new RememberTokens(), isHttps: false });
