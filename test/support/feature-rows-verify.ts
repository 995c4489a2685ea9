import type { Outcome } from './feature-outcome';
import {
  each,
  leaves,
  LOGIN_ENDED,
  ON_SUCCESS,
  storeFails,
  WRONG,
  type Rows,
} from './feature-rows';

/** A right code, with the box that trusts the device. */
const CODE = leaves({
  answer: '200',
  pending: 'passed',
  session: 'in',
  records: [1, 1, 1],
  sends: [0, 1, 1],
  told: ['failure-count-changed 0', 'device-trusted', 'verified'],
});
/** The factor has not answered: nothing is counted. */
const CODE_NOT_JUDGED: Outcome = {
  ...CODE,
  answer: '500',
  pending: 'active',
  session: 'out',
  records: [0, 0, 0],
  sends: [1, 1, 1],
  told: [],
};
const CODE_WRONG: Outcome = {
  ...CODE,
  answer: '401 invalid-code',
  pending: 'active',
  session: 'out',
  records: [0, 0, 0],
  guesses: [1, 1, 1, 0],
  sends: [1, 1, 1],
  told: ['rejected wrong-code', 'failure-count-changed 1'],
};
const CODE_NOT_USED: Outcome = {
  ...CODE,
  answer: '500',
  pending: 'active',
  session: 'out',
  records: [0, 0, 0],
  told: [],
};
const CODE_REFUSED: Outcome = {
  ...CODE,
  answer: '401 login-ended',
  pending: 'ended',
  session: 'out',
  records: [0, 0, 0],
  told: [],
};
/** Its session cannot be saved: all records are taken back. */
const CODE_UNSAVED = leaves({
  answer: '503 ERR_SESSION_STORE',
  pending: 'passed',
  session: 'out',
  sends: [0, 1, 1],
  told: ['failure-count-changed 0', 'login-ended unused'],
});
/** The answer of `finish` is lost: all records are taken back. */
const CODE_LOST = leaves({
  answer: '503 ERR_STORE',
  pending: 'ended',
  session: 'out',
  sends: [0, 1, 1],
  told: ['store-failing finish', 'login-ended unused', 'rejected unconfirmed'],
  warned: ['SMS_OTP_STORE_FAILING'],
});
/** A recovery code trusts no device. */
const RECOVERY = leaves({
  answer: '200',
  pending: 'passed',
  session: 'in',
  records: [1, 1, 0],
  sends: [0, 1, 1],
  told: ['recovery-code-used', 'failure-count-changed 0', 'verified'],
});
/** The factor has not answered: nothing is counted. */
const RECOVERY_NOT_JUDGED: Outcome = {
  ...RECOVERY,
  answer: '500',
  pending: 'active',
  session: 'out',
  records: [0, 0, 0],
  sends: [1, 1, 1],
  told: [],
};
const RECOVERY_WRONG: Outcome = {
  ...RECOVERY,
  answer: '401 invalid-code',
  pending: 'active',
  session: 'out',
  records: [0, 0, 0],
  guesses: [0, 0, 0, 1],
  sends: [1, 1, 1],
  told: ['rejected wrong-code'],
};
const RECOVERY_NOT_USED: Outcome = {
  ...RECOVERY,
  answer: '500',
  pending: 'active',
  session: 'out',
  records: [0, 0, 0],
  sends: [1, 1, 1],
  told: [],
};
const RECOVERY_REFUSED: Outcome = {
  ...RECOVERY,
  answer: '401 login-ended',
  pending: 'ended',
  session: 'out',
  records: [0, 0, 0],
  sends: [1, 1, 1],
  told: [],
};
/** Its session cannot be saved: the code stays used. */
const RECOVERY_UNSAVED = leaves({
  answer: '503 ERR_SESSION_STORE',
  pending: 'passed',
  session: 'out',
  sends: [0, 1, 1],
  told: ['recovery-code-used', 'failure-count-changed 0', 'login-ended unused'],
});
/** A code of the app. */
const TOTP = leaves({
  answer: '200',
  pending: 'passed',
  session: 'in',
  records: [1, 1, 0],
  sends: [0, 1, 1],
  told: ['failure-count-changed 0', 'verified'],
});
const TOTP_WRONG: Outcome = {
  ...TOTP,
  answer: '401 invalid-code',
  pending: 'active',
  session: 'out',
  records: [0, 0, 0],
  guesses: [1, 1, 1, 0],
  sends: [1, 1, 1],
  told: ['rejected wrong-code', 'failure-count-changed 1'],
};
const TOTP_NOT_USED: Outcome = {
  ...TOTP,
  answer: '500',
  pending: 'active',
  session: 'out',
  records: [0, 0, 0],
  sends: [1, 1, 1],
  told: [],
};
const TOTP_REFUSED: Outcome = {
  ...TOTP,
  answer: '401 login-ended',
  pending: 'ended',
  session: 'out',
  records: [0, 0, 0],
  sends: [1, 1, 1],
  told: [],
};
/** A challenge for a passkey. */
const OPTIONS = leaves({ answer: '200', pending: 'active', session: 'out', sends: [1, 1, 1] });
/** The response of a passkey. */
const KEY = leaves({
  answer: '200',
  pending: 'ended',
  session: 'in',
  records: [1, 1, 0],
  sends: [0, 1, 1],
  told: ['failure-count-changed 0', 'verified'],
});
const KEY_WRONG: Outcome = {
  ...KEY,
  answer: '401 invalid-code',
  pending: 'active',
  session: 'out',
  records: [0, 0, 0],
  guesses: [0, 0, 0, 1],
  sends: [1, 1, 1],
  told: ['rejected wrong-code'],
};
const KEY_NOT_USED: Outcome = {
  ...KEY,
  answer: '500',
  pending: 'active',
  session: 'out',
  records: [0, 0, 0],
  sends: [1, 1, 1],
  told: [],
};
const KEY_REFUSED: Outcome = {
  ...KEY,
  answer: '401 login-ended',
  session: 'out',
  records: [0, 0, 0],
  sends: [1, 1, 1],
  told: [],
};
/** A right code of a step-up: the login is renewed. */
const STEPPED_UP = leaves({
  answer: '200',
  pending: 'passed',
  session: 'in',
  records: [1, 1, 0],
  sends: [0, 2, 2],
  told: ['failure-count-changed 0', 'login-ended renewed', 'verified'],
});
const STEPPED_UP_NOT_USED: Outcome = { ...STEPPED_UP, answer: '500', pending: 'active', told: [] };
const STEPPED_UP_REFUSED: Outcome = {
  ...STEPPED_UP,
  answer: '401 login-ended',
  pending: 'ended',
  told: [],
};
/** The earlier login comes back. */
const STEPPED_UP_UNSAVED = leaves({
  answer: '503 ERR_SESSION_STORE',
  pending: 'passed',
  session: 'out',
  records: [1, 1, 0],
  sends: [0, 2, 2],
  told: ['failure-count-changed 0', 'login-ended unused'],
});
/** The earlier login cannot come back. */
const STEPPED_UP_LOST = leaves({
  answer: '503 ERR_STORE',
  pending: 'ended',
  session: 'in, no mark',
  records: [0, 1, 0],
  sends: [0, 2, 2],
  told: [
    'store-failing finish',
    'login-ended unused',
    'rejected unconfirmed',
    'login-ended found-ended',
  ],
  warned: ['SMS_OTP_STORE_FAILING'],
});

