import type { RedisClientType } from 'redis';
import type { PhoneListStore } from './phone-book';
import { hideFailure } from './user-store-error';

const PREFIX = 'harbour:phones:';

/** Compares and sets in one step. An empty string stands for no value. */
const SWAP = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`;

/** Keeps the lists in Redis, for several processes without a database. */
export function redisPhoneLists(client: RedisClientType): PhoneListStore {
  return {
    read: (userId) => client.get(PREFIX + userId).catch(hideFailure),
    async swap(userId, before, after) {
      const asked = client.eval(SWAP, { keys: [PREFIX + userId], arguments: [before ?? '', after] });
      return (await asked.catch(hideFailure)) === 1;
    },
  };
}
