import {
  Controller,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Module,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PassportModule, PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import type { SmsOtp, SmsOtpStatus } from 'passport-sms-otp';
import { addSessions } from './first-factor';
import {
  LogoutGuard,
  PasswordGuard,
  ResendCodeGuard,
  SecondFactor,
  SendCodeGuard,
  SMS_OTP,
  SmsOtpModule,
  VerifyCodeGuard,
} from './nestjs';
import type { RecipeParts, Users } from './parts';

@Injectable()
export class PasswordStrategy extends PassportStrategy(LocalStrategy) {
  constructor(@Inject('USERS') private readonly users: Users) {
    super();
  }
  validate(username: string, password: string): Promise<Express.User | null> {
    return this.users.checkPassword(username, password);
  }
}

@Controller()
export class LoginController {
  constructor(@Inject(SMS_OTP) private readonly smsOtp: SmsOtp) {}

  @Post('login')
  @UseGuards(PasswordGuard, SendCodeGuard)
  sendCode(@Req() req: Request): SmsOtpStatus {
    return this.smsOtp.status(req); // Never `req.user`: that is the record of your database.
  }

  @Post('login/pin/resend')
  @HttpCode(200)
  @UseGuards(ResendCodeGuard)
  sendAnother(@Req() req: Request): SmsOtpStatus {
    return this.smsOtp.status(req);
  }

  @Post('logout')
  @HttpCode(200)
  @UseGuards(LogoutGuard)
  logOut(): { loggedOut: true } {
    return { loggedOut: true };
  }

  @Post('login/pin')
  @HttpCode(200)
  @UseGuards(VerifyCodeGuard)
  enterCode(@Req() req: Request): SmsOtpStatus {
    return this.smsOtp.status(req);
  }
}

@Controller()
@SecondFactor()
export class AccountController {
  @Get('account')
  showAccount(@Req() { user }: Request): { id: string | undefined } {
    return { id: user?.id };
  }

  @Get('account/statements')
  @SecondFactor({ maxAgeSeconds: 300 })
  showStatements(): readonly string[] {
    return [];
  }
}

/** Stands for the module that your app has. */
@Module({})
class UsersModule {
  static of(users: Users): DynamicModule {
    return {
      module: UsersModule,
      providers: [{ provide: 'USERS', useValue: users }],
      exports: ['USERS'],
    };
  }
}

@Module({})
export class AppModule {
  static of({ users, gateway, otpSecret }: RecipeParts): DynamicModule {
    const usersModule = UsersModule.of(users);
    const smsOtpModule = SmsOtpModule.forRootAsync({
      imports: [usersModule],
      inject: ['USERS'],
      useFactory: (injected: Users) => ({
        gateway,
        secret: otpSecret,
        allowedCountries: ['US'],
        getPhone: ({ id }) => injected.findPhone(id),
        loadUser: (id) => injected.findById(id), // Becomes req.user: leave the password hash out.
      }),
    });
    return {
      module: AppModule,
      imports: [usersModule, smsOtpModule, PassportModule.register({ session: false })],
      controllers: [LoginController, AccountController],
      providers: [PasswordStrategy],
    };
  }
}

export async function createApp(parts: RecipeParts): Promise<INestApplication> {
  const app = await NestFactory.create(AppModule.of(parts));
  addSessions(passport, parts.users);
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(
    session({ secret: parts.sessionSecret, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());
  return app.init();
}
