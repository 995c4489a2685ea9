import assert from 'node:assert/strict';
import type { NoteStore } from '../store';
import { challengeFacts } from './challenge-contract';
import { type Bench, factOf, type StoreFact } from './context';
import { amountFacts, counterFacts } from './counter-contract';
import { deviceFacts } from './device-contract';
import { lockFacts } from './lock-contract';
import { recoveryCodeFacts } from './recovery-code-contract';
import { tokenFacts } from './token-contract';

/** `NoteStore`, sentence for sentence. */
export const noteFacts: readonly StoreFact[] = [
  about('a note is read as it was written, and the last one counts', async (notes, { name }) => {
    assert.equal(await notes.read(name('a')), null);
    await notes.write(name('b'), 'other', 600);
    for (const text of ['', ':', '1:2', 'it\'s {x}\n\\ "ü" 語 😀', 'x'.repeat(4_096), 'ü'.repeat(4_096)]) {
      await notes.write(name('a'), text, 600);
      assert.equal(await notes.read(name('a')), text);
    }
    assert.equal(await notes.read(name('b')), 'other');
  }),

  about('a removed note is gone, and no other', async (notes, { name }) => {
    await notes.write(name('a'), 'one', 600);
    await notes.write(name('b'), 'other', 600);
    await notes.remove(name('a'));
    await notes.remove(name('a'));
    assert.equal(await notes.read(name('a')), null);
    assert.equal(await notes.read(name('b')), 'other');
  }),

  about('a note is gone when its time is over, and writing it begins its time anew', async (notes, bench) => {
    const { name } = bench;
    await notes.write(name('a'), 'short', 2);
    await notes.write(name('b'), 'short', 2);
    assert.equal(await notes.read(name('a')), 'short');
    await notes.write(name('b'), 'long', 600);
    await bench.pass(2);
    assert.equal(await notes.read(name('a')), null);
    assert.equal(await notes.read(name('b')), 'long');
    await notes.write(name('a'), 'again', 600);
    assert.equal(await notes.read(name('a')), 'again');
  }),

  about('a text that is too long, or has no life, is refused', async (notes, { name }) => {
    await assert.rejects(notes.write(name('a'), 'x'.repeat(4_097), 600));
    await assert.rejects(notes.write(name('a'), 'x', 0));
    assert.equal(await notes.read(name('a')), null);
  }),
];

function about(title: string, check: (notes: NoteStore, bench: Bench) => Promise<void>): StoreFact {
  return factOf('notes', title, check);
}

export type { OptionalPart, PassSeconds, StoreFact } from './context';
export type {
  Challenge,
  ChallengeStore,
  Charge,
  Claim,
  Count,
  Counter,
  CounterStore,
  DeviceRotation,
  DeviceStore,
  NoteStore,
  Purpose,
  RecoveryCodeStore,
  RenewedToken,
  SmsOtpStore,
  StoredToken,
  TokenStore,
  Transaction,
  TrustedDevice,
  UserId,
} from '../store';

/**
 * What every `SmsOtpStore` must keep to, for any test runner:
 *
 * ```ts
 * for (const { title, run } of storeContract) {
 *   test(title, () => run(() => myStore()));
 * }
 * ```
 *
 * A store may leave out `recoveryCodes`, `devices` and `notes`. Facts about them carry a `part`, and do not hold where it
 * is missing: who leaves a part out leaves out its facts, and says so:
 *
 * ```ts
 * for (const { title, run } of storeContract.filter(({ part }) => part !== 'devices')) …
 * ```
 *
 * Some facts are about time: `run` waits for it, 16 s at most, unless it is told how to let time pass:
 * `run(() => memoryStore({ now: () => time }), (seconds) => void (time += seconds * 1000))`.
 */
export const storeContract: readonly StoreFact[] = [
  ...challengeFacts,
  ...counterFacts,
  ...amountFacts,
  ...lockFacts,
  ...recoveryCodeFacts,
  ...deviceFacts,
  ...noteFacts,
  ...tokenFacts,
];
