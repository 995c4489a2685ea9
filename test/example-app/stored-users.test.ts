import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import type { RunningSite } from '../../example-app/start';
import { describeWithService } from '../services/describe-with-service';
import { useServer } from '../services/use-service';
import { redis } from './backends';
import { runSite } from './run-site';
import { readPin, Visitor } from './visitor';

const CAROL_PHONE = '+12025550140';
const OTHER_PHONE = '+12025550141';

describe.each([redis])('users of the example app with $variable', (backend) => {
  describeWithService(backend.service)('and a server there', () => {
    const server = useServer(backend.start);
    let simulator: GatewaySimulator;
    let sites: RunningSite[];
    let skippedMs: number;

    beforeEach(async () => {
      const readClock = Date.now;
      skippedMs = 0;
      jest.spyOn(Date, 'now').mockImplementation(() => readClock() + skippedMs);
      simulator = await GatewaySimulator.start();
      // As two processes behind one port.
      sites = [await start(), await start()];
    });

    afterEach(async () => {
      await Promise.all(sites.map((site) => site.close()));
      await simulator.close();
      jest.restoreAllMocks();
    });

    function start(): Promise<RunningSite> {
      return runSite(simulator, {
        SESSION_SECRET: 'the same in both processes',
        [backend.variable]: backend.addressOf(server.port),
      });
    }

    function visit(site: number): Visitor {
      return new Visitor({ app: sites[site]?.address ?? '', simulator });
    }

    it('have the same numbers everywhere and at the next start, and lose their other logins everywhere within half a minute', async () => {
      const carol = visit(0);
      await carol.givePassword('carol');
      await carol.submit('/second-factor/add-number', '/second-factor/add-number', {
        phone: CAROL_PHONE,
      });
      expect((await carol.answerCode(readPin({ simulator }, CAROL_PHONE))).headers.location).toBe(
        '/second-factor/settings',
      );

      const elsewhere = visit(1);
      const alice = visit(1);
      await alice.logIn();
      expect((await elsewhere.logIn('carol', CAROL_PHONE)).headers.location).toBe('/account');
      await carol.submit('/account', '/second-factor/add-number', { phone: OTHER_PHONE });
      await carol.answerCode(readPin({ simulator }, OTHER_PHONE));
      expect((await carol.open('/second-factor/settings')).text).toContain('Number ending in 41');
      skippedMs = 30_000;
      expect((await elsewhere.open('/account')).headers.location).toBe('/login');
      expect((await alice.open('/account')).status).toBe(200);

      sites.push(await start());
      expect((await visit(2).logIn('carol', CAROL_PHONE)).headers.location).toBe('/account');
    });

    it('trust a device everywhere', async () => {
      const first = visit(0);
      await first.givePassword('bob');
      const pin = readPin({ simulator }, '+12025550124');
      await first.submit('/second-factor/code', '/second-factor/code', { pin, trustDevice: 'on' });
      const again = visit(1);
      again.setCookie('__Host-sms-otp-device', first.cookie('__Host-sms-otp-device') ?? '');
      expect((await again.givePassword('bob')).headers.location).toBe('/account');
    });
  });
});
