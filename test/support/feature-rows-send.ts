import type { Outcome } from './feature-outcome';
import {
  DENIED,
  each,
  leaves,
  LOGIN_ENDED,
  ON_SUCCESS,
  storeFails,
  type Rows,
} from './feature-rows';

/** A message is sent. */
const LOGIN = leaves({ answer: '200', pending: 'active', session: 'out', sends: [1, 1, 1] });
/** The request and the pending login end, and no message is counted. */
const LOGIN_ENDS: Outcome = { ...LOGIN, answer: '500', pending: 'ended', sends: [0, 0, 0] };
/** The login waits for a recovery code. */
const LOGIN_WITHOUT_ADDRESS: Outcome = {
  ...LOGIN,
  answer: '403 no-phone',
  sends: [0, 0, 0],
  told: ['denied no-phone'],
};
/** No message is sent. The login goes on with another factor. */
const LOGIN_DENIED: Outcome = {
  ...LOGIN,
  answer: '403 denied',
  sends: [0, 0, 0],
  told: ['denied denied'],
};
/** The quota of a policy is used up. */
const REFUSED = leaves({
  answer: '429 send-limit',
  pending: 'active',
  session: 'out',
  told: ['policy-decided', 'denied send-limit'],
});
/** A login that needs no second factor: no mark, no trust. */
const FREE = leaves({
  answer: '200',
  pending: 'passed',
  session: 'in, no mark',
  records: [1, 0, 0],
});
const FREE_NOT_USED: Outcome = {
  ...FREE,
  answer: '500',
  pending: 'ended',
  session: 'out',
  records: [0, 0, 0],
};
const FREE_REFUSED: Outcome = {
  ...FREE,
  answer: '401 no-pending-login',
  pending: 'ended',
  session: 'out',
  records: [0, 0, 0],
};
/** A login by a trusted device: a mark and the next token, no other trust. */
const DEVICE = leaves({
  answer: '200',
  pending: 'passed',
  session: 'in',
  records: [2, 1, 1],
  sends: [0, 1, 1],
  told: ['device-used'],
});
const DEVICE_NOT_USED: Outcome = {
  ...DEVICE,
  answer: '500',
  pending: 'ended',
  session: 'out',
  records: [1, 1, 1],
  told: [],
};
const DEVICE_REFUSED: Outcome = {
  ...DEVICE,
  answer: '401 no-pending-login',
  pending: 'ended',
  session: 'out',
  records: [1, 1, 1],
  told: [],
};
/** Its session cannot be saved: the login is undone. */
const DEVICE_UNSAVED = leaves({
  answer: '503 ERR_SESSION_STORE',
  pending: 'ended',
  session: 'out',
  records: [1, 1, 1],
  sends: [0, 1, 1],
  told: ['login-ended unused'],
});
/** The answer of `finish` is lost: the login is undone. */
const DEVICE_LOST = leaves({
  answer: '503 ERR_STORE',
  pending: 'ended',
  session: 'out',
  records: [1, 1, 1],
  sends: [0, 1, 1],
  told: ['store-failing finish', 'login-ended unused'],
  warned: ['SMS_OTP_STORE_FAILING'],
});
/** All else of the user ends, and a message is sent. */
const STOLEN = leaves({
  answer: '200',
  pending: 'active',
  session: 'out',
  sends: [1, 2, 2],
  told: ['device-revoked stolen', 'login-ended changed'],
});
const STOLEN_ENDS: Outcome = {
  ...STOLEN,
  answer: '500',
  pending: 'ended',
  records: [2, 1, 1],
  sends: [0, 1, 1],
  told: [],
};
/** The second message of a pending login. */
const RESENT = leaves({ answer: '200', pending: 'active', session: 'out', sends: [2, 2, 2] });
/** The pending login stays as it was. */
const RESEND_FAILS: Outcome = { ...RESENT, answer: '500', sends: [1, 1, 1] };
const RESEND_DENIED: Outcome = {
  ...RESENT,
  answer: '403 denied',
  sends: [1, 1, 1],
  told: ['denied denied'],
};
/** A message for a step-up. */
const STEP_UP = leaves({
  answer: '200',
  pending: 'active',
  session: 'in',
  records: [1, 1, 0],
  sends: [1, 2, 2],
});
/** A login in a session that is logged in: its earlier login ends. */
const AGAIN = leaves({
  answer: '200',
  pending: 'active',
  session: 'out',
  records: [0, 1, 0],
  sends: [1, 2, 2],
  told: ['login-ended logout'],
});

