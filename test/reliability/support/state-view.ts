import { Redis } from 'ioredis';
import { Client } from 'pg';
import { connectionOf } from '../../services/postgres';

/** What rests in a store at one moment, read past the library. */
export interface StateView {
  /** The count of each counter that stands. */
  readonly counters: ReadonlyMap<string, number>;
  /** The OTP ids of live texts. */
  readonly texts: ReadonlySet<string>;
  /** What would stay for ever. */
  readonly immortal: readonly string[];
}

/** Looks into a store. */
export interface Viewer {
  look(): Promise<StateView>;
  close(): Promise<void>;
}

export async function viewRedis(port: number, prefix = 'sms-otp'): Promise<Viewer> {
  const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true });
  client.on('error', () => undefined);
  await client.connect();
  const root = `{${prefix}}:`;

  async function look(): Promise<StateView> {
    const keys = await client.keys(`${root}*`);
    const [counters, texts, immortal] = [
      new Map<string, number>(),
      new Set<string>(),
      [] as string[],
    ];
    for (const key of keys) {
      const name = key.slice(root.length);
      // A key may end between two questions: -2.
      if ((await client.pttl(key)) === -1) immortal.push(name);
      if (name.startsWith('pending-login:')) {
        for (const field of await client.hkeys(key))
          if (field.startsWith('otp:')) texts.add(field.slice('otp:'.length));
      }
      if (!name.startsWith('counter:')) continue;
      const [, count] = /^2:(\d+):/.exec((await client.get(key)) ?? '') ?? [];
      if (count !== undefined) counters.set(name.slice('counter:'.length), Number(count));
    }
    return { counters, texts, immortal };
  }
  return {
    look,
    close: () => {
      client.disconnect();
      return Promise.resolve();
    },
  };
}

export async function viewPostgres(port: number): Promise<Viewer> {
  let client = await connect(port);

  /** Whatever has happened to the server, the next look sees it. */
  async function query(text: string): Promise<readonly Record<string, string | null>[]> {
    try {
      return (await client.query<Record<string, string | null>>(text)).rows;
    } catch {
      // The server was restarted meanwhile.
      client = await connect(port);
      return (await client.query<Record<string, string | null>>(text)).rows;
    }
  }

  async function look(): Promise<StateView> {
    const counters = await query(
      'SELECT key, count::text, GREATEST(reset_at, locked_until) IS NULL AS stays FROM sms_otp_counter',
    );
    const texts = await query(
      "SELECT otp ->> 'otpId' AS otp_id FROM sms_otp_pending_login, jsonb_array_elements(otps) AS otp WHERE expires_at > now()",
    );
    return {
      counters: new Map(counters.map(({ key, count }) => [String(key), Number(count)])),
      texts: new Set(texts.map(({ otp_id: otpId }) => String(otpId))),
      immortal: counters.filter(({ stays }) => Boolean(stays)).map(({ key }) => String(key)),
    };
  }
  return { look, close: () => client.end() };
}

async function connect(port: number): Promise<Client> {
  const client = new Client(connectionOf(port));
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
