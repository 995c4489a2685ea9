import { until } from '../stores/until';
import { connectNodeRedis, type TestClient } from '../stores/redis-clients';
import { startRedis } from './redis';
import { findFreePort, type Service } from './service';

/** Masters of one cluster, without replicas: each has a part of the slots. */
export interface RedisCluster {
  readonly ports: readonly number[];
  /** A client of each master alone. */
  readonly masters: readonly TestClient[];
  close(): Promise<void>;
}

const SLOTS = 16_384;

export async function startRedisCluster(size: number): Promise<RedisCluster> {
  const busPorts = await Promise.all(Array.from({ length: size }, findFreePort));
  const servers: Service[] = [];
  const masters: TestClient[] = [];
  for (const busPort of busPorts) {
    // The usual bus port, 10,000 above the other one, may be none at all.
    const settings = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
    const server = await startRedis([...settings, '--cluster-announce-ip', '127.0.0.1']);
    servers.push(server);
    masters.push(await connectNodeRedis(server.port));
  }
  for (const [index, { command }] of masters.entries()) {
    const [from, to] = [index, index + 1].map((part) => Math.floor((SLOTS * part) / size));
    await command('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
    await command('CLUSTER', 'ADDSLOTSRANGE', String(from), String(Number(to) - 1));
    const met = [servers[0]?.port, busPorts[0]].map(String);
    if (index > 0) await command('CLUSTER', 'MEET', '127.0.0.1', ...met);
  }
  for (const { command } of masters) {
    await until(async () => {
      const state = String(await command('CLUSTER', 'INFO'));
      return state.includes('cluster_state:ok') && state.includes(`cluster_size:${size}`);
    });
  }
  return {
    ports: servers.map(({ port }) => port),
    masters,
    close: async () => {
      await Promise.all(masters.map((master) => master.close()));
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
