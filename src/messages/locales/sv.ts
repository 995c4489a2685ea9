import type { LocaleTexts } from '../locale-texts';

export const sv: LocaleTexts = {
  opening: '{name}: ',
  plain: {
    login: '{app}[PIN] är din inloggningskod. Den gäller i {min} min. Dela den aldrig.',
    'step-up': '{app}[PIN] är din bekräftelsekod. Den gäller i {min} min. Dela den aldrig.',
    transaction: '{app}[PIN] är din kod för {amount} till {payee}. Den gäller i {min} min. Dela den aldrig.',
    enrol: '{app}[PIN] är din kod för det här numret. Den gäller i {min} min. Dela den aldrig.',
    'short-transaction': '{app}[PIN]: {amount} till {payee}',
  },
  bound: {
    login: '{app}Din inloggningskod står på sista raden. Den gäller i {min} min. Dela den aldrig.',
    'step-up': '{app}Din bekräftelsekod står på sista raden. Den gäller i {min} min. Dela den aldrig.',
    transaction: '{app}Din kod för {amount} till {payee} står på sista raden. Dela den aldrig.',
    enrol: '{app}Din kod för det här numret står på sista raden. Den gäller i {min} min. Dela den aldrig.',
    'short-transaction': '{amount} till {payee}',
  },
};
