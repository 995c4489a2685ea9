// Texts and judgements that are lost, once more with `smsGateway` in place of the client.
import '../support/with-sms-gateway';
import './outages.test';
import './long-outages.test';
import './again-and-again.test';
import './number-change-codes.test';
