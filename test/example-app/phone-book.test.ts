import { describe, expect, it } from '@jest/globals';
import { phoneBookContract } from 'passport-sms-otp/phone-book-contract';
import { readConfig } from '../../example-app/config';
import { redisLists } from '../../example-app/stores';
import { memoryLists, type UserLists } from '../../example-app/lists';
import { createPhoneBook, openUsers } from '../../example-app/users';
import { describeWithService } from '../services/describe-with-service';
import { useRedis } from '../services/use-service';

function checkFacts(store: () => UserLists): void {
  it.each(phoneBookContract)('$title', async (fact) => {
    await expect(fact.run(() => createPhoneBook(store()))).resolves.toBeUndefined();
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
}

describe('the phone book of the example app in memory', () => {
  const store = memoryLists();
  checkFacts(() => store);
});

describeWithService('redis')('the phone book of the example app in Redis', () => {
  const redis = useRedis();
  checkFacts(() => redisLists(redis.client));

  it('says that it is away without a word of what was asked', async () => {
    const away = redis.client.duplicate();
    const reading = createPhoneBook(redisLists(away)).list('canary');
    await expect(reading).rejects.toMatchObject({
      status: 503,
      message: 'Users cannot be read: ClientClosedError',
    });
  });
});
