import type { Request } from 'express';
import type { LoginsPart, SmsOtpBase } from 'passport-sms-otp';

type Logins = Pick<SmsOtpBase, 'checkSecondFactor' | 'hasSecondFactor'> & {
  readonly logins: Pick<LoginsPart, 'list'>;
};

interface OpenSocket {
  readonly req: Request;
  readonly close: () => void;
  /** Undefined until it is known. */
  loginId?: string | undefined;
}

/** The open sockets of this process: each one closes when the login that opened it ends. */
export class LoginSockets {
  private readonly open = new Set<OpenSocket>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly smsOtp: Logins,
    checkEverySeconds: number,
  ) {
    const checkAll = (): void => this.open.forEach((socket) => void this.check(socket));
    this.timer = setInterval(checkAll, Math.max(1, checkEverySeconds) * 1000).unref();
  }

  /**
   * @param req The request that opened the socket, which a guard has let pass.
   * @returns What to call when the socket has closed by itself.
   */
  keep(req: Request, close: () => void): () => void {
    const socket: OpenSocket = { req, close };
    this.open.add(socket);
    void this.findLogin(socket);
    return () => void this.open.delete(socket);
  }

  /** For the event `login-ended`. */
  closeThoseOf(loginIds: readonly string[]): void {
    for (const socket of this.open) {
      if (loginIds.includes(socket.loginId ?? '')) this.end(socket);
    }
  }

  stop(): void {
    clearInterval(this.timer);
    this.open.forEach((socket) => this.end(socket));
  }

  private async findLogin(socket: OpenSocket): Promise<void> {
    const { req } = socket;
    try {
      const logins = await this.smsOtp.logins.list(String(req.user?.id), req);
      socket.loginId = logins.find(({ isCurrent }) => isCurrent)?.loginId;
    } catch {
      return this.end(socket);
    }
    // The event of a login that ended in the meantime found no socket.
    await this.check(socket);
  }

  /** Asks the store where this process has not done so lately: another one may have ended it. */
  private async check(socket: OpenSocket): Promise<void> {
    const { checkSecondFactor, hasSecondFactor } = this.smsOtp;
    try {
      await checkSecondFactor(socket.req);
      if (!hasSecondFactor(socket.req)) this.end(socket);
    } catch {
      this.end(socket); // The store does not answer: the browser may come back later.
    }
  }

  private end(socket: OpenSocket): void {
    if (this.open.delete(socket)) socket.close();
  }
}
