import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import express, { type Request, type RequestHandler, type Response } from 'express';
import session from 'express-session';
import { createSmsOtp } from 'passport-sms-otp';
import { passwordOf } from '../support/base-app';
import {
  answerErrorsInJson,
  basics,
  createPassport,
  firstFactor,
  idOf,
  otpOptions,
  type SoundApp,
} from './parts';

const REFUSED = 'HTTP/1.1 401 Unauthorized\r\n\r\n';

/** The answer that opens a socket. RFC 6455, section 4.2.2. */
function switchFor({ headers }: IncomingMessage): string {
  const key = `${headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  const lines = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`];
  return ['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n');
}

/** A page with a feed over a socket, which is guarded as the page is. */
export const socketFeed: SoundApp = (gateway) => ({
  ...basics(gateway),
  start: async () => {
    const passport = createPassport();
    const smsOtp = createSmsOtp({ ...otpOptions(gateway, passport), logins: {} });
    const sessions = session({
      secret: 'a secret of the sessions',
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'strict' },
    });
    const app = express();
    app.use(express.json(), sessions, passport.session());
    app.post('/login', firstFactor(passport), smsOtp.send());
    app.post('/login/pin', smsOtp.verify());
    app.post('/logout', smsOtp.logout(), (_req, res) => void res.sendStatus(204));
    app.get('/feed', smsOtp.requireSecondFactor(), (req, res) => void res.json({ of: idOf(req) }));
    app.use(answerErrorsInJson);

    const server = createServer(app);
    server.on('upgrade', (message: IncomingMessage, socket: Duplex) => {
      socket.on('error', () => socket.destroy());
      const req = message as Request;
      const res = new ServerResponse(message) as Response;
      const accept = async (): Promise<void> => {
        await smsOtp.checkSecondFactor(req);
        socket.end(smsOtp.hasSecondFactor(req) ? switchFor(message) : REFUSED);
      };
      const readUser = passport.session() as RequestHandler;
      void sessions(req, res, () => {
        void readUser(req, res, () => void accept().catch(() => socket.end(REFUSED)));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return {
      baseUrl: `http://127.0.0.1:${port}`,
      close: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await smsOtp.close();
      },
    };
  },
  jsonForms: true,
  login: { path: '/login', password: ({ name }) => passwordOf(name) },
  code: { path: '/login/pin' },
  guarded: ['/feed'],
  logout: { path: '/logout' },
});
