import { describe, expect, it } from '@jest/globals';
import { phoneBookChecks } from 'passport-sms-otp/testing';
import { readConfig } from '../../example-app/config';
import { redisLists } from '../../example-app/stores';
import { memoryLists, type UserLists } from '../../example-app/lists';
import { createPhoneBook, openUsers } from '../../example-app/users';
import { describeWithService } from '../services/describe-with-service';
import { useRedis } from '../services/use-service';

function checkBook(store: () => UserLists): void {
  it.each(phoneBookChecks)('$title', async (check) => {
    await expect(check.run(() => createPhoneBook(store()))).resolves.toBeUndefined();
  });

  it('a number of the demo is kept only where there was no list', async () => {
    const open = (ALICE_PHONE: string) => openUsers(readConfig({ ALICE_PHONE }), store());
    const [{ phoneBook }] = await Promise.all([open('+12025550101'), open('+12025550102')]);
    const before = await phoneBook.list('user-1');
    expect(before).toHaveLength(1);
    await phoneBook.remove('user-1', before[0]?.mobile ?? '', { keepsLast: false });
    await open('+12025550103');
    expect(await phoneBook.list('user-1')).toEqual([]);
  });

  it('keeps when the user has agreed to texts, as long as the number', async () => {
    const book = createPhoneBook(store());
    const readConsents = async (): Promise<unknown> =>
      Object(JSON.parse((await store().read('dave')) ?? '{}')).consentedAt;
    const [one, other] = ['+12025550151', '+12025550152'];
    await book.addUnconfirmed('dave', one, { consentedAt: 1_000 });
    await book.confirm('dave', one);
    await book.addUnconfirmed('dave', other, { consentedAt: 2_000 });
    expect(await readConsents()).toEqual({ [one]: 1_000, [other]: 2_000 });
    await book.replace('dave', one, other);
    expect(await readConsents()).toEqual({ [other]: 2_000 });
    await book.setDefault('dave', other);
    expect(await readConsents()).toEqual({ [other]: 2_000 });
  });
}

describe('the phone book of the example app in memory', () => {
  const store = memoryLists();
  checkBook(() => store);
});

describeWithService('redis')('the phone book of the example app in Redis', () => {
  const redis = useRedis();
  checkBook(() => redisLists(redis.client));

  it('says that it is away without a word of what was asked', async () => {
    const away = redis.client.duplicate();
    const reading = createPhoneBook(redisLists(away)).list('canary');
    await expect(reading).rejects.toMatchObject({
      status: 503,
      message: 'Users cannot be read: ClientClosedError',
    });
  });
});
