import { Controller, Inject, Logger, Next, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NextFunction, Request, Response } from 'express';
import passport, { Strategy } from 'passport';
import type { SmsOtp } from 'passport-sms-otp';
import { CodeGuard, SecondFactorGuard } from '../../docs/recipes/nestjs';
import { AppModule, SmsOtpErrorFilter } from '../../docs/recipes/nestjs-module';
import { startRecipe, type RecipeSite } from './support/recipe-site';
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
@UseFilters(SmsOtpErrorFilter)
class CarelessController {
  private readonly send;
  constructor(@Inject('SMS_OTP') smsOtp: SmsOtp) {
    this.send = smsOtp.send();
  }

  @Post('login')
  @UseGuards(AuthGuard('passing'))
  sendCode(@Req() req: Request, @Res() res: Response, @Next() next: NextFunction) {
    this.send(req, res, (error?: unknown) => {
      if (error) next(error);
      else res.json({ sent: true });
    });
  }

  @Post('pin')
  @UseGuards(AuthGuard('code'))
  enterCode(@Req() { user }: Request) {
    return { id: user?.id };
  }

  @Post('anyone')
  @UseGuards(AuthGuard('passing'))
  openToAll(@Req() { user }: Request) {
    return { open: true, id: user?.id };
  }

  @Post('closed')
  @UseGuards(AuthGuard('passing'), SecondFactorGuard)
  closed() {
    return { open: true };
  }

  @Post('code')
  @UseGuards(AuthGuard('passing'), CodeGuard)
  codeWithoutPassword() {
    return { open: true };
  }
}

describe('the traps of NestJS', () => {
  let site: RecipeSite;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    passport.use('passing', new PassingStrategy());
    site = await startRecipe('B', async (parts) => {
      const module = AppModule.of(parts);
      const controllers = [...(module.controllers ?? []), CarelessController];
      const app = await NestFactory.create({ ...module, controllers });
      await app.init();
      // Nest types it as any: underneath is Express.
      return app.getHttpAdapter().getInstance() as never;
    });
  });
  afterAll(() => site.close());

  it('AuthGuard lets a request through when a strategy passes', async () => {
    const answer = await site.agent().post('/careless/anyone');
    expect([answer.status, answer.body]).toEqual([201, { open: true }]);
  });

  it('behind such a guard `send` texts nobody, and the guards of the recipe stay closed', async () => {
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
});
