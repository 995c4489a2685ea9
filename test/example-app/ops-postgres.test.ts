import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { CREATE_FIGURE_TABLE, postgresFigures } from '../../example-app/ops/postgres-figures';
import { describeWithService } from '../services/describe-with-service';
import { startPostgres } from '../services/postgres';
import type { Service } from '../services/service';

describeWithService('postgres')('figures in PostgreSQL', () => {
  let server: Service;
  let pool: Pool;

  beforeAll(async () => {
    server = await startPostgres();
    pool = new Pool({ host: '127.0.0.1', port: server.port, user: 'postgres', database: 'postgres' });
    await pool.query(CREATE_FIGURE_TABLE);
  }, 60_000);

  afterAll(async () => {
    await pool.end();
    await server.close();
  });

  it('add up over processes, all but the balance, and are forgotten after two hours', async () => {
    const shelves = [postgresFigures(pool), postgresFigures(pool)] as const;
    const sent = { minute: 1_000, series: 'sent', label: 'US', amount: 1 } as const;
    const both = [sent, { ...sent, label: 'FR' }];
    await Promise.all(
      Array.from({ length: 40 }, (_gap, index) =>
        shelves[index % 2 ? 1 : 0].add(index % 3 ? both : [...both].reverse()),
      ),
    );
    await shelves[0].add([{ minute: 1_000, series: 'balance', label: '', amount: 9_000_000 }]);
    await shelves[1].add([{ minute: 1_000, series: 'balance', label: '', amount: 8_000_000 }]);
    const figures = await shelves[0].read(1_000);
    expect(new Map(figures.map(({ series, label, amount }) => [`${series} ${label}`, amount]))).toEqual(
      new Map([
        ['sent US', 40],
        ['sent FR', 40],
        ['balance ', 8_000_000],
      ]),
    );
    await shelves[0].add([{ ...sent, minute: 1_121 }]);
    expect((await shelves[1].read(0)).map(({ minute }) => minute)).toEqual([1_121]);
  });
});
