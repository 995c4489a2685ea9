import assert from 'node:assert/strict';
import { ALICE, atOnce, BOB, checksOf, type GatewayCheck, textTo } from './context';

const check = checksOf('generate');

export const generateChecks: readonly GatewayCheck[] = [
  check('makes a message that `textsOf` finds under its number', async (context) => {
    await context.gateway.generate(textTo(ALICE));
    const expected = `textsOf('${ALICE}') finds no message: the number is the one that generate got`;
    assert.equal((await context.textsOf(ALICE)).length > 0, true, expected);
  }),
  check('texts one code to the number, and none to another', async ({ send, countTexts }) => {
    await send();
    assert.deepEqual([await countTexts(ALICE), await countTexts(BOB)], [1, 0]);
  }),
  check('makes a code of 4 to 10 digits', async ({ send }) => {
    const { pin } = await send();
    assert.match(pin, /^[0-9]{4,10}$/);
  }),
  check('makes another code for each message', async ({ send, nextNumber }) => {
    const pins = new Set<string>();
    for (let index = 0; index < 10; index += 1) pins.add((await send({ to: nextNumber() })).pin);
    // Two of ten codes may be equal, once in some thousand runs.
    assert.ok(pins.size > 8, `${pins.size} codes in ten messages`);
  }),
  check('sends the message with the code in the place of [PIN]', async ({ gateway, send }) => {
    if (gateway.writesMessages === false) return;
    const { pin, text } = await send({ message: 'Bank: [PIN] is your code.' });
    assert.equal(text, `Bank: ${pin} is your code.`);
  }),
  check(
    'leaves the other characters of a message as they are',
    async ({ gateway, send, nextNumber }) => {
      if (gateway.writesMessages === false) return;
      for (const rest of ['$& $1 $$ -', 'Код €ü漢 -', '100 % \\n "x" <b> & -']) {
        const { pin, text } = await send({ message: `${rest}[PIN]-`, to: nextNumber() });
        assert.equal(text, `${rest}${pin}-`);
      }
    },
  ),
  check('sends with a sender and without one', async ({ send }) => {
    await send({ sender: 'Bank' });
    await send({ sender: undefined, to: BOB });
  }),
  check('sends to numbers of every length, with all their digits', async ({ send, countTexts }) => {
    const mobiles = ['+33612345678', '+4915123456789', '+290265123', '+8613812345678'];
    for (const to of mobiles) await send({ to });
    assert.deepEqual(await Promise.all(mobiles.map((to) => countTexts(to))), [1, 1, 1, 1]);
  }),
  check('returns an id of 1 to 256 characters without control characters', async ({ send }) => {
    const { id } = await send();
    assert.equal(typeof id, 'string');
    assert.match(id, /^[^\p{Cc}\u2028\u2029]{1,256}$/u);
  }),
  check('returns an id that shows neither the code nor the number', async ({ send }) => {
    const { id, pin, to } = await send();
    assert.ok(!id.includes(pin) && !id.includes(to.slice(1)));
  }),
  check('returns a validity in seconds, or none', async ({ send }) => {
    const { validitySeconds = null } = await send();
    assert.ok(validitySeconds === null || validitySeconds > 0);
  }),
  check('returns a cost as a decimal string, or none', async ({ send }) => {
    const { cost = null } = await send();
    assert.ok(cost === null || /^-?[0-9]+(\.[0-9]+)?$/.test(cost));
  }),
  check('gives two numbers two ids, each with its own code', async ({ send, isRight }) => {
    const [alice, bob] = await Promise.all([send(), send({ to: BOB })]);
    assert.notEqual(alice.id, bob.id);
    assert.deepEqual([await isRight(alice), await isRight(bob)], [true, true]);
  }),
  check(
    'sends to twenty numbers at once, each its own code',
    async ({ send, isRight, nextNumber }) => {
      const texts = await atOnce(20, () => send({ to: nextNumber() }));
      assert.equal(new Set(texts.map(({ id }) => id)).size, 20);
      const verdicts = await Promise.all(texts.map((texted) => isRight(texted)));
      assert.deepEqual(verdicts, Array<boolean>(20).fill(true));
    },
  ),
  check(
    'sends to a number again, or says that certainly no second message was sent',
    async ({ send, gateway, textsOf, isRight }) => {
      const first = await send();
      const second = await gateway.generate(textTo(ALICE)).catch((error: unknown) => error);
      const texts = await textsOf(ALICE);
      if (second instanceof Error) {
        assert.equal((second as { mayHaveArrived?: boolean }).mayHaveArrived, false);
        assert.equal(texts.length, 1);
        assert.equal(await isRight(first), true);
        return;
      }
      assert.equal(texts.length, 2);
      // The call has not thrown, so it has returned an OTP.
      const { id } = second as { id: string };
      assert.equal(await isRight({ id, to: ALICE, pin: texts[1]?.pin ?? '' }), true);
    },
  ),
  check('never returns the id of a code that was right', async ({ send, isRight }) => {
    const first = await send();
    assert.equal(await isRight(first), true);
    assert.notEqual((await send()).id, first.id);
  }),
];
