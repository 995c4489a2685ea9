import { ForbiddenException, HttpException, Inject, Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { SmsOtpStrategy, type SmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import type { Users } from './parts';

@Injectable()
export class PasswordStrategy extends PassportStrategy(LocalStrategy) {
  constructor(@Inject('USERS') private readonly users: Users) {
    super();
  }
  async validate(username: string, password: string) {
    const user = await this.users.checkPassword(username, password);
    // The second element becomes req.authInfo, which tells `send` that this user just passed a first factor.
    return user === null ? false : [user, { amr: ['pwd'] }];
  }
}

@Injectable()
export class CodeStrategy extends PassportStrategy(SmsOtpStrategy, 'code') {
  constructor(@Inject('SMS_OTP_OPTIONS') options: SmsOtpOptions) {
    super(options);
  }
  /** Called after a right code; returning `false` refuses the login. */
  validate(user: Express.User) {
    return user;
  }
}

/** The first AuthGuard. It logs no one in. */
@Injectable()
export class PasswordGuard extends AuthGuard('local') {}

/** The second AuthGuard. */
@Injectable()
export class CodeGuard extends AuthGuard('code') {
  override async canActivate(context: ExecutionContext) {
    await super.canActivate(context);
    await this.logIn(context.switchToHttp().getRequest()); // Nest has only filled req.user.
    return true;
  }
  override getAuthenticateOptions() {
    return { session: true }; // Nest passes false, and then no mark is set.
  }
  override handleRequest<User>(
    error: Error | null,
    user: User | false,
    info: { readonly message: string },
    _context: unknown,
    status?: number,
  ) {
    if (error) throw error;
    if (!user) throw new HttpException({ error: info.message }, status ?? 401);
    return user;
  }
}

/** For every page behind the login. AuthGuard only checks that there is a user; this guard checks the mark. */
@Injectable()
export class SecondFactorGuard implements CanActivate {
  constructor(@Inject('SMS_OTP') private readonly smsOtp: SmsOtp) {}
  canActivate(context: ExecutionContext) {
    if (this.smsOtp.hasSecondFactor(context.switchToHttp().getRequest())) return true;
    throw new ForbiddenException({ error: 'second-factor-required' });
  }
}
