import type { TestApp } from '../../support/test-app';

type Slot = Record<string, unknown>;

/**
 * Sets the mark of the session that is logged in, as somebody with access to the session store
 * could.
 */
export function setMark(test: TestApp, verified: object | undefined): void {
  changeSlot(test, (slot) => ({ ...slot, verified }));
}

/** Changes what that session believes of the code it waits for. */
export function changePending(test: TestApp, change: object): void {
  changeSlot(test, (slot) => ({ ...slot, pending: { ...Object(slot.pending), ...change } }));
}

function changeSlot({ sessions }: TestApp, change: (slot: Slot) => Slot): void {
  const sid = sessions.ids().find((id) => sessions.rest(id)?.passport !== undefined);
  const data = sessions.rest(String(sid));
  // Our slot, as it rests in the store.
  sessions.put(String(sid), { ...data, smsOtp: change(data?.smsOtp as Slot) });
}
