import { Catch, Controller, Get, HttpCode, Inject, Next, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { ArgumentsHost, DynamicModule, ExceptionFilter, INestApplication } from '@nestjs/common';
import type { MiddlewareConsumer, NestModule } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp, memoryStore, SmsOtpError, type SmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import { addSessions } from './first-factor';
import { CodeGuard, CodeStrategy, PasswordGuard, PasswordStrategy, SecondFactorGuard } from './nestjs';
import type { RecipeParts } from './parts';

@Controller()
export class LoginController {
  private readonly send;
  constructor(@Inject('SMS_OTP') smsOtp: SmsOtp) {
    this.send = smsOtp.send();
  }

  /** `send` is called here and not by `consumer.apply`: in Nest middleware runs before the guards. */
  @Post('login')
  @UseGuards(PasswordGuard)
  sendCode(@Req() req: Request, @Res() res: Response, @Next() next: NextFunction) {
    this.send(req, res, (error?: unknown) => {
      if (error) next(error);
      else res.json(req.smsOtp);
    });
  }

  @Post('login/pin')
  @HttpCode(200)
  @UseGuards(CodeGuard)
  enterCode(@Req() { user, authInfo }: Request) {
    return { id: user?.id, authInfo };
  }

  @Get('account')
  @UseGuards(SecondFactorGuard)
  showAccount(@Req() { user }: Request) {
    return { id: user?.id };
  }
}

/** Errors of the gateway or the store have their own status. Nest would answer 500. */
@Catch(SmsOtpError)
export class SmsOtpErrorFilter implements ExceptionFilter {
  catch({ status, code }: SmsOtpError, host: ArgumentsHost) {
    host.switchToHttp().getResponse<Response>().status(status).json({ error: code });
  }
}

export class AppModule implements NestModule {
  constructor(@Inject('SESSION_SECRET') private readonly secret: string) {}

  configure(consumer: MiddlewareConsumer) {
    const sessions = session({ secret: this.secret, resave: false, saveUninitialized: false });
    consumer.apply(sessions, passport.session() as RequestHandler).forRoutes('{*path}');
  }

  static of({ users, gateway, sessionSecret, otpSecret }: RecipeParts): DynamicModule {
    addSessions(passport, users);
    const options: SmsOtpOptions = {
      gateway, // One client and one store for both: CodeStrategy verifies what `send` sent.
      store: memoryStore(),
      secret: otpSecret,
      allowedCountries: ['US'],
      getPhone: ({ id }) => users.findPhone(id),
      loadUser: (id) => users.findById(id),
    };
    return {
      module: AppModule,
      controllers: [LoginController],
      providers: [
        { provide: 'USERS', useValue: users },
        { provide: 'SESSION_SECRET', useValue: sessionSecret },
        { provide: 'SMS_OTP_OPTIONS', useValue: options },
        { provide: 'SMS_OTP', useValue: createSmsOtp(options) },
        { provide: APP_FILTER, useClass: SmsOtpErrorFilter },
        PasswordStrategy,
        CodeStrategy,
      ],
    };
  }
}

export async function createApp(parts: RecipeParts): Promise<INestApplication> {
  const app = await NestFactory.create(AppModule.of(parts));
  return app.init();
}
