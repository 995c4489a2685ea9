import { Controller, Get, Logger, Post, Req, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import passport, { Strategy } from 'passport';
import { addSessions } from '../../docs/recipes/first-factor';
import {
  SecondFactor,
  SendCodeGuard,
  SmsOtpGuard,
  VerifyCodeGuard,
} from '../../docs/recipes/nestjs';
import { AppModule } from '../../docs/recipes/nestjs-app';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

/** As `passport-remember-me` and others do without a cookie: neither yes nor no. */
class PassingStrategy extends Strategy {
  override authenticate(): void {
    // Passport adds it to the copy it makes for a request.
    (this as unknown as { pass(): void }).pass();
  }
}

/** What not to do. */
@Controller('careless')
class CarelessController {
  @Post('login')
  @UseGuards(AuthGuard('passing'), SendCodeGuard)
  sendCode() {
    return { sent: true };
  }

  @Post('pin')
  @UseGuards(AuthGuard('sms-otp'))
  enterCode(@Req() { user }: Request) {
    return { id: user?.id };
  }

  @Post('anyone')
  @UseGuards(AuthGuard('passing'))
  openToAll(@Req() { user }: Request) {
    return { open: true, id: user?.id };
  }

  @Post('closed')
  @UseGuards(AuthGuard('passing'), SmsOtpGuard)
  closed() {
    return { open: true };
  }

  @Post('code')
  @UseGuards(AuthGuard('passing'), VerifyCodeGuard)
  codeWithoutPassword() {
    return { open: true };
  }
}

@Controller('strict')
@SecondFactor()
class StrictController {
  @Get('any-age')
  anyAge() {
    return { open: true };
  }

  @Get('this-instant')
  @SecondFactor({ maxAgeSeconds: 1e-9 })
  thisInstant() {
    return { open: true };
  }
}

describe('the traps of NestJS', () => {
  beforeAll(() => {
    Logger.overrideLogger(false);
    passport.use('passing', new PassingStrategy());
  });
  const site = useRecipe('B', async (parts) => {
    const module = AppModule.of(parts);
    const controllers = [...(module.controllers ?? []), CarelessController, StrictController];
    const app = await NestFactory.create({ ...module, controllers });
    addSessions(passport, parts.users);
    app.use(session({ secret: parts.sessionSecret, resave: false, saveUninitialized: false }));
    app.use(passport.session() as RequestHandler);
    await app.init();
    // Nest types it as any: underneath is Express.
    return app.getHttpAdapter().getInstance() as never;
  });

  it('AuthGuard lets a request through when a strategy passes', async () => {
    const answer = await site.agent().post('/careless/anyone');
    expect([answer.status, answer.body]).toEqual([201, { open: true }]);
  });

  it('behind such a guard no code is texted, and the guards of the recipe stay closed', async () => {
    const { sent } = site.sim.stats();
    const answer = await site.agent().post('/careless/login').send(passwordOf('alice'));
    expect([answer.status, answer.body]).toEqual([500, { error: 'ERR_NO_FIRST_FACTOR' }]);
    expect((await site.agent().post('/careless/closed')).status).toBe(403);
    expect((await site.agent().post('/careless/code').send({ pin: '123456' })).status).toBe(401);
    expect(site.sim.stats().sent).toBe(sent);
  });

  it('a bare AuthGuard logs nobody in after the right code, and says 401 to what is 400', async () => {
    const agent = site.agent();
    await agent.post('/login').send(passwordOf('bob'));
    expect((await agent.post('/careless/pin').send({ pin: 'no code' })).status).toBe(401);
    const right = await agent.post('/careless/pin').send({ pin: site.code('bob') });
    expect([right.status, right.body]).toEqual([201, { id: 'bob' }]);
    expect((await agent.get('/account')).status).toBe(403);
  });

  it('a decorator of a method says how recent the second factor must be, where the controller says nothing', async () => {
    const agent = site.agent();
    await agent.post('/login').send(passwordOf('carol'));
    await agent.post('/login/pin').send({ pin: site.code('carol') });
    expect((await agent.get('/strict/any-age')).body).toEqual({ open: true });
    const refused = await agent.get('/strict/this-instant');
    expect([refused.status, refused.body]).toEqual([403, { error: 'second-factor-too-old' }]);
  });
});
