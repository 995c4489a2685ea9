import { describe, expect, it } from '@jest/globals';
import { createApp } from './nest';
import { useSite, type AppOfWalk } from './support/site';
import { stepsOf } from './support/walk';

const APP: AppOfWalk = { variant: 'A', speaksJson: true, createApp };

describe('NestJS: the whole user in the session', () => {
  const site = useSite(APP);

  it.each(stepsOf(APP))('$title', ({ expectStep }) => expectStep(site.visitor()));
});

describe('NestJS: loadUser returns the whole record', () => {
  const site = useSite({ ...APP, createApp: (parts) => createApp(parts, (user) => user) });

  it('a warning names the keys that the first factor did not give', async () => {
    await site.visitor().logIn();
    await site.visitor().logIn();
    const warnings = site.warnings.filter((text) => text.includes('sms_otp_load_user_fields'));
    expect(warnings).toEqual([expect.stringContaining('password')]);
  });
});
