import type { Outcome } from './feature-outcome';
import { each, leaves, LOGIN_ENDED, storeFails, storeRejects, type Rows } from './feature-rows';

/** A guarded page, half a minute after the store was asked. */
const GUARDED = leaves({
  answer: '200',
  pending: 'passed',
  session: 'in',
  records: [1, 1, 0],
  sends: [0, 1, 1],
});
/** A right code of a new number: browsers become unknown. */
const ENROLLED = leaves({
  answer: '200',
  pending: 'passed',
  session: 'in',
  records: [1, 0, 0],
  sends: [0, 2, 2],
  told: ['failure-count-changed 0', 'phone-enrolled', 'login-ended renewed', 'verified'],
});
const ENROLLED_NOT_USED: Outcome = {
  ...ENROLLED,
  answer: '500',
  pending: 'active',
  records: [1, 1, 0],
  told: [],
};
const ENROLLED_REFUSED: Outcome = {
  ...ENROLLED,
  answer: '401 login-ended',
  pending: 'ended',
  records: [1, 1, 0],
  told: [],
};
const ENROLLED_UNSAVED = leaves({
  answer: '503 ERR_SESSION_STORE',
  pending: 'passed',
  session: 'out',
  records: [1, 0, 0],
  sends: [0, 2, 2],
  told: ['failure-count-changed 0', 'phone-enrolled', 'login-ended unused'],
});
/** `canPassSecondFactor`. If it is not known, it rejects. */
const ASKED = leaves({ answer: 'true', pending: 'none', session: 'out' });
/** `logins.revokeAll`. Every feature is asked even if one fails. */
const REVOKED = leaves({
  answer: '1',
  pending: 'ended',
  session: 'in, no mark',
  sends: [0, 1, 1],
  told: ['login-ended revoked', 'device-revoked revoked'],
});
/** `unlockUser` */
const UNLOCKED = leaves({
  answer: 'done',
  pending: 'passed',
  session: 'in',
  records: [1, 1, 1],
  sends: [0, 0, 1],
});
/** `forgetUser`. Every feature is asked even if one fails. */
const FORGOTTEN = leaves({
  answer: 'done',
  pending: 'ended',
  session: 'in, no mark',
  sends: [0, 0, 1],
  told: ['login-ended revoked', 'failure-count-changed 0'],
});
/** The same with `logins: false` and `knownBrowsers: false`: the mark alone lets in. */
const FORGOTTEN_BARE = leaves({
  answer: 'done',
  pending: 'ended',
  session: 'in',
  sends: [0, 0, 1],
  told: ['failure-count-changed 0'],
});
/** `exportUser` */
const EXPORTED = leaves({
  answer: 'done',
  pending: 'passed',
  session: 'in',
  records: [1, 1, 1],
  sends: [0, 1, 1],
});
const EXPORTED_BARE = leaves({
  answer: 'done',
  pending: 'passed',
  session: 'in',
  sends: [0, 1, 1],
});