/** What a send leaves while one call of a feature goes wrong. */
export const SEND_ROWS: Rows = {
  login: {
    fine: LOGIN,
    calls: {
      'known-browsers.begins': {
        throws: { ...LOGIN_ENDS, pending: 'none' },
        refuses: { answer: null, left: LOGIN },
        slow: LOGIN,
      },
      'trusted-devices.letsIn': {
        throws: LOGIN_ENDS,
        refuses: { answer: null, left: LOGIN },
        slow: LOGIN,
      },
      'factors.offers': { throws: LOGIN_ENDS, refuses: { answer: [], left: LOGIN }, slow: LOGIN },
      'recovery-codes.offers': {
        throws: LOGIN_ENDS,
        refuses: { answer: [], left: LOGIN },
        slow: LOGIN,
        store: { 'records.find recovery-codes': storeFails(LOGIN_ENDS, 'records.find') },
      },
      'sms.factor.sms.delivery.listAddresses': {
        throws: { ...LOGIN_WITHOUT_ADDRESS, warned: ['SMS_OTP_UNUSABLE_PHONE'] },
        refuses: { answer: [], left: LOGIN_WITHOUT_ADDRESS },
        slow: LOGIN,
      },
      'policies.beforeMessage': { throws: LOGIN_ENDS, refuses: { answer: null, left: LOGIN } },
      ...each(['policies.beforeMessage.check', 'policies.beforeMessage.listRows'], {
        throws: LOGIN_ENDS,
        refuses: { answer: DENIED, left: LOGIN_DENIED },
        slow: LOGIN,
        store: { charge: storeFails(LOGIN_ENDS, 'charge') },
      }),
      'policies.beforeMessage.checkPaid': {
        throws: LOGIN_ENDS,
        refuses: { answer: DENIED, left: LOGIN_DENIED },
        slow: LOGIN,
      },
      'policies.beforeMessage.after': {
        throws: LOGIN,
        store: {
          charge: { ...LOGIN, told: ['store-failing charge'], warned: ['SMS_OTP_STORE_FAILING'] },
        },
      },
    },
  },
  'login with book': {
    fine: LOGIN,
    calls: {
      'policies.beforeMessage': { throws: LOGIN_ENDS, refuses: { answer: null, left: LOGIN } },
      ...each(['policies.beforeMessage.check', 'policies.beforeMessage.listRows'], {
        throws: LOGIN_ENDS,
        refuses: { answer: DENIED, left: { ...LOGIN_DENIED, pending: 'ended' } },
      }),
      'policies.beforeMessage.after': { throws: LOGIN },
    },
  },
  'refused login': {
    fine: REFUSED,
    calls: {
      'policies.beforeMessage.listRows.refuse': {
        throws: { ...REFUSED, answer: '500', pending: 'ended', told: [] },
      },
    },
  },
  'login with no factor': {
    fine: FREE,
    calls: {
      ...each(ON_SUCCESS, {
        throws: FREE_NOT_USED,
        refuses: { answer: LOGIN_ENDED, left: FREE_REFUSED },
        slow: FREE,
      }),
      'logins.onSuccess.puts.done': { throws: FREE, slow: FREE },
    },
    finish: {
      refused: {
        ...FREE_REFUSED,
        answer: '503 ERR_STORE',
        told: ['store-failing finish'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      lost: {
        ...FREE_REFUSED,
        answer: '503 ERR_STORE',
        told: ['store-failing finish', 'login-ended unused'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      nothing: FREE_REFUSED,
    },
  },
  'login with device': {
    fine: DEVICE,
    calls: {
      'trusted-devices.letsIn': {
        throws: DEVICE_NOT_USED,
        refuses: {
          answer: null,
          left: { ...DEVICE_REFUSED, answer: '200', pending: 'active', sends: [1, 2, 2] },
        },
        store: {
          charge: storeFails(DEVICE_REFUSED, 'charge'),
          'records.find device': storeFails(DEVICE_REFUSED, 'records.find'),
        },
      },
      ...each(ON_SUCCESS, {
        throws: DEVICE_NOT_USED,
        refuses: { answer: LOGIN_ENDED, left: DEVICE_REFUSED },
      }),
      'logins.onSuccess.puts.done': { throws: DEVICE },
      'trusted-devices.letsIn.puts.done': { throws: { ...DEVICE, told: [] }, slow: DEVICE },
    },
    finish: {
      refused: {
        ...DEVICE_REFUSED,
        answer: '503 ERR_STORE',
        told: ['store-failing finish'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      lost: {
        ...DEVICE_REFUSED,
        answer: '503 ERR_STORE',
        told: ['store-failing finish', 'login-ended unused'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      nothing: DEVICE_REFUSED,
    },
  },
  'login with device, unsaved': {
    fine: DEVICE_UNSAVED,
    calls: {
      'logins.onSuccess.puts.undo': {
        throws: { ...DEVICE_UNSAVED, records: [2, 1, 1], told: [] },
        slow: DEVICE_UNSAVED,
        store: {
          'records.remove login': {
            ...DEVICE_UNSAVED,
            records: [2, 1, 1],
            told: ['store-failing records.remove'],
            warned: ['SMS_OTP_STORE_FAILING'],
          },
        },
      },
      'trusted-devices.letsIn.puts.undo': {
        throws: DEVICE_UNSAVED,
        slow: DEVICE_UNSAVED,
        store: {
          'records.swap device': {
            ...DEVICE_UNSAVED,
            told: ['store-failing records.swap', 'login-ended unused'],
            warned: ['SMS_OTP_STORE_FAILING'],
          },
        },
      },
    },
  },
  'login with device, lost': {
    fine: DEVICE_LOST,
    calls: {
      'logins.onSuccess.puts.undo': {
        throws: { ...DEVICE_LOST, records: [2, 1, 1], told: ['store-failing finish'] },
        store: {
          'records.remove login': {
            ...DEVICE_LOST,
            records: [2, 1, 1],
            told: ['store-failing finish', 'store-failing records.remove'],
          },
        },
      },
      'trusted-devices.letsIn.puts.undo': {
        throws: DEVICE_LOST,
        store: {
          'records.swap device': storeFails(DEVICE_LOST, [
            'store-failing finish',
            'store-failing records.swap',
            'login-ended unused',
          ]),
        },
      },
    },
  },
  'login with stolen device': {
    fine: STOLEN,
    calls: {
      'trusted-devices.letsIn': {
        throws: STOLEN_ENDS,
        refuses: { answer: null, left: { ...STOLEN, records: [2, 1, 1], told: [] } },
        store: {
          charge: storeFails(STOLEN_ENDS, 'charge'),
          'records.find device': storeFails(STOLEN_ENDS, 'records.find'),
          'records.swap device': storeFails(STOLEN_ENDS, 'records.swap'),
          endAll: storeFails(STOLEN_ENDS, ['device-revoked stolen', 'store-failing endAll']),
          'records.list device': storeFails({ ...STOLEN_ENDS, records: [0, 0, 1] }, [
            'device-revoked stolen',
            'store-failing records.list',
            'login-ended changed',
          ]),
          'records.removeAll device': storeFails({ ...STOLEN_ENDS, records: [0, 0, 1] }, [
            'device-revoked stolen',
            'store-failing records.removeAll',
            'login-ended changed',
          ]),
          'records.list browser': storeFails({ ...STOLEN_ENDS, records: [0, 1, 1] }, [
            'device-revoked stolen',
            'store-failing records.list',
            'login-ended changed',
          ]),
          'records.removeAll browser': storeFails({ ...STOLEN_ENDS, records: [0, 1, 1] }, [
            'device-revoked stolen',
            'store-failing records.removeAll',
            'login-ended changed',
          ]),
          clear: storeFails({ ...STOLEN_ENDS, records: [0, 0, 1] }, [
            'device-revoked stolen',
            'store-failing clear',
            'login-ended changed',
          ]),
          'records.removeAll login': storeFails({ ...STOLEN_ENDS, records: [2, 0, 1] }, [
            'device-revoked stolen',
            'store-failing records.removeAll',
          ]),
          'records.remove device': storeFails(
            { ...STOLEN, pending: 'ended', records: [0, 0, 1], sends: [0, 1, 1] },
            'records.remove',
          ),
        },
      },
      'trusted-devices.endAll': {
        throws: {
          ...STOLEN,
          answer: '500',
          pending: 'ended',
          records: [0, 0, 1],
          sends: [0, 1, 1],
        },
        slow: STOLEN,
        store: {
          'records.list device': storeFails({ ...STOLEN_ENDS, records: [0, 0, 1] }, [
            'device-revoked stolen',
            'store-failing records.list',
            'login-ended changed',
          ]),
          'records.removeAll device': storeFails({ ...STOLEN_ENDS, records: [0, 0, 1] }, [
            'device-revoked stolen',
            'store-failing records.removeAll',
            'login-ended changed',
          ]),
        },
      },
      'known-browsers.endAll': {
        throws: {
          ...STOLEN,
          answer: '500',
          pending: 'ended',
          records: [0, 1, 1],
          sends: [0, 1, 1],
        },
        slow: STOLEN,
        store: {
          charge: storeFails({ ...STOLEN_ENDS, records: [0, 1, 1] }, [
            'device-revoked stolen',
            'store-failing charge',
            'login-ended changed',
          ]),
          'records.list browser': storeFails({ ...STOLEN_ENDS, records: [0, 1, 1] }, [
            'device-revoked stolen',
            'store-failing records.list',
            'login-ended changed',
          ]),
          'records.removeAll browser': storeFails({ ...STOLEN_ENDS, records: [0, 1, 1] }, [
            'device-revoked stolen',
            'store-failing records.removeAll',
            'login-ended changed',
          ]),
          clear: storeFails({ ...STOLEN_ENDS, records: [0, 0, 1] }, [
            'device-revoked stolen',
            'store-failing clear',
            'login-ended changed',
          ]),
        },
      },
      'logins.endAll': {
        throws: { ...STOLEN_ENDS, records: [2, 0, 1], told: ['device-revoked stolen'] },
        slow: STOLEN,
        store: {
          'records.removeAll login': storeFails({ ...STOLEN_ENDS, records: [2, 0, 1] }, [
            'device-revoked stolen',
            'store-failing records.removeAll',
          ]),
        },
      },
    },
  },
  resend: {
    fine: RESENT,
    calls: {
      'policies.beforeMessage': { throws: RESEND_FAILS, refuses: { answer: null, left: RESENT } },
      ...each(['policies.beforeMessage.check', 'policies.beforeMessage.listRows'], {
        throws: RESEND_FAILS,
        refuses: { answer: DENIED, left: RESEND_DENIED },
        store: { charge: storeFails(RESEND_FAILS, 'charge') },
      }),
      'policies.beforeMessage.checkPaid': {
        throws: RESEND_FAILS,
        refuses: { answer: DENIED, left: RESEND_DENIED },
      },
      'policies.beforeMessage.after': {
        throws: RESENT,
        store: {
          charge: { ...RESENT, told: ['store-failing charge'], warned: ['SMS_OTP_STORE_FAILING'] },
        },
      },
    },
  },
  'step-up': {
    fine: STEP_UP,
    calls: {
      'logins.sessions.isStillActive': {
        throws: { ...STEP_UP, answer: '500', pending: 'passed', sends: [0, 1, 1] },
        refuses: {
          answer: false,
          left: { ...STEP_UP, answer: '401 login-ended', pending: 'passed', sends: [0, 1, 1] },
        },
        slow: STEP_UP,
        store: {
          'records.find login': storeFails(
            { ...STEP_UP, pending: 'passed', sends: [0, 1, 1] },
            'records.find',
          ),
        },
      },
      'known-browsers.begins': {
        throws: { ...STEP_UP, answer: '500', pending: 'passed', sends: [0, 1, 1] },
        refuses: { answer: null, left: STEP_UP },
      },
      'policies.beforeMessage.check': {
        throws: { ...STEP_UP, answer: '500', pending: 'ended', sends: [0, 1, 1] },
        refuses: {
          answer: DENIED,
          left: { ...STEP_UP, answer: '403 denied', sends: [0, 1, 1], told: ['denied denied'] },
        },
        store: { charge: storeFails({ ...STEP_UP, pending: 'ended', sends: [0, 1, 1] }, 'charge') },
      },
    },
  },
  'second password': {
    fine: AGAIN,
    calls: {
      'logins.sessions.end': {
        throws: {
          ...AGAIN,
          answer: '500',
          pending: 'ended',
          session: 'in',
          records: [1, 1, 0],
          sends: [0, 2, 2],
          told: [],
        },
        slow: AGAIN,
        store: {
          'records.remove login': storeFails(
            { ...AGAIN, pending: 'ended', session: 'in', records: [1, 1, 0], sends: [0, 2, 2] },
            ['store-failing records.remove'],
          ),
        },
      },
    },
  },
};
