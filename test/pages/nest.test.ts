import { Controller, Get, Logger, Module, Post, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PassportModule, PassportStrategy } from '@nestjs/passport';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import type { SmsOtp } from 'passport-sms-otp';
import { smsOtpPages } from 'passport-sms-otp/pages';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import supertest from 'supertest';
import * as recipe from '../../docs/recipes/nestjs';
import { memoryPhoneBook } from '../support/memory-phone-book';
import { asTestUser, asUser, HOME } from '../support/test-users';

const ALICE = asUser({ id: 'alice', phone: HOME });

class PasswordStrategy extends PassportStrategy(LocalStrategy) {
  validate(name: string, password: string): Express.User | null {
    return name === 'alice' && password === 'right' ? ALICE : null;
  }
}

@Controller()
class LoginController {
  @Post('login')
  @UseGuards(recipe.PasswordGuard, recipe.SendCodeGuard)
  logIn(): void {
    // The guard has answered.
  }
}

@Controller()
@recipe.SecondFactor()
class AccountController {
  @Get('account')
  show(): string {
    return 'the account';
  }
}

/** The recipe for Nest, with the pages where its docs put sessions. */
async function createApp(sim: GatewaySimulator) {
  const phoneBook = memoryPhoneBook();
  phoneBook.seed('alice', HOME);
  const { baseUrl, username, password } = sim;
  const smsOtpModule = recipe.SmsOtpModule.forRootAsync({
    useFactory: () => ({
      gateway: { baseUrl, variant: 'A', username, password },
      secret: 'a secret of the tests, long enough to be one',
      allowedCountries: ['US'],
      phoneBook,
      loadUser: () => ALICE,
      recoveryCodes: {},
      paths: { login: '/login', home: '/account' },
    }),
  });
  @Module({
    imports: [smsOtpModule, PassportModule.register({ session: false })],
    controllers: [LoginController, AccountController],
    providers: [PasswordStrategy],
  })
  class AppModule {}

  Logger.overrideLogger(false);
  const app = await NestFactory.create(AppModule);
  passport.serializeUser((user, done) => done(null, asTestUser(user).id));
  passport.deserializeUser((_id, done) => done(null, ALICE));
  app.use(session({ secret: 's', resave: false, saveUninitialized: false }));
  app.use(passport.session() as RequestHandler);
  app.use(smsOtpPages(app.get<SmsOtp>(recipe.SMS_OTP)));
  await app.init();
  return app;
}

describe('the pages in a Nest app', () => {
  const open: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const part of open.splice(0).toReversed()) await part.close();
  });

  it('lead through a login, the settings and recovery codes', async () => {
    const sim = await GatewaySimulator.start({ variant: 'A' });
    open.push(sim);
    const app = await createApp(sim);
    open.push(app);
    const agent = supertest.agent(app.getHttpServer() as never); // Nest types it as any.
    const send = (path: string, body: object) => agent.post(path).type('form').send(body);

    const sent = await send('/login', { username: 'alice', password: 'right' });
    expect([sent.status, sent.headers.location]).toEqual([303, '/second-factor/code']);
    const page = await agent.get('/second-factor/code');
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Enter your code')]);
    expect((await agent.get('/second-factor/pages.css')).status).toBe(200);
    const wrong = await send('/second-factor/code', { pin: '000000' });
    expect(wrong.headers.location).toBe('/second-factor/code');
    const right = await send('/second-factor/code', { pin: sim.lastPin(HOME) });
    expect(right.headers.location).toBe('/account');
    expect((await agent.get('/account')).text).toBe('the account');

    expect((await agent.get('/second-factor')).headers.location).toBe('/second-factor/settings');
    expect((await agent.get('/second-factor/settings')).text).toContain('Number ending in 23');
    const refused = await send('/second-factor/add-number', { phone: 'call me' });
    expect(refused.text).toContain('value="call me"');
    const codes = await send('/second-factor/recovery-codes', { form: 'one' });
    expect(codes.text.match(/<code>/g)).toHaveLength(10);
    const foreign = await send('/second-factor/end-logins', {}).set('Sec-Fetch-Site', 'cross-site');
    expect([foreign.status, foreign.type]).toEqual([403, 'text/html']);
    // Nest's own answer, with our headers.
    const unknown = await agent.get('/second-factor/nothing-here');
    expect(unknown.status).toBe(404);
    expect(unknown.headers['content-security-policy']).toBe("frame-ancestors 'none'");
  });
});
