import type { RedisClientType } from 'redis';
import type { PhoneShelf } from './phone-book';
import { hideFailure } from './people-store-error';

const PREFIX = 'harbour:phones:';

/** Compares and changes in one step. An empty text stands for none. */
const SWAP = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`;

/** In Redis, where several processes have no database. */
export function redisShelf(client: RedisClientType): PhoneShelf {
  return {
    read: (userId) => client.get(PREFIX + userId).catch(hideFailure),
    async swap(userId, before, after) {
      const asked = client.eval(SWAP, { keys: [PREFIX + userId], arguments: [before ?? '', after] });
      return (await asked.catch(hideFailure)) === 1;
    },
  };
}
