// The attacks on limits once more, with `smsGateway` in place of the client.
import '../support/with-sms-gateway';
import './limits-per-code.test';
import './limits-per-user.test';
import './budgets-of-others.test';
import './known-browsers.test';
import './races.test';
import './slow-guessing.test';
import './strangers.test';
