import { partWith, type Sabotage } from './sabotage';

/**
 * Ways in which amounts, recovery codes, devices, browsers and notes may be kept wrong, each of
 * which a fact must notice.
 */
export const sabotagesOfParts: Record<string, Sabotage> = {
  'ignores amounts': partWith('counters', (kept) => ({
    charge: (counters) => kept.charge(counters.map(({ amount: _amount, ...counter }) => counter)),
  })),
  'takes nothing back': partWith('counters', (kept) => ({
    charge: (counters) =>
      kept.charge(counters.map((one) => ({ ...one, amount: Math.max(0, one.amount ?? 1) }))),
  })),
  'compares before it adds': partWith('counters', (kept) => ({
    charge: async (counters) => {
      const read = counters.map((one) => ({ ...one, amount: 1, isOnlyRead: true }));
      const { refusedBy, counts } = await kept.charge(read);
      if (refusedBy !== null) return { refusedBy, counts };
      return kept.charge(counters.map(({ max: _max, ...one }) => one));
    },
  })),
  'spends without end': partWith('recoveryCodes', (kept) => ({
    spend: async (userId) => ({ isSpent: true, left: await kept.count(userId) }),
  })),
  'reads codes, then spends them': partWith('recoveryCodes', (kept) => ({
    spend: async (userId, hash) => {
      const left = await kept.count(userId);
      const { isSpent } = await kept.spend(userId, hash);
      return { isSpent, left: isSpent ? left - 1 : left };
    },
  })),
  'keeps earlier codes': partWith('recoveryCodes', (kept) => ({
    replace: (userId, hashes) => kept.replace(userId, hashes, { isFirst: true }),
  })),
  'takes any codes for the first': partWith('recoveryCodes', (kept) => ({
    replace: (userId, hashes) => kept.replace(userId, hashes),
  })),
  'looks for codes, then writes the first': partWith('recoveryCodes', (kept) => ({
    replace: async (userId, hashes, options) => {
      if (options?.isFirst === true && (await kept.count(userId)) > 0) return false;
      return kept.replace(userId, hashes);
    },
  })),
  'gives codes to everybody': partWith('recoveryCodes', (kept) => ({
    replace: (_userId, hashes, options) => kept.replace('all', hashes, options),
    spend: (_userId, hash) => kept.spend('all', hash),
    count: () => kept.count('all'),
  })),
  'rotates whatever is shown': partWith('devices', (kept) => ({
    rotate: async (userId, deviceId, token) => {
      const found = (await kept.list(userId)).find((one) => one.deviceId === deviceId);
      return kept.rotate(userId, deviceId, { ...token, seenHash: found?.tokenHash ?? '' });
    },
  })),
  'lengthens the life of a device with each use': partWith('devices', (kept) => ({
    rotate: async (userId, deviceId, token) => {
      const rotated = await kept.rotate(userId, deviceId, token);
      if (rotated.outcome === 'rotated') await kept.add(rotated.device, 600, 10);
      return rotated;
    },
  })),
  'keeps any number of devices': partWith('devices', (kept) => ({
    add: (device, ttlSeconds) => kept.add(device, ttlSeconds, 1_000),
  })),
  'lists the newest device first': partWith('devices', (kept) => ({
    list: async (userId) => (await kept.list(userId)).toReversed(),
  })),
  'removes no device': partWith('devices', () => ({ remove: () => Promise.resolve(true) })),
  'removes all devices but one': partWith('devices', (kept) => ({
    removeAll: async (userId) => {
      const listed = await kept.list(userId);
      for (const { deviceId } of listed.slice(1)) await kept.remove(userId, deviceId);
      return listed.length;
    },
  })),
  'keeps devices for ever': partWith('devices', (kept) => ({
    add: (device, _ttlSeconds, most) => kept.add(device, 1_000_000, most),
  })),
  'keeps any number of browsers': partWith('browsers', (kept) => ({
    remember: (browser, ttlSeconds) => kept.remember(browser, ttlSeconds, 1_000),
  })),
  'names no browser that goes': partWith('browsers', (kept) => ({
    remember: async (browser, ttlSeconds, most) => {
      await kept.remember(browser, ttlSeconds, most);
      return [];
    },
  })),
  'lists browsers, then writes one': partWith('browsers', (kept) => ({
    remember: async (browser, ttlSeconds, most) => {
      const { userId, browserId } = browser;
      const others = (await kept.list(userId)).filter((one) => one.browserId !== browserId);
      await kept.remember(browser, ttlSeconds, 1_000);
      return others.slice(most - 1).map((one) => one.browserId);
    },
  })),
  'drops the browser that it writes, when it is the oldest': partWith('browsers', (kept) => ({
    remember: async (browser, ttlSeconds, most) => {
      const listed = await kept.list(browser.userId);
      const isOldest = listed.every(({ seenAt }) => seenAt > browser.seenAt);
      if (listed.length >= most && isOldest) return [browser.browserId];
      return kept.remember(browser, ttlSeconds, most);
    },
  })),
  'keeps the first time of a browser': partWith('browsers', (kept) => ({
    remember: async (browser, ttlSeconds, most) => {
      const former = (await kept.list(browser.userId)).find(
        (one) => one.browserId === browser.browserId,
      );
      return kept.remember(former ?? browser, ttlSeconds, most);
    },
  })),
  'lists the oldest browser first': partWith('browsers', (kept) => ({
    list: async (userId) => (await kept.list(userId)).toReversed(),
  })),
  'keeps browsers for ever': partWith('browsers', (kept) => ({
    remember: (browser, _ttlSeconds, most) => kept.remember(browser, 1_000_000, most),
  })),
  'never lengthens the life of a browser': partWith('browsers', (kept) => ({
    remember: async (browser, ttlSeconds, most) => {
      const listed = await kept.list(browser.userId);
      if (listed.some(({ browserId }) => browserId === browser.browserId)) return [];
      return kept.remember(browser, ttlSeconds, most);
    },
  })),
  'forgets no browser': partWith('browsers', (kept) => ({
    forget: async (userId) => (await kept.list(userId)).map(({ browserId }) => browserId),
  })),
  'forgets browsers without naming them': partWith('browsers', (kept) => ({
    forget: async (userId) => {
      await kept.forget(userId);
      return [];
    },
  })),
  'gives browsers to everybody': partWith('browsers', (kept) => ({
    remember: (browser, ttlSeconds, most) =>
      kept.remember({ ...browser, userId: 'all' }, ttlSeconds, most),
    list: async (userId) => (await kept.list('all')).map((one) => ({ ...one, userId })),
    forget: () => kept.forget('all'),
  })),
  'takes any browser': partWith('browsers', (kept) => ({
    remember: async (browser, ttlSeconds, most) =>
      kept
        .remember(browser, ttlSeconds, most)
        .catch(() => kept.remember({ ...browser, browserId: 'x' }, 600, 5)),
  })),
  'keeps notes for ever': partWith('notes', (kept) => ({
    write: (key, text) => kept.write(key, text, 1_000_000),
  })),
  'keeps the first note': partWith('notes', (kept) => ({
    write: async (key, text, ttlSeconds) => {
      if ((await kept.read(key)) === null) await kept.write(key, text, ttlSeconds);
    },
  })),
  'cuts notes': partWith('notes', (kept) => ({
    write: (key, text, ttlSeconds) => kept.write(key, text.slice(0, 1_000), ttlSeconds),
  })),
  'removes no note': partWith('notes', () => ({ remove: () => Promise.resolve() })),
};