/** What a guard, a new number or an operator leaves while one call of a feature goes wrong. */
export const ACCOUNT_ROWS: Rows = {
  guard: {
    fine: GUARDED,
    calls: {
      'logins.sessions.isChecked': {
        throws: { ...GUARDED, answer: '500' },
        refuses: { answer: false, left: GUARDED },
      },
      'logins.sessions.isActive': {
        throws: { ...GUARDED, answer: '500' },
        refuses: { answer: false, left: { ...GUARDED, answer: '401 login-ended', session: 'out' } },
        slow: GUARDED,
        store: { 'records.find login': storeFails(GUARDED, 'records.find') },
      },
    },
  },
  'new number': {
    fine: ENROLLED,
    calls: {
      ...each(['policies.onSuccess', 'logins.onSuccess', 'known-browsers.onSuccess'], {
        throws: ENROLLED_NOT_USED,
        refuses: { answer: LOGIN_ENDED, left: ENROLLED_REFUSED },
      }),
      'known-browsers.endAll': {
        throws: {
          ...ENROLLED_NOT_USED,
          pending: 'passed',
          told: ['failure-count-changed 0', 'phone-enrolled'],
        },
        store: {
          charge: storeFails({ ...ENROLLED, records: [1, 1, 0] }, [
            'failure-count-changed 0',
            'phone-enrolled',
            'store-failing charge',
          ]),
          'records.list browser': storeFails({ ...ENROLLED, records: [1, 1, 0] }, [
            'failure-count-changed 0',
            'phone-enrolled',
            'store-failing records.list',
          ]),
          'records.removeAll browser': storeFails({ ...ENROLLED, records: [1, 1, 0] }, [
            'failure-count-changed 0',
            'phone-enrolled',
            'store-failing records.removeAll',
          ]),
          clear: storeFails(ENROLLED, [
            'failure-count-changed 0',
            'phone-enrolled',
            'store-failing clear',
          ]),
        },
      },
      'logins.endAll': {
        throws: { ...ENROLLED, answer: '500', told: ['failure-count-changed 0', 'phone-enrolled'] },
        store: {
          'records.removeAll login': storeFails(ENROLLED, [
            'failure-count-changed 0',
            'phone-enrolled',
            'store-failing records.removeAll',
          ]),
        },
      },
      'logins.sessions.renew': {
        throws: { ...ENROLLED, answer: '500', told: ['failure-count-changed 0', 'phone-enrolled'] },
        refuses: {
          answer: null,
          left: {
            ...ENROLLED,
            answer: '401 login-ended',
            told: ['failure-count-changed 0', 'phone-enrolled'],
          },
        },
        slow: ENROLLED,
        store: {
          'records.find login': storeFails(ENROLLED, [
            'failure-count-changed 0',
            'phone-enrolled',
            'store-failing records.find',
          ]),
          'records.swap login': storeFails(ENROLLED, [
            'failure-count-changed 0',
            'phone-enrolled',
            'store-failing records.swap',
          ]),
        },
      },
      'logins.sessions.renew.done': {
        throws: { ...ENROLLED, told: ['failure-count-changed 0', 'phone-enrolled', 'verified'] },
        slow: {
          ...ENROLLED,
          told: ['failure-count-changed 0', 'phone-enrolled', 'verified', 'login-ended renewed'],
        },
      },
    },
  },
  'new number, unsaved': {
    fine: ENROLLED_UNSAVED,
    calls: {
      'logins.sessions.renew.undo': {
        throws: { ...ENROLLED_UNSAVED, told: ['failure-count-changed 0', 'phone-enrolled'] },
        slow: ENROLLED_UNSAVED,
        store: {
          'records.swap login': {
            ...ENROLLED_UNSAVED,
            told: ['failure-count-changed 0', 'phone-enrolled', 'store-failing records.swap'],
            warned: ['SMS_OTP_STORE_FAILING'],
          },
        },
      },
    },
  },
  'can pass': {
    fine: ASKED,
    calls: {
      'sms.has': {
        throws: { ...ASKED, answer: 'rejects: canary: the feature has failed' },
        refuses: { answer: false, left: ASKED },
        slow: ASKED,
      },
    },
  },
  'can pass without a number': {
    fine: ASKED,
    calls: {
      'sms.has': {
        throws: { ...ASKED, answer: 'rejects: canary: the feature has failed' },
        refuses: { answer: false, left: ASKED },
      },
      'factors.has': {
        throws: { ...ASKED, answer: 'rejects: canary: the feature has failed' },
        refuses: { answer: false, left: ASKED },
        slow: ASKED,
      },
      'recovery-codes.has': {
        throws: { ...ASKED, answer: 'rejects: canary: the feature has failed' },
        refuses: { answer: false, left: { ...ASKED, answer: 'false' } },
        slow: ASKED,
        store: { 'records.find recovery-codes': storeRejects(ASKED, 'records.find') },
      },
    },
  },
  'can pass with book': {
    fine: ASKED,
    calls: {
      'phones.has': {
        throws: { ...ASKED, answer: 'rejects: canary: the feature has failed' },
        refuses: { answer: false, left: { ...ASKED, answer: 'false' } },
        slow: ASKED,
      },
    },
  },
  'revoke all': {
    fine: REVOKED,
    calls: {
      'trusted-devices.endAll': {
        throws: {
          ...REVOKED,
          answer: 'rejects: canary: the feature has failed',
          records: [0, 0, 1],
          told: ['login-ended revoked'],
        },
        store: {
          'records.list device': storeRejects({ ...REVOKED, records: [0, 0, 1] }, [
            'login-ended revoked',
            'store-failing records.list',
          ]),
          'records.removeAll device': storeRejects({ ...REVOKED, records: [0, 0, 1] }, [
            'login-ended revoked',
            'store-failing records.removeAll',
          ]),
        },
      },
      'known-browsers.endAll': {
        throws: {
          ...REVOKED,
          answer: 'rejects: canary: the feature has failed',
          records: [0, 1, 0],
        },
        store: {
          charge: storeRejects({ ...REVOKED, records: [0, 1, 0] }, 'charge'),
          'records.list browser': storeRejects({ ...REVOKED, records: [0, 1, 0] }, 'records.list'),
          'records.removeAll browser': storeRejects(
            { ...REVOKED, records: [0, 1, 0] },
            'records.removeAll',
          ),
          clear: storeRejects(REVOKED, 'clear'),
        },
      },
      'logins.endAll': {
        throws: { ...REVOKED, answer: 'rejects: canary: the feature has failed' },
        store: { 'records.removeAll login': storeRejects(REVOKED, 'records.removeAll') },
      },
    },
  },
  unlock: {
    fine: UNLOCKED,
    calls: {
      'known-browsers.listBrowserIds': {
        throws: {
          ...UNLOCKED,
          answer: 'rejects: canary: the feature has failed',
          sends: [0, 1, 1],
        },
        refuses: { answer: [], left: UNLOCKED },
        slow: UNLOCKED,
        store: {
          'records.list browser': storeRejects({ ...UNLOCKED, sends: [0, 1, 1] }, 'records.list'),
        },
      },
    },
  },
  forget: {
    fine: FORGOTTEN,
    calls: {
      'known-browsers.listBrowserIds': {
        throws: {
          ...FORGOTTEN,
          answer: 'rejects: canary: the feature has failed',
          session: 'in',
          records: [1, 1, 1],
          sends: [0, 1, 1],
          told: [],
        },
        refuses: { answer: [], left: FORGOTTEN },
        store: {
          'records.list browser': storeRejects(
            { ...FORGOTTEN, session: 'in', records: [1, 1, 1], sends: [0, 1, 1] },
            ['store-failing records.list'],
          ),
        },
      },
      'trusted-devices.forget': {
        throws: {
          ...FORGOTTEN,
          answer: 'rejects: canary: the feature has failed',
          told: ['device-revoked revoked', 'login-ended revoked'],
        },
        slow: FORGOTTEN,
        store: {
          'records.removeAll device': storeRejects(FORGOTTEN, [
            'store-failing records.removeAll',
            'device-revoked revoked',
            'login-ended revoked',
          ]),
        },
      },
      'recovery-codes.forget': {
        throws: {
          ...FORGOTTEN,
          answer: 'rejects: canary: the feature has failed',
          told: ['login-ended revoked'],
        },
        slow: FORGOTTEN,
        store: {
          'records.remove recovery-codes': storeRejects(FORGOTTEN, [
            'store-failing records.remove',
            'login-ended revoked',
          ]),
        },
      },
    },
  },
  'forget, bare': {
    fine: FORGOTTEN_BARE,
    calls: {
      'known-browsers.listBrowserIds': {
        throws: {
          ...FORGOTTEN_BARE,
          answer: 'rejects: canary: the feature has failed',
          sends: [0, 1, 1],
          told: [],
        },
        refuses: { answer: [], left: FORGOTTEN_BARE },
        store: {
          'records.list browser': storeRejects({ ...FORGOTTEN_BARE, sends: [0, 1, 1] }, [
            'store-failing records.list',
          ]),
        },
      },
      'logins.forget': {
        throws: { ...FORGOTTEN_BARE, answer: 'rejects: canary: the feature has failed', told: [] },
        slow: FORGOTTEN_BARE,
        store: {
          'records.removeAll login': storeRejects(FORGOTTEN_BARE, [
            'store-failing records.removeAll',
          ]),
        },
      },
      'trusted-devices.forget': {
        throws: { ...FORGOTTEN_BARE, answer: 'rejects: canary: the feature has failed', told: [] },
        store: {
          'records.removeAll device': storeRejects(FORGOTTEN_BARE, [
            'store-failing records.removeAll',
          ]),
        },
      },
      'recovery-codes.forget': {
        throws: { ...FORGOTTEN_BARE, answer: 'rejects: canary: the feature has failed', told: [] },
        store: {
          'records.remove recovery-codes': storeRejects(FORGOTTEN_BARE, [
            'store-failing records.remove',
          ]),
        },
      },
    },
  },
  export: {
    fine: EXPORTED,
    calls: {
      'logins.exportUser': {
        throws: { ...EXPORTED, answer: 'rejects: canary: the feature has failed' },
        slow: EXPORTED,
        store: { 'records.list login': storeRejects(EXPORTED, 'records.list') },
      },
      'trusted-devices.exportUser': {
        throws: { ...EXPORTED, answer: 'rejects: canary: the feature has failed' },
        slow: EXPORTED,
        store: { 'records.list device': storeRejects(EXPORTED, 'records.list') },
      },
      'known-browsers.exportUser': {
        throws: { ...EXPORTED, answer: 'rejects: canary: the feature has failed' },
        slow: EXPORTED,
        store: { 'records.list browser': storeRejects(EXPORTED, 'records.list') },
      },
      'recovery-codes.exportUser': {
        throws: { ...EXPORTED, answer: 'rejects: canary: the feature has failed' },
        slow: EXPORTED,
        store: { 'records.find recovery-codes': storeRejects(EXPORTED, 'records.find') },
      },
    },
  },
  'export, bare': {
    fine: EXPORTED_BARE,
    calls: {
      'trusted-devices.exportUser': {
        throws: { ...EXPORTED_BARE, answer: 'rejects: canary: the feature has failed' },
        store: { 'records.list device': storeRejects(EXPORTED_BARE, 'records.list') },
      },
      'known-browsers.exportUser': {
        throws: { ...EXPORTED_BARE, answer: 'rejects: canary: the feature has failed' },
        store: { 'records.list browser': storeRejects(EXPORTED_BARE, 'records.list') },
      },
      'recovery-codes.exportUser': {
        throws: { ...EXPORTED_BARE, answer: 'rejects: canary: the feature has failed' },
        store: { 'records.find recovery-codes': storeRejects(EXPORTED_BARE, 'records.find') },
      },
    },
  },
};
