import { createServer, type Server } from 'node:http';
import { jest } from '@jest/globals';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { testClock, type TestClock } from '../../support/clock';
import { CountingSessionStore } from '../../support/counting-session-store';
import { createStage, share } from '../../support/stage';
import type { Parts, Person, RunningApp } from './parts';
import { Visitor } from './visitor';

/** How an app is started, and in what it differs from the other apps. */
export interface AppOfWalk {
  readonly variant: 'A' | 'B';
  /** The app has no pages: its clients send and get JSON. */
  readonly speaksJson?: boolean;
  /** In front of every path of the app. */
  readonly prefix?: string;
  readonly logsOutByLink?: boolean;
  createApp(parts: Parts): RunningApp | Promise<RunningApp>;
}

/** An app that runs, with its gateway and its users. */
export interface Site {
  readonly server: Server;
  readonly sim: GatewaySimulator;
  readonly clock: TestClock;
  readonly sessions: CountingSessionStore;
  /** The text of every warning. */
  readonly warnings: readonly string[];
  readonly revokeAll: RunningApp['revokeAll'];
  /** Makes a visitor whom no other test has had, unless a person is given. */
  readonly visitor: (person?: Person) => Visitor;
  readonly nextPerson: () => Person;
  close(): Promise<void>;
}

export const WITHOUT_NUMBER = toPerson('without-number', undefined);
export const MISSPELT = toPerson('misspelt', '+1 202 555 0123');
export const EMPTY = toPerson('empty', '');
export const OPTIONAL: Person = { ...toPerson('optional', '+12125550123'), isOptional: true };

/** One app for all tests of a block. */
export function useSite(app: AppOfWalk): Site {
  return share(createStage(() => startSite(app)));
}

async function startSite(app: AppOfWalk): Promise<Site> {
  const { variant } = app;
  const warned = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  const sim = await GatewaySimulator.start({ variant });
  const { baseUrl, username, password } = sim;
  const gateway = { baseUrl, variant, username, password };
  const [clock, sessions] = [testClock(), new CountingSessionStore()];
  const usual = createPeople();
  const waiting = usual.values();
  const people = [...usual, WITHOUT_NUMBER, MISSPELT, EMPTY, OPTIONAL];
  const parts = { people, gateway, sessions, now: () => clock.now() };
  const running = await Promise.resolve(parts)
    .then((all) => app.createApp(all))
    .catch(async (error: unknown) => {
      // Otherwise the simulator would keep the tests from ending.
      await sim.close();
      throw error;
    });
  const server = createServer(running.handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const site: Site = {
    server,
    sim,
    clock,
    sessions,
    get warnings() {
      return warned.mock.calls.map(([text]) => String(text));
    },
    revokeAll: (name) => running.revokeAll(name),
    visitor: (person) => new Visitor(site, app, person),
    nextPerson: () => {
      const { value } = waiting.next();
      if (value === undefined) throw new Error('there are not enough people');
      return value;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await running.close();
      await sim.close();
      warned.mockRestore();
    },
  };
  return site;
}

/** Each number has a prefix of its own, so that no test meets the limits of another. */
function createPeople(): readonly Person[] {
  return Array.from({ length: 200 }, (_, index) =>
    toPerson(`user-${index}`, `+1202${200 + index}0123`),
  );
}

function toPerson(name: string, phone: string | undefined): Person {
  return { name, password: `password of ${name}`, phone: phone as string | null };
}
