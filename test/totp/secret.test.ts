import { beforeEach, describe, expect, it } from '@jest/globals';
import { URI } from 'otpauth';
import { UsageError } from 'passport-sms-otp';
import { createTotpSecret } from 'passport-sms-otp/totp';
import { enter, NEW, OLD_SECRET, RFC_KEY, SECRET, show, TotpBook } from './authenticator';

const NOW_MS = 1_900_000_000_000;
const now = (): number => NOW_MS;

describe('createTotpSecret', () => {
  it('makes 160 random bits, a link that an authenticator app reads, and a text that shows neither', async () => {
    const { sealed, uri, key } = await createTotpSecret(NEW);
    expect(key).toMatch(/^[A-Z2-7]{32}$/);
    expect(URI.parse(uri)).toMatchObject({
      ...{ issuer: 'Harbour Bank', label: 'alice@example.org', secret: { base32: key } },
      ...{ algorithm: 'SHA1', digits: 6, period: 30 },
    });
    expect(sealed).toMatch(/^totp1\.[\w-]{80}$/);
    expect(sealed).not.toContain(key);
    const others = await Promise.all(Array.from({ length: 20 }, () => createTotpSecret(NEW)));
    expect(new Set([key, ...others.map((other) => other.key)]).size).toBe(21);
  });

  it('seals the same secret differently each time', async () => {
    const [one, other] = [
      await createTotpSecret({ ...NEW, existing: RFC_KEY }),
      await createTotpSecret({ ...NEW, existing: RFC_KEY }),
    ];
    expect(one.key).toBe(RFC_KEY);
    expect(one.uri).toBe(other.uri);
    expect(one.sealed.slice(6, 22)).not.toBe(other.sealed.slice(6, 22));
  });

  it('writes names into the link so that they cannot add to it', async () => {
    const { uri, key } = await createTotpSecret({ ...NEW, issuer: 'A&secret=B', account: 'ä/?#@' });
    expect(URI.parse(uri)).toMatchObject({
      issuer: 'A&secret=B',
      label: 'ä/?#@',
      secret: { base32: key },
    });
    expect(uri.match(/secret=/g)).toHaveLength(1);
  });

  it.each([12, 12n, '12'])(
    'seals for a user with the id %p, who is one and the same',
    async (userId) => {
      const { sealed, key } = await createTotpSecret({ ...NEW, userId });
      const book = new TotpBook();
      book.sealed.set('12', sealed);
      await expect(enter(book.factor({ now }), show(key, NOW_MS), '12')).resolves.toBe(true);
    },
  );

  it.each([
    [
      { secret: 'short' },
      'secret must be a string of at least 32 random characters: `openssl rand -base64 32` makes one',
    ],
    [
      { secret: undefined },
      'secret is missing; it must be a string of at least 32 random characters: `openssl rand -base64 32` makes one',
    ],
    [
      { secret: [] },
      'secret must be a string of at least 32 random characters: `openssl rand -base64 32` makes one',
    ],
    [{ userId: '' }, 'userId must be a string that is not empty'],
    [{ userId: 1.5 }, 'userId must be the id of a user'],
    [{ userId: undefined }, 'userId is missing; it must be the id of a user'],
    [{ issuer: 'Bank: one' }, 'issuer must not be empty or contain a colon'],
    [{ account: '' }, 'account must not be empty or contain a colon'],
    [{ account: 5 }, 'account must be a string'],
    [
      { existing: 'gezd' },
      'existing must be sealed, or base32 of at least 16 capital letters and digits',
    ],
    [
      { existing: `${RFC_KEY}=` },
      'existing must be sealed, or base32 of at least 16 capital letters and digits',
    ],
    [{ acount: 'alice' }, 'unknown option acount, did you mean account?'],
  ])('refuses the options %j, and says why', async (wrong, problem) => {
    const refused = createTotpSecret({ ...NEW, ...wrong } as never);
    await expect(refused).rejects.toThrow(new TypeError(`createTotpSecret: ${problem}`));
  });
});

describe('a sealed secret', () => {
  let book: TotpBook;
  let key: string;

  beforeEach(async () => {
    book = new TotpBook();
    key = await book.add('alice');
  });

  const sealedOf = (userId: string): string => book.sealed.get(userId) ?? '';

  async function expectNotToOpen(
    userId = 'alice',
    secret: string | [string, string] = SECRET,
  ): Promise<void> {
    const error: unknown = await enter(
      book.factor({ now, secret }),
      show(key, NOW_MS),
      userId,
    ).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code: 'ERR_TOTP_SECRET', status: 500 });
    const { message } = error as UsageError;
    expect(message).toMatch(
      /^totpFactor cannot open what findSecret has returned: .*#err_totp_secret/,
    );
    expect(
      [sealedOf(userId), key, userId, SECRET].filter(
        (text) => text !== '' && message.includes(text),
      ),
    ).toEqual([]);
  }

  it('opens for its user', async () => {
    await expect(enter(book.factor({ now }), show(key, NOW_MS))).resolves.toBe(true);
  });

  it('opens for no user to whose row it was copied', async () => {
    book.sealed.set('mallory', sealedOf('alice'));
    await expectNotToOpen('mallory');
  });

  it('opens under a secret that is still in the list, and under no other', async () => {
    key = await book.add('alice', { secret: OLD_SECRET });
    const factor = book.factor({ now, secret: [SECRET, OLD_SECRET] });
    await expect(enter(factor, show(key, NOW_MS))).resolves.toBe(true);
    await expectNotToOpen();
  });

  it('is sealed under the first of a list, also when it was sealed before', async () => {
    key = await book.add('alice', { secret: OLD_SECRET });
    const renewed = await createTotpSecret({
      ...NEW,
      secret: [SECRET, OLD_SECRET],
      existing: sealedOf('alice'),
    });
    expect(renewed.key).toBe(key);
    book.sealed.set('alice', renewed.sealed);
    await expect(enter(book.factor({ now }), show(key, NOW_MS))).resolves.toBe(true);
    await expectNotToOpen('alice', OLD_SECRET);
  });

  it('cannot be sealed again for another user', async () => {
    const moved = createTotpSecret({ ...NEW, userId: 'mallory', existing: sealedOf('alice') });
    await expect(moved).rejects.toMatchObject({ code: 'ERR_TOTP_SECRET' });
  });

  it('does not open with any of its bytes changed', async () => {
    const sealed = sealedOf('alice');
    const bytes = Buffer.from(sealed.slice(6), 'base64url');
    expect(bytes).toHaveLength(12 + 16 + 32);
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      book.sealed.set('alice', `totp1.${changed.toString('base64url')}`);
      await expectNotToOpen();
    }
  });

  it.each(['', 'totp1.', 'totp2.AAAA', RFC_KEY, 'null', `totp1.${'A'.repeat(37)}`])(
    'is nothing else, such as %p',
    async (other) => {
      book.sealed.set('alice', other);
      await expectNotToOpen();
    },
  );

  it('does not open when it was cut short or made longer', async () => {
    const sealed = sealedOf('alice');
    for (const changed of [
      sealed.slice(0, -4),
      `${sealed}AAAA`,
      sealed.slice(0, 30),
      ` ${sealed}`,
    ]) {
      book.sealed.set('alice', changed);
      await expectNotToOpen();
    }
  });
});
