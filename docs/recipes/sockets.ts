import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import express, { type Request, type RequestHandler } from 'express';
import session, { type Store } from 'express-session';
import type { PassportStatic } from 'passport';
import { createSmsOtp, type SmsOtpBase, type SmsOtpStore } from 'passport-sms-otp';
import { Server as SocketIo } from 'socket.io';
import { WebSocketServer } from 'ws';
import { addFirstFactor } from './first-factor';
import { LoginSockets } from './login-sockets';
import type { RecipeParts } from './parts';

interface SocketParts extends RecipeParts {
  readonly passport: PassportStatic;
  /** Where your pages are, such as https://bank.example: no other page may open a socket. */
  readonly origin: string;
  readonly store: SmsOtpStore;
  readonly sessions: Store;
  /** How soon a logout in another process closes sockets here. */
  readonly checkEverySeconds: number;
}

/** A server with a socket of `ws` at /live and with socket.io at its usual path. */
export function createApp(parts: SocketParts): Server {
  const { users, gateway, passport, origin, checkEverySeconds } = parts;
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    passport,
    store: parts.store,
    secret: parts.otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    logins: { checkEverySeconds },
    onEvent(event) {
      if (event.type === 'login-ended') sockets.closeThoseOf(event.loginIds);
    },
  });
  const sockets = new LoginSockets(smsOtp, checkEverySeconds);

  const app = express();
  const sessions: readonly RequestHandler[] = [
    session({
      secret: parts.sessionSecret,
      store: parts.sessions,
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax' }, // Browsers send it with no form of another site.
    }),
    passport.session() as RequestHandler, // Typed as any.
  ];
  app.use(express.json(), ...sessions);
  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post('/login', firstFactor, smsOtp.send(), (req, res) => void res.json(smsOtp.status(req)));
  app.post('/login/pin', smsOtp.verify(), (req, res) => void res.json(smsOtp.status(req)));
  app.post('/step-up', smsOtp.stepUp(), (req, res) => void res.json(smsOtp.status(req)));
  app.post('/logout', smsOtp.logout(), (_req, res) => void res.json({}));
  // A copied session must not end the others: `/step-up` asks for a code first.
  const recently = smsOtp.requireSecondFactor({ maxAgeSeconds: 300 });
  app.post('/logout-everywhere', recently, async (req, res) => {
    res.json({ ended: await smsOtp.logins.revokeAll(String(req.user?.id)) });
  });

  const server = createServer(app);
  addWebSockets(server, smsOtp, sockets, { sessions, origin });
  addSocketIo(server, smsOtp, sockets, { sessions, origin });
  server.on('close', () => sockets.stop());
  return server;
}

const SOCKET_IO = '/socket.io/';

interface Doors {
  readonly sessions: readonly RequestHandler[];
  readonly origin: string;
}

type Guard = Pick<SmsOtpBase, 'checkSecondFactor' | 'hasSecondFactor'>;

function addWebSockets(
  server: Server,
  guard: Guard,
  sockets: LoginSockets,
  { sessions, origin }: Doors,
): void {
  const live = new WebSocketServer({ noServer: true });
  server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node has given the connection away: an error without a listener would end the process.
    socket.on('error', () => socket.destroy());
    if (message.url?.startsWith(SOCKET_IO) === true) return;
    const refuse = (status: string): void => {
      socket.once('finish', () => socket.destroy()); // The other end may never close.
      socket.end(`HTTP/1.1 ${status}\r\n\r\n`);
    };
    if (message.url !== '/live') return refuse('404 Not Found');
    const open = async (): Promise<void> => {
      if (message.headers.origin !== origin) return refuse('403 Forbidden');
      const req = await withSession(message, sessions);
      if (!(await isIn(guard, req))) return refuse('401 Unauthorized');
      live.handleUpgrade(message, socket, head, (opened) => {
        const forget = sockets.keep(req, () => opened.close(1008, 'login-ended'));
        opened.on('close', forget);
        opened.send(JSON.stringify({ id: req.user?.id }));
      });
    };
    open().catch(() => refuse('503 Service Unavailable'));
  });
}

function addSocketIo(
  server: Server,
  guard: Guard,
  sockets: LoginSockets,
  { sessions, origin }: Doors,
): void {
  const io = new SocketIo(server, {
    path: SOCKET_IO,
    // Browsers name their page with a web socket, and not with every request that polls.
    transports: ['websocket'],
    allowRequest: ({ headers }, answer) => answer(null, headers.origin === origin),
    destroyUpgrade: false, // The other requests for a socket are answered above.
  });
  for (const handler of sessions) io.engine.use(handler);
  io.use((socket, next) => {
    isIn(guard, socket.request as Request).then(
      (mayPass) => next(mayPass ? undefined : new Error('second-factor-required')),
      () => next(new Error('unavailable')),
    );
  });
  io.on('connection', (socket) => {
    const req = socket.request as Request;
    const forget = sockets.keep(req, () => socket.disconnect(true));
    socket.on('disconnect', forget);
    socket.emit('hello', { id: req.user?.id });
  });
}

/** What a guard asks of a page: a request for a socket passes no middleware of Express. */
async function isIn(guard: Guard, req: Request): Promise<boolean> {
  await guard.checkSecondFactor(req);
  return guard.hasSecondFactor(req);
}

async function withSession(
  message: IncomingMessage,
  sessions: readonly RequestHandler[],
): Promise<Request> {
  const req = message as Request; // Session and user are all that is read of it.
  const res = new ServerResponse(message) as express.Response; // Never sent.
  for (const handler of sessions) {
    await new Promise<void>((resolve, reject) => {
      void handler(req, res, (error?: unknown) =>
        error instanceof Error ? reject(error) : resolve(),
      );
    });
  }
  return req;
}
