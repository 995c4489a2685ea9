import type { WrittenSuccess } from '../core/feature';

/** A success that is settled only once, by the first call. */
export interface Settlement extends WrittenSuccess {
  /** Whether it was undone. If so, the session that names it is no longer saved. */
  readonly isUndone: () => boolean;
}

/**
 * Makes a success settle only once. The first call of `done` or `undo` decides, and later calls of
 * either wait for it.
 */
export function settleOnce(success: WrittenSuccess): Settlement {
  let settled: Promise<void> | undefined;
  let isUndone = false;

  return {
    done: () => (settled ??= success.done()),
    undo() {
      isUndone ||= settled === undefined;
      return (settled ??= success.undo());
    },
    isUndone: () => isUndone,
  };
}
