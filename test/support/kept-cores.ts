import { jest } from '@jest/globals';
import type { Core } from '../../src/core/context';
import type * as CreateCoreModule from '../../src/create-core';

/** The core of each app that was started, the newest last. Import this before the package. */
export const cores: Core[] = [];

const MODULE = '../../src/create-core';

jest.mock('../../src/create-core', () => {
  const real = jest.requireActual<typeof CreateCoreModule>(MODULE);
  const createCore: typeof real.createCore = (...given) => {
    const core = real.createCore(...given);
    cores.push(core);
    return core;
  };
  return { ...real, createCore };
});

/** Lets the suites that follow in this process load the module as it is. */
export function forgetCores(): void {
  cores.length = 0;
  jest.unmock(MODULE);
}
