import 'reflect-metadata';
import {
  Controller,
  Get,
  Header,
  HttpCode,
  Inject,
  Injectable,
  Logger,
  Module,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PassportModule, PassportStrategy } from '@nestjs/passport';
import type { RequestListener } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import type { SmsOtp, SmsOtpStatus } from 'passport-sms-otp';
import {
  PasswordGuard,
  SecondFactor,
  SendCodeGuard,
  SMS_OTP,
  SmsOtpModule,
  VerifyCodeGuard,
} from '../../../docs/recipes/nestjs';
import { asTestUser } from '../../support/test-users';
import { type Gateway, passwordOf, serve } from '../support/base-app';
import { basics, checkPassword, findUser, idOf, otpOptions, type SoundApp } from './parts';

@Injectable()
class PasswordStrategy extends PassportStrategy(LocalStrategy) {
  validate(username: string, password: string): Express.User | false {
    return checkPassword(username, password);
  }
}

@Controller('session')
class SessionController {
  constructor(@Inject(SMS_OTP) private readonly smsOtp: SmsOtp) {}

  @Post()
  @UseGuards(PasswordGuard, SendCodeGuard)
  begin(@Req() req: Request): SmsOtpStatus {
    return this.smsOtp.status(req);
  }

  @Post('code')
  @HttpCode(200)
  @UseGuards(VerifyCodeGuard)
  enter(@Req() req: Request): SmsOtpStatus {
    return this.smsOtp.status(req);
  }

  @Post('end')
  end(@Req() req: Request, @Res() res: Response): void {
    const logout: RequestHandler = this.smsOtp.logout();
    void logout(req, res, () => void res.json({ ended: true }));
  }
}

@Controller('invoices')
@SecondFactor()
class InvoiceController {
  @Get()
  list(@Req() req: Request): object {
    return { of: idOf(req), invoices: [] };
  }

  @Get('latest')
  @Header('Content-Type', 'text/html')
  latest(): string {
    return '<h1>The latest invoice</h1>';
  }

  @Post()
  create(): object {
    return { id: 1 };
  }
}

@Module({})
class InvoiceModule {
  static of(gateway: Gateway): DynamicModule {
    const useFactory = () => otpOptions(gateway, passport);
    return {
      module: InvoiceModule,
      imports: [
        SmsOtpModule.forRootAsync({ useFactory }),
        PassportModule.register({ session: false }),
      ],
      controllers: [SessionController, InvoiceController],
      providers: [PasswordStrategy],
    };
  }
}

async function createNestApp(gateway: Gateway): Promise<INestApplication> {
  Logger.overrideLogger(false);
  const app = await NestFactory.create(InvoiceModule.of(gateway));
  passport.serializeUser((user, done) => done(null, asTestUser(user).id));
  passport.deserializeUser((id: string, done) => done(null, findUser(id)));
  app.use(
    session({
      secret: 'a secret of the sessions',
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax' },
    }),
  );
  app.use(passport.session());
  return app.init();
}

/** Controllers and guards of Nest. */
export const nestApp: SoundApp = (gateway) => ({
  ...basics(gateway),
  start: async () => {
    const app = await createNestApp(gateway);
    return serve(app.getHttpAdapter().getInstance() as RequestListener, () => app.close());
  },
  jsonForms: true,
  login: { path: '/session', password: ({ name }) => passwordOf(name) },
  code: { path: '/session/code' },
  guarded: ['/invoices', '/invoices/latest', { path: '/invoices', method: 'POST' }],
  logout: { path: '/session/end' },
});
