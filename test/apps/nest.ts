import {
  All,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Logger,
  Module,
  Post,
  Req,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PassportModule, PassportStrategy } from '@nestjs/passport';
import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import type { SmsOtp, SmsOtpStatus } from 'passport-sms-otp';
import * as recipe from '../../docs/recipes/nestjs';
import { asUser, bodyOf, cartOf, hashOf, SECRET } from './support/parts';
import type { Parts, RunningApp } from './support/parts';

interface User {
  readonly id: string;
  readonly username: string;
  readonly phone: string | null;
  readonly password?: string | undefined;
}

/** What the app's own `validateUser` has always done. */
const withoutPassword = (user: User): User => ({ ...user, password: undefined });

@Injectable()
class PasswordStrategy extends PassportStrategy(LocalStrategy) {
  constructor(@Inject('USERS') private readonly users: User[]) {
    super();
  }
  validate(name: string, password: string): Express.User | null {
    const user = this.users.find(({ username }) => username === name);
    return user?.password === hashOf(password) ? asUser(withoutPassword(user)) : null;
  }
}

@Injectable()
class SignUpGuard implements CanActivate {
  constructor(@Inject('USERS') private readonly users: User[]) {}
  canActivate(context: ExecutionContext): boolean {
    const req = context.switchToHttp().getRequest<Request>();
    const [username, phone] = [bodyOf(req, 'username'), bodyOf(req, 'phone')];
    const user = { id: `id-${this.users.length}`, username, phone };
    this.users.push({ ...user, password: hashOf(bodyOf(req, 'password')) });
    req.user = asUser(user);
    req.authInfo = {};
    return true;
  }
}

/** A guard for a middleware for which the recipe has none. */
function guardOf(make: (smsOtp: SmsOtp) => RequestHandler): Type<CanActivate> {
  @Injectable()
  class MiddlewareGuard implements CanActivate {
    private readonly handle: RequestHandler;
    constructor(@Inject(recipe.SMS_OTP) smsOtp: SmsOtp) {
      this.handle = make(smsOtp);
    }
    canActivate(context: ExecutionContext): Promise<boolean> {
      const http = context.switchToHttp();
      return new Promise((resolve, reject: (error: Error) => void) => {
        const next = (error?: unknown): void =>
          error === undefined ? resolve(true) : reject(error as Error);
        void this.handle(http.getRequest(), http.getResponse(), next);
      });
    }
  }
  return MiddlewareGuard;
}

@Controller()
class AuthController {
  constructor(@Inject(recipe.SMS_OTP) private readonly smsOtp: SmsOtp) {}

  @Post('login')
  @UseGuards(recipe.PasswordGuard, recipe.SendCodeGuard)
  logIn(@Req() req: Request): SmsOtpStatus {
    return this.smsOtp.status(req);
  }
  @Post('sign-up')
  @UseGuards(SignUpGuard, recipe.SendCodeGuard)
  signUp(@Req() req: Request): SmsOtpStatus {
    return this.smsOtp.status(req);
  }
  @Post('login/pin')
  @HttpCode(200)
  @UseGuards(recipe.VerifyCodeGuard)
  enter(@Req() { user }: Request): object {
    return { user };
  }
  @Post('login/resend')
  @UseGuards(guardOf(({ resend }) => resend()))
  resend(@Req() req: Request): SmsOtpStatus {
    return this.smsOtp.status(req);
  }
  @All('login/cancel')
  @UseGuards(guardOf(({ cancel }) => cancel()))
  cancel(): object {
    return {};
  }
  @Post('step-up')
  @UseGuards(guardOf(({ stepUp }) => stepUp()))
  stepUp(@Req() req: Request): SmsOtpStatus {
    return this.smsOtp.status(req);
  }
  @Post('logout')
  @HttpCode(200)
  @UseGuards(guardOf(({ logout }) => logout()))
  logOut(): object {
    return {};
  }
  @Get('about')
  showVisitor(@Req() { user = null }: { readonly user?: object | null }): object {
    return { user };
  }
  @Get('cart')
  showCart(@Req() req: Request): readonly string[] {
    return cartOf(req);
  }
}

@Controller()
@recipe.SecondFactor()
class UsersController {
  @Get('account')
  showMe(@Req() { user }: Request): object {
    return { user };
  }
  @Post('payment')
  pay(@Req() { user }: Request): object {
    return { user };
  }
}

/**
 * As owlicodes/nestjs-passport-local-session: the whole user is in the session.
 * @param toLoaded What `loadUser` returns of a record.
 */
export async function createApp(
  { people, gateway, sessions, now }: Parts,
  toLoaded = withoutPassword,
): Promise<RunningApp> {
  const users: User[] = people.map(({ name: username, password, phone }, index) => ({
    id: `id-${index}`,
    username,
    phone,
    password: hashOf(password),
  }));
  const smsOtpModule = recipe.SmsOtpModule.forRootAsync({
    useFactory: () => ({
      gateway,
      now,
      secret: SECRET,
      allowedCountries: ['US'],
      getPhone: (user) => (user as unknown as User).phone,
      loadUser: (userId) => {
        const user = users.find(({ id }) => id === userId);
        return user !== undefined && asUser(toLoaded(user));
      },
      keepSessionKeys: ['cart'],
    }),
  });
  @Module({
    imports: [smsOtpModule, PassportModule.register({ session: false })],
    controllers: [AuthController, UsersController],
    providers: [PasswordStrategy, { provide: 'USERS', useValue: users }],
  })
  class AppModule {}

  Logger.overrideLogger(false);
  const app = await NestFactory.create(AppModule);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  const cookie = { sameSite: 'lax' } as const;
  app.use(
    session({ secret: SECRET, store: sessions, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());
  await app.init();
  const smsOtp = app.get<SmsOtp<object>>(recipe.SMS_OTP);

  return {
    handler: app.getHttpAdapter().getInstance() as RunningApp['handler'], // Nest types it as any.
    revokeAll: (name) =>
      smsOtp.logins.revokeAll(users.find(({ username }) => username === name)?.id ?? ''),
    close: () => app.close(),
  };
}
