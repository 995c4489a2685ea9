import { describe, expect, it } from '@jest/globals';
import { createApp } from './strict-json';
import { useSite, type AppOfWalk } from './support/site';
import { stepsOf } from './support/walk';

const APP: AppOfWalk = { variant: 'B', speaksJson: true, prefix: '/api', createApp };

describe('strict TypeScript: a JSON API with integer ids', () => {
  const site = useSite(APP);

  it.each(stepsOf(APP))('$title', ({ expectStep }) => expectStep(site.visitor()));

  it('addresses with a port: 130 visitors share no limit', async () => {
    const statuses = new Set<number>();
    for (let number = 1; number <= 130; number += 1) {
      const visitor = site.visitor();
      const { name: username, password } = visitor.person;
      const address = { 'X-Forwarded-For': `203.0.113.${number}:40000` };
      const { status } = await visitor.browser.post('/api/login', { username, password }, address);
      statuses.add(status);
    }
    expect([...statuses]).toEqual([200]);
  });
});
