import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from 'express-session';
import type { FaultName } from 'passport-sms-otp/simulator';
import { startSite, useSite } from './site';
import { createLog } from '../../example-app/log';
import { readPin, Visitor } from './visitor';

const FAULTS: readonly FaultName[] = ['reset', 'html-502', 'half-answer'];

describe('an accident in the example app', () => {
  const site = useSite({ log: createLog('error', { write: (line) => (log += line) }) });
  const visitor = new Visitor(site);
  let log: string;

  beforeEach(() => {
    log = '';
  });

  it.each(FAULTS)(
    'of the gateway (%s) leads to the page of the code, which says so, and the next try works',
    async (fault) => {
      site.simulator.failNext('generate', fault);
      const answer = await visitor.givePassword();
      expect([answer.status, answer.headers.location]).toEqual([303, '/second-factor/code']);
      expect((await visitor.open('/second-factor/code')).text).toContain(
        'We could not send you a code',
      );
      site.advanceSeconds(300);
      expect((await visitor.logIn()).headers.location).toBe('/account');
    },
  );

  it('while the code is judged lets nobody in and leads back', async () => {
    await visitor.givePassword();
    site.simulator.failNext('validate', 'html-502');
    const answer = await visitor.giveCode(readPin(site));
    expect(answer.status).toBe(502);
    expect(answer.text).toContain('href="/second-factor/code"');
    expect((await visitor.open('/account')).headers.location).toBe('/login');
  });

  it('is written down without the code or the number', async () => {
    await visitor.givePassword();
    site.simulator.failNext('validate', 'html-502');
    const pin = readPin(site);
    await visitor.giveCode(pin);
    expect(log).toContain('Error');
    expect(log).not.toContain(pin);
    expect(log).not.toContain('2025550123');
  });

  it('that will take a while leads to the page of the code as well', async () => {
    site.simulator.failNext('auth', { kind: 'error', code: 1004 });
    await visitor.givePassword();
    const answer = await visitor.givePassword();
    expect([answer.status, answer.headers.location]).toEqual([303, '/second-factor/code']);
  });

  it('with the address is a page, not a line of text', async () => {
    const answer = await visitor.open('/no-such-page');
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('This page does not exist');
  });
});

it('the example app answers 503 while the session store is down', async () => {
  const sessionStore = new MemoryStore();
  const site = await startSite({ sessionStore });
  sessionStore.emit('disconnect');
  const answer = await new Visitor(site).open('/login');
  await site.close();
  expect(answer.status).toBe(503);
  expect(answer.text).toContain('We can’t do that right now');
});
