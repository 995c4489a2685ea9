import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { RequestListener } from 'node:http';
import { GatewayClient } from 'passport-sms-otp/client';
import type * as recipe from '../../../docs/recipes/nestjs-app';
import { listen } from './listen';
import { RECIPE_SECRETS, RecipeUsers } from './recipe-users';

/** What the test hands over: where its simulator is, and the copy of the recipe. */
const { SIMULATOR = '', GATEWAY_PASSWORD = '' } = process.env;
const APP = join(__dirname, '../nestjs-12/app/nestjs-app.ts');

/** The app of the recipe for NestJS on version 12, whose packages are ES modules. */
async function main(): Promise<void> {
  const { createApp } = (await import(APP)) as typeof recipe;
  const site = await listen();
  const gateway = new GatewayClient({
    baseUrl: SIMULATOR,
    variant: 'A',
    username: 'demo',
    password: GATEWAY_PASSWORD,
  });
  const app = await createApp({ users: new RecipeUsers(), gateway, ...RECIPE_SECRETS });
  const { version } = createRequire(APP)('@nestjs/core/package.json') as { version: string };
  site.serve(app.getHttpAdapter().getInstance() as RequestListener);
  console.log(JSON.stringify({ app: site.url, version }));
}

void main();
