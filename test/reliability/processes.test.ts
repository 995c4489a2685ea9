import { afterAll, beforeAll } from '@jest/globals';
import './processes/races';
import './processes/budget';
import './processes/limits';
import './processes/one-token';
import { endProcesses, startProcesses } from './processes/several';

// Facts about several processes at once. A process takes seconds to start, so these files share
// them.

beforeAll(startProcesses);
afterAll(endProcesses);
