import { EventEmitter, once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInThisContext } from 'node:vm';
import * as csrfSync from 'csrf-sync';
import express, { type Express } from 'express';
import session from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import * as passportLocal from 'passport-local';
import * as passportSmsOtp from 'passport-sms-otp';
import * as pages from 'passport-sms-otp/pages';
import * as redisStores from 'passport-sms-otp/redis';
import type { RunningApp } from 'passport-sms-otp/testing';
import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import ts from 'typescript';

type Script = (
  require: (name: string) => unknown,
  exports: object,
  process: object,
  console: object,
) => Promise<void>;

/** Turns a program with `import` into a function. */
export function compileScript(code: string): Script {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2023,
      esModuleInterop: true,
    },
  });
  const wrapped = `(async function (require, exports, process, console) {${outputText}\n})`;
  return runInThisContext(wrapped) as Script;
}

/**
 * Runs a program that starts a simulator and an app, in this process. Its simulator is the given
 * one, its Passport is its own, and the server that it starts is closed by `close`.
 */
export async function runScript(script: Script, simulator: GatewaySimulator): Promise<RunningApp> {
  const events = new EventEmitter<{ server: [Server] }>();
  const started = once(events, 'server') as Promise<[Server]>;
  const createApp = Object.assign((): Express => {
    const app = express();
    const listen = app.listen.bind(app);
    app.listen = ((...given: Parameters<typeof listen>) => {
      const server = listen(...given);
      events.emit('server', server);
      return server;
    }) as typeof listen;
    return app;
  }, express);
  const passport = new (Passport as unknown as new () => PassportStatic)();
  const modules: Readonly<Record<string, unknown>> = {
    express: createApp,
    'express-session': session,
    passport,
    'passport-local': passportLocal,
    'csrf-sync': csrfSync,
    'passport-sms-otp': {
      ...passportSmsOtp,
      // Of many apps in one process each has the Passport that it has imported.
      createSmsOtp: (options: passportSmsOtp.SmsOtpOptions) =>
        passportSmsOtp.createSmsOtp({ passport, ...options }),
    },
    'passport-sms-otp/pages': pages,
    'passport-sms-otp/redis': redisStores,
    'connect-redis': {},
    redis: {},
    'passport-sms-otp/simulator': {
      GatewaySimulator: { start: () => Promise.resolve(simulator) },
    },
  };
  const silent = { log: () => undefined };
  await script((name) => modules[name], {}, { env: { PORT: '0' } }, silent);
  const [server] = await started;
  if (!server.listening) await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
