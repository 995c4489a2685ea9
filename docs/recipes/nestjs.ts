import {
  applyDecorators,
  Catch,
  Inject,
  Injectable,
  Module,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import type {
  ArgumentsHost,
  CanActivate,
  DynamicModule,
  ExceptionFilter,
  ExecutionContext,
} from '@nestjs/common';
import type { FactoryProvider, ModuleMetadata, OnApplicationShutdown } from '@nestjs/common';
import { APP_FILTER, Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request, RequestHandler, Response } from 'express';
import {
  createSmsOtp,
  SmsOtpError,
  type SecondFactorOptions,
  type SmsOtp,
  type SmsOtpOptions,
} from 'passport-sms-otp';

/** The token of what `createSmsOtp` returns. */
export const SMS_OTP = Symbol('SMS_OTP');
const MAX_AGE = Symbol('MAX_AGE');

/**
 * Runs a middleware in a guard. What it refuses, it has answered: then Nest has nothing left to do.
 */
function run(middleware: RequestHandler, context: ExecutionContext): Promise<boolean> {
  const http = context.switchToHttp();
  return new Promise((resolve, reject: (error: Error) => void) => {
    const next = (error: unknown): void =>
      error === undefined ? resolve(true) : reject(error as Error);
    void middleware(http.getRequest<Request>(), http.getResponse<Response>(), next);
  });
}

/** The first factor, by your strategy `local`. It logs no one in. */
@Injectable()
export class PasswordGuard extends AuthGuard('local') {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const req = context.switchToHttp().getRequest<Request>();
    // Nest leaves it undefined when `validate` returns the plain user. For `send` it says: a first
    // factor was passed.
    if (req.user) req.authInfo ??= {};
    return true;
  }
}

/**
 * After PasswordGuard: sends a code. A guard, because middleware of Nest runs before all guards.
 */
@Injectable()
export class SendCodeGuard implements CanActivate {
  private readonly send: RequestHandler;
  constructor(@Inject(SMS_OTP) smsOtp: SmsOtp) {
    this.send = smsOtp.send();
  }
  canActivate(context: ExecutionContext): Promise<boolean> {
    return run(this.send, context);
  }
}

/** Sends another code for the same login. */
@Injectable()
export class ResendCodeGuard implements CanActivate {
  private readonly resend: RequestHandler;
  constructor(@Inject(SMS_OTP) smsOtp: SmsOtp) {
    this.resend = smsOtp.resend();
  }
  canActivate(context: ExecutionContext): Promise<boolean> {
    return run(this.resend, context);
  }
}

/** Logs the user out, and ends the record of the login. */
@Injectable()
export class LogoutGuard implements CanActivate {
  private readonly logout: RequestHandler;
  constructor(@Inject(SMS_OTP) smsOtp: SmsOtp) {
    this.logout = smsOtp.logout();
  }
  canActivate(context: ExecutionContext): Promise<boolean> {
    return run(this.logout, context);
  }
}

/**
 * Verifies the code and logs the user in. No AuthGuard: its options, such as `session: false`, do
 * not matter here.
 */
@Injectable()
export class VerifyCodeGuard implements CanActivate {
  private readonly verify: RequestHandler;
  constructor(@Inject(SMS_OTP) smsOtp: SmsOtp) {
    this.verify = smsOtp.verify();
  }
  canActivate(context: ExecutionContext): Promise<boolean> {
    return run(this.verify, context);
  }
}

/**
 * Admits users who have passed the second factor. Use it by `@SecondFactor()`, or for the whole
 * app.
 */
@Injectable()
export class SmsOtpGuard implements CanActivate {
  private readonly guards = new Map<number | undefined, RequestHandler>();
  constructor(
    @Inject(SMS_OTP) private readonly smsOtp: SmsOtp,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const maxAgeSeconds = this.reflector.getAllAndOverride<number | undefined>(MAX_AGE, targets);
    const guard =
      this.guards.get(maxAgeSeconds) ?? this.smsOtp.requireSecondFactor({ maxAgeSeconds });
    this.guards.set(maxAgeSeconds, guard);
    return run(guard, context);
  }
}

/** Guards a route or a controller. With `maxAgeSeconds` the second factor must be that recent. */
export function SecondFactor({
  maxAgeSeconds,
}: Pick<SecondFactorOptions, 'maxAgeSeconds'> = {}): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(MAX_AGE, maxAgeSeconds), UseGuards(SmsOtpGuard));
}

/** Errors of the gateway or the store have a status of their own. Nest would answer 500. */
@Catch(SmsOtpError)
export class SmsOtpErrorFilter implements ExceptionFilter {
  catch({ status, code }: SmsOtpError, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(status).json({ error: code });
  }
}

type AsyncOptions = Pick<ModuleMetadata, 'imports'> &
  Pick<FactoryProvider<SmsOtpOptions>, 'inject' | 'useFactory'>;

@Module({})
export class SmsOtpModule implements OnApplicationShutdown {
  constructor(@Inject(SMS_OTP) private readonly smsOtp: SmsOtp) {}

  static forRootAsync({ imports = [], inject = [], useFactory }: AsyncOptions): DynamicModule {
    const guards = [
      PasswordGuard,
      SendCodeGuard,
      ResendCodeGuard,
      VerifyCodeGuard,
      LogoutGuard,
      SmsOtpGuard,
    ];
    const create = async (...given: unknown[]): Promise<SmsOtp> =>
      createSmsOtp(await useFactory(...given));
    return {
      module: SmsOtpModule,
      global: true,
      imports,
      providers: [
        { provide: SMS_OTP, inject, useFactory: create },
        { provide: APP_FILTER, useClass: SmsOtpErrorFilter },
        ...guards,
      ],
      exports: [SMS_OTP, ...guards],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.smsOtp.close();
  }
}
