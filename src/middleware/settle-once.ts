import type { WrittenSuccess } from '../core/feature';

/** A success that is settled once, whatever calls it. */
export interface Settlement extends WrittenSuccess {
  /** Whether it was undone: then the session that names it is not saved any more. */
  readonly isUndone: () => boolean;
}

/** The first of `done` and `undo` decides. A later call of either waits for it. */
export function settleOnce({ done, undo }: WrittenSuccess): Settlement {
  let settled: Promise<void> | undefined;
  let isUndone = false;

  return {
    done: () => (settled ??= done()),
    undo() {
      isUndone ||= settled === undefined;
      return (settled ??= undo());
    },
    isUndone: () => isUndone,
  };
}
