import type { LocaleTexts } from '../locale-texts';

// Sent as UCS-2, 70 units: the bound texts leave the minutes out, and of transactions the name; the last line has the host.
export const ru: LocaleTexts = {
  opening: '{name}: ',
  plain: {
    login: '{app}Код входа [PIN] на {min} мин. Никому не сообщайте.',
    'step-up': '{app}Код операции [PIN] на {min} мин. Никому не сообщайте.',
    transaction: '{app}Код [PIN] для {amount}, {payee}. Никому не сообщайте.',
    enrol: '{app}Код номера [PIN] на {min} мин. Никому не сообщайте.',
    'short-transaction': '{app}[PIN]: {amount}, {payee}',
  },
  bound: {
    login: '{app}Код входа ниже. Это секрет.',
    'step-up': '{app}Код операции ниже. Это секрет.',
    transaction: '{amount}, {payee}. Код ниже.',
    enrol: '{app}Код номера ниже. Это секрет.',
    'short-transaction': '{amount}, {payee}',
  },
};
