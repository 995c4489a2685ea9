import type { LocaleTexts } from '../locale-texts';

// Sent as UCS-2, 70 units: the bound texts leave the minutes out, and of transactions the name; the last line has the host.
// No bidi marks: parsers of the last line stumble over them.
export const ar: LocaleTexts = {
  opening: '{name}: ',
  plain: {
    login: '{app}رمز الدخول [PIN]. صالح {min} د. لا تشاركه.',
    'step-up': '{app}رمز التأكيد [PIN]. صالح {min} د. لا تشاركه.',
    transaction: '{app}رمز دفع {amount} إلى {payee}: [PIN]. لا تشاركه.',
    enrol: '{app}رمز هذا الرقم [PIN]. صالح {min} د. لا تشاركه.',
    'short-transaction': '{app}[PIN]: {amount} إلى {payee}',
  },
  bound: {
    login: '{app}رمز الدخول أدناه. لا تشاركه.',
    'step-up': '{app}رمز التأكيد أدناه. لا تشاركه.',
    transaction: 'دفع {amount} إلى {payee}. الرمز أدناه.',
    enrol: '{app}رمز هذا الرقم أدناه. لا تشاركه.',
    'short-transaction': '{amount} إلى {payee}',
  },
};