/** What a code leaves while one call of a feature goes wrong. */
export const VERIFY_ROWS: Rows = {
  code: {
    fine: CODE,
    calls: {
      'sms.factor.sms.read': {
        throws: CODE_NOT_JUDGED,
        refuses: { answer: null, left: { ...CODE_NOT_JUDGED, answer: '400 malformed-code' } },
      },
      'sms.factor.sms.reserve': { throws: CODE_NOT_JUDGED, slow: CODE },
      'sms.factor.sms.isStillValid': {
        throws: CODE_NOT_JUDGED,
        refuses: {
          answer: false,
          left: {
            ...CODE_WRONG,
            answer: '401 no-pending-login',
            pending: 'ended',
            told: ['rejected user-gone', 'failure-count-changed 1'],
          },
        },
        slow: CODE,
      },
      'sms.factor.sms.check': {
        throws: { ...CODE_WRONG, answer: '500', told: ['failure-count-changed 1'] },
        refuses: { answer: WRONG, left: CODE_WRONG },
        slow: CODE,
      },
      ...each(ON_SUCCESS, {
        throws: CODE_NOT_USED,
        refuses: { answer: LOGIN_ENDED, left: CODE_REFUSED },
      }),
      'logins.onSuccess.puts.done': { throws: CODE },
      'trusted-devices.onSuccess.puts.done': {
        throws: { ...CODE, told: ['failure-count-changed 0', 'verified'] },
        slow: { ...CODE, told: ['failure-count-changed 0', 'verified', 'device-trusted'] },
      },
      'known-browsers.onSuccess.puts.done': { throws: CODE, slow: CODE },
      'policies.onSuccess.done': {
        throws: CODE,
        slow: CODE,
        store: {
          charge: {
            ...CODE,
            told: ['failure-count-changed 0', 'device-trusted', 'verified', 'store-failing charge'],
            warned: ['SMS_OTP_STORE_FAILING'],
          },
        },
      },
    },
    finish: {
      refused: {
        ...CODE_NOT_USED,
        answer: '503 ERR_STORE',
        told: ['store-failing finish'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      lost: {
        ...CODE_REFUSED,
        answer: '503 ERR_STORE',
        told: ['store-failing finish', 'login-ended unused', 'rejected unconfirmed'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      nothing: {
        ...CODE_REFUSED,
        answer: '401 no-pending-login',
        told: ['rejected no-pending-login'],
      },
    },
  },
  'code, unsaved': {
    fine: CODE_UNSAVED,
    calls: {
      'logins.onSuccess.puts.undo': {
        throws: { ...CODE_UNSAVED, records: [1, 0, 0], told: ['failure-count-changed 0'] },
        store: {
          'records.remove login': {
            ...CODE_UNSAVED,
            records: [1, 0, 0],
            told: ['failure-count-changed 0', 'store-failing records.remove'],
            warned: ['SMS_OTP_STORE_FAILING'],
          },
        },
      },
      'trusted-devices.onSuccess.puts.undo': {
        throws: { ...CODE_UNSAVED, records: [0, 0, 1] },
        slow: CODE_UNSAVED,
        store: {
          'records.remove device': {
            ...CODE_UNSAVED,
            records: [0, 0, 1],
            told: ['failure-count-changed 0', 'store-failing records.remove', 'login-ended unused'],
            warned: ['SMS_OTP_STORE_FAILING'],
          },
        },
      },
      'known-browsers.onSuccess.puts.undo': {
        throws: { ...CODE_UNSAVED, records: [0, 1, 0] },
        slow: CODE_UNSAVED,
        store: {
          'records.remove browser': {
            ...CODE_UNSAVED,
            records: [0, 1, 0],
            told: ['failure-count-changed 0', 'store-failing records.remove', 'login-ended unused'],
            warned: ['SMS_OTP_STORE_FAILING'],
          },
        },
      },
    },
  },
  'code, lost': {
    fine: CODE_LOST,
    calls: {
      'logins.onSuccess.puts.undo': {
        throws: {
          ...CODE_LOST,
          records: [1, 0, 0],
          told: ['store-failing finish', 'rejected unconfirmed'],
        },
        store: {
          'records.remove login': {
            ...CODE_LOST,
            records: [1, 0, 0],
            told: ['store-failing finish', 'store-failing records.remove', 'rejected unconfirmed'],
          },
        },
      },
      'trusted-devices.onSuccess.puts.undo': {
        throws: { ...CODE_LOST, records: [0, 0, 1] },
        store: {
          'records.remove device': {
            ...CODE_LOST,
            records: [0, 0, 1],
            told: [
              'store-failing finish',
              'store-failing records.remove',
              'login-ended unused',
              'rejected unconfirmed',
            ],
          },
        },
      },
      'known-browsers.onSuccess.puts.undo': {
        throws: { ...CODE_LOST, records: [0, 1, 0] },
        store: {
          'records.remove browser': {
            ...CODE_LOST,
            records: [0, 1, 0],
            told: [
              'store-failing finish',
              'store-failing records.remove',
              'login-ended unused',
              'rejected unconfirmed',
            ],
          },
        },
      },
    },
  },
  'recovery code': {
    fine: RECOVERY,
    calls: {
      'recovery-codes.factor.recovery-code.read': {
        throws: RECOVERY_NOT_JUDGED,
        refuses: { answer: null, left: { ...RECOVERY_NOT_JUDGED, answer: '400 malformed-code' } },
      },
      'recovery-codes.factor.recovery-code.check': {
        throws: RECOVERY_NOT_JUDGED,
        refuses: { answer: WRONG, left: RECOVERY_WRONG },
        slow: RECOVERY,
        store: {
          'records.find recovery-codes': storeFails(RECOVERY_NOT_JUDGED, 'records.find'),
        },
      },
      'recovery-codes.factor.recovery-code.check.puts.done': { throws: RECOVERY, slow: RECOVERY },
      ...each(ON_SUCCESS, {
        throws: RECOVERY_NOT_USED,
        refuses: { answer: LOGIN_ENDED, left: RECOVERY_REFUSED },
      }),
    },
    finish: {
      refused: {
        ...RECOVERY_NOT_USED,
        answer: '503 ERR_STORE',
        told: ['store-failing finish'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      lost: {
        ...RECOVERY_REFUSED,
        answer: '503 ERR_STORE',
        sends: [0, 1, 1],
        told: ['store-failing finish', 'login-ended unused', 'rejected unconfirmed'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      nothing: {
        ...RECOVERY_REFUSED,
        answer: '401 no-pending-login',
        told: ['rejected no-pending-login'],
      },
    },
  },
  'recovery code, unsaved': {
    fine: RECOVERY_UNSAVED,
    calls: {
      'recovery-codes.factor.recovery-code.check.puts.undo': {
        throws: RECOVERY_UNSAVED,
        slow: RECOVERY_UNSAVED,
      },
    },
  },
  totp: {
    fine: TOTP,
    calls: {
      'factors.factor.totp.read': {
        throws: TOTP_NOT_USED,
        refuses: { answer: null, left: { ...TOTP_NOT_USED, answer: '400 malformed-code' } },
      },
      'factors.factor.totp.check': {
        throws: { ...TOTP_WRONG, answer: '500', told: ['failure-count-changed 1'] },
        refuses: { answer: WRONG, left: TOTP_WRONG },
        slow: TOTP,
      },
      ...each(ON_SUCCESS, {
        throws: TOTP_NOT_USED,
        refuses: { answer: LOGIN_ENDED, left: TOTP_REFUSED },
      }),
    },
    finish: {
      refused: {
        ...TOTP_NOT_USED,
        answer: '503 ERR_STORE',
        told: ['store-failing finish'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      lost: {
        ...TOTP_REFUSED,
        answer: '503 ERR_STORE',
        sends: [0, 1, 1],
        told: ['store-failing finish', 'login-ended unused', 'rejected unconfirmed'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      nothing: {
        ...TOTP_REFUSED,
        answer: '401 no-pending-login',
        told: ['rejected no-pending-login'],
      },
    },
  },
  'key options': {
    fine: OPTIONS,
    calls: {
      'factors.factor.key.challenge.createOptions': {
        throws: { ...OPTIONS, answer: '500' },
        slow: OPTIONS,
      },
    },
  },
  key: {
    fine: KEY,
    calls: {
      'factors.factor.key.read': {
        throws: KEY_NOT_USED,
        refuses: { answer: null, left: { ...KEY_NOT_USED, answer: '400 malformed-code' } },
      },
      'factors.factor.key.challenge.take': {
        throws: KEY_NOT_USED,
        refuses: {
          answer: { reason: 'expired' },
          left: { ...KEY_NOT_USED, answer: '401 expired' },
        },
        slow: KEY,
        store: {
          'records.find challenge': storeFails(KEY_NOT_USED, 'records.find'),
          'records.remove challenge': storeFails(KEY_NOT_USED, 'records.remove'),
        },
      },
      'factors.factor.key.check': {
        throws: KEY_NOT_USED,
        refuses: { answer: WRONG, left: KEY_WRONG },
        slow: KEY,
      },
      ...each(ON_SUCCESS, {
        throws: KEY_NOT_USED,
        refuses: { answer: LOGIN_ENDED, left: KEY_REFUSED },
      }),
    },
    finish: {
      refused: {
        ...KEY_NOT_USED,
        answer: '503 ERR_STORE',
        told: ['store-failing finish'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      lost: {
        ...KEY_REFUSED,
        answer: '503 ERR_STORE',
        sends: [0, 1, 1],
        told: ['store-failing finish', 'login-ended unused', 'rejected unconfirmed'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      nothing: {
        ...KEY_REFUSED,
        answer: '401 no-pending-login',
        told: ['rejected no-pending-login'],
      },
    },
  },
  'step-up code': {
    fine: STEPPED_UP,
    calls: {
      'logins.sessions.isStillActive': {
        throws: { ...STEPPED_UP_NOT_USED, sends: [1, 2, 2] },
        refuses: {
          answer: false,
          left: { ...STEPPED_UP_REFUSED, pending: 'active', sends: [1, 2, 2] },
        },
        store: {
          'records.find login': storeFails(
            { ...STEPPED_UP_NOT_USED, sends: [1, 2, 2] },
            'records.find',
          ),
        },
      },
      ...each(ON_SUCCESS, {
        throws: STEPPED_UP_NOT_USED,
        refuses: { answer: LOGIN_ENDED, left: STEPPED_UP_REFUSED },
      }),
      'logins.onSuccess.puts.done': {
        throws: { ...STEPPED_UP, told: ['failure-count-changed 0', 'verified'] },
      },
      'policies.onSuccess.done': {
        throws: STEPPED_UP,
        store: {
          charge: {
            ...STEPPED_UP,
            told: [
              'failure-count-changed 0',
              'login-ended renewed',
              'verified',
              'store-failing charge',
            ],
            warned: ['SMS_OTP_STORE_FAILING'],
          },
        },
      },
    },
    finish: {
      refused: {
        ...STEPPED_UP_NOT_USED,
        answer: '503 ERR_STORE',
        told: ['store-failing finish'],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      lost: {
        ...STEPPED_UP_REFUSED,
        answer: '503 ERR_STORE',
        session: 'in, no mark',
        records: [0, 1, 0],
        told: [
          'store-failing finish',
          'login-ended unused',
          'rejected unconfirmed',
          'login-ended found-ended',
        ],
        warned: ['SMS_OTP_STORE_FAILING'],
      },
      nothing: {
        ...STEPPED_UP_REFUSED,
        answer: '401 no-pending-login',
        told: ['rejected no-pending-login'],
      },
    },
  },
  'step-up code, unsaved': {
    fine: STEPPED_UP_UNSAVED,
    calls: {
      'logins.onSuccess.puts.undo': {
        throws: { ...STEPPED_UP_UNSAVED, told: ['failure-count-changed 0'] },
        store: {
          'records.swap login': {
            ...STEPPED_UP_UNSAVED,
            told: ['failure-count-changed 0', 'store-failing records.swap'],
            warned: ['SMS_OTP_STORE_FAILING'],
          },
        },
      },
    },
  },
  'step-up code, lost': {
    fine: STEPPED_UP_LOST,
    calls: {
      'logins.onSuccess.puts.undo': {
        throws: {
          ...STEPPED_UP_LOST,
          records: [1, 1, 0],
          told: ['store-failing finish', 'rejected unconfirmed', 'login-ended found-ended'],
        },
        store: {
          'records.remove login': {
            ...STEPPED_UP_LOST,
            records: [1, 1, 0],
            told: [
              'store-failing finish',
              'store-failing records.remove',
              'rejected unconfirmed',
              'login-ended found-ended',
            ],
          },
        },
      },
    },
  },
};
