// Texts and judgements that are lost, once more with `smsGateway` in place of the client.
import { jest } from '@jest/globals';
import '../support/with-sms-gateway';
import './outages.test';
import './long-outages.test';
import './again-and-again.test';
import './number-change-codes.test';

// The longest of theirs: the last one that is said counts for all.
jest.setTimeout(600_000);
