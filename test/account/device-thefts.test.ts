import { beforeEach, describe, expect, it } from '@jest/globals';
import { throwing } from '../support/tampered-store';
import { ALICE } from '../support/test-app';
import { useApp } from '../support/use-app';
import type { Answer, Visit } from '../support/visit';

const test = useApp({ hasFactors: true, isTampered: true });

let alice: Visit;
beforeEach(() => {
  alice = test.browser();
});

/** Another browser that shows the token that a device has now. */
function copyOf(browser: Visit): Visit {
  const copy = test.browser();
  copy.device = browser.device;
  return copy;
}

/** Comes back after the time in which two tabs may show one token. */
async function comeBack(browser: Visit): Promise<Answer> {
  browser.leave();
  test.clock.advanceSeconds(600);
  return browser.login();
}

function endOfDevices(): readonly unknown[] {
  return test.told('device-revoked').map(({ deviceId, reason }) => [deviceId, reason]);
}

/** The owner has two devices, and the token of the first was copied and used. */
async function haveOneStolen(): Promise<{ readonly stolen: string; readonly honest: string }> {
  await alice.trust();
  test.clock.advanceSeconds(600);
  await test.browser().trust();
  const [stolen, honest] = (await test.trustedDevices.list(ALICE.id)).map(
    ({ deviceId }) => deviceId,
  );
  const thief = copyOf(alice);
  expect((await comeBack(thief)).body).toMatchObject({ method: 'trusted-device' });
  return { stolen: stolen ?? '', honest: honest ?? '' };
}

describe('the theft of a device', () => {
  it('is reported for the device whose token was used twice, and others end as changed', async () => {
    const { stolen, honest } = await haveOneStolen();
    expect((await comeBack(alice)).body).toMatchObject({ sent: true });
    expect(endOfDevices()).toEqual([
      [stolen, 'stolen'],
      [honest, 'changed'],
    ]);
    expect(await test.trustedDevices.list(ALICE.id)).toEqual([]);
  });

  it('is reported once where the first request could not end everything', async () => {
    const { stolen, honest } = await haveOneStolen();
    for (let time = 0; time < 2; time += 1) {
      test.tampered.tamper('endAll', throwing);
      expect((await comeBack(alice)).status).toBe(503);
      test.tampered.heal();
    }
    expect(endOfDevices()).toEqual([[stolen, 'stolen']]);
    expect((await comeBack(alice)).body).toMatchObject({ sent: true });
    expect(endOfDevices()).toEqual([
      [stolen, 'stolen'],
      [honest, 'changed'],
    ]);
  });

  it('is reported once where four requests notice it at once', async () => {
    const { stolen } = await haveOneStolen();
    const copies = [alice, copyOf(alice), copyOf(alice), copyOf(alice)];
    test.clock.advanceSeconds(600);
    for (const copy of copies) copy.leave();
    await Promise.all(copies.map((copy) => copy.login()));
    expect(endOfDevices().filter((end) => String(end).includes('stolen'))).toEqual([
      [stolen, 'stolen'],
    ]);
  });
});

describe('a token that is used while another request changes the device', () => {
  /** Lets this happen between the check of the token and the login. */
  function beforeFinish(happen: () => Promise<unknown>): void {
    test.tampered.tamper('finish', async (work) => {
      test.tampered.heal();
      await happen();
      return work();
    });
  }

  it('does not take the place of the token of another tab', async () => {
    await alice.trust();
    alice.leave();
    test.clock.advanceSeconds(600);
    const tab = copyOf(alice);
    beforeFinish(() => tab.login());
    const { device } = alice;
    // A token is good for one login.
    expect((await alice.login()).body).toEqual({ error: 'no-pending-login' });
    expect(alice.device).toBe(device);
    expect(await test.smsOtp.logins?.list(ALICE.id)).toHaveLength(2);

    // The two tabs share the cookie that the faster one got.
    alice.device = tab.device;
    expect((await comeBack(alice)).body).toMatchObject({ method: 'trusted-device' });
    expect(test.told('device-revoked')).toEqual([]);
  });

  it('does not bring a device back that was revoked', async () => {
    await alice.trust();
    alice.leave();
    test.clock.advanceSeconds(600);
    beforeFinish(() => test.trustedDevices.revokeAll(ALICE.id));
    expect((await alice.login()).body).toEqual({ error: 'no-pending-login' });
    expect(await test.trustedDevices.list(ALICE.id)).toEqual([]);
    expect((await comeBack(alice)).body).toMatchObject({ sent: true });
  });
});
