import type { LocaleTexts } from '../locale-texts';

export const en: LocaleTexts = {
  opening: '{name}: ',
  boundOpening: { named: '{name} ', unnamed: 'Your ' },
  plain: {
    login: '{app}[PIN] is your sign-in code. It expires in {min} min. Never share it.',
    'step-up': '{app}[PIN] is your confirmation code. It expires in {min} min. Never share it.',
    transaction: '{app}[PIN] is your code for {amount} to {payee}. It expires in {min} min. Never share it.',
    enrol: '{app}[PIN] is your code to confirm this number. It expires in {min} min. Never share it.',
    'short-transaction': '{app}[PIN]: {amount} to {payee}',
  },
  bound: {
    login: '{app}sign-in code is on the last line. It expires in {min} min. Never share it.',
    'step-up': '{app}confirmation code is on the last line. It expires in {min} min. Never share it.',
    transaction: '{app}code for {amount} to {payee} is on the last line. Never share it.',
    enrol: '{app}new-number code is on the last line. It expires in {min} min. Never share it.',
    'short-transaction': '{amount} to {payee}',
  },
};
