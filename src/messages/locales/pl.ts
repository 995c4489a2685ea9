import type { LocaleTexts } from '../locale-texts';

// Words without ą, ć, ę, ł, ń, ó, ś, ź, ż: they would force UCS-2.
export const pl: LocaleTexts = {
  opening: '{name}: ',
  plain: {
    login: '{app}[PIN] to kod logowania. Wygasa za {min} min. Nie podawaj go nikomu.',
    'step-up': '{app}[PIN] to kod potwierdzenia. Wygasa za {min} min. Nie podawaj go nikomu.',
    transaction: '{app}[PIN] to kod na {amount} dla {payee}. Wygasa za {min} min. Nie podawaj go nikomu.',
    enrol: '{app}[PIN] to kod dla tego numeru. Wygasa za {min} min. Nie podawaj go nikomu.',
    'short-transaction': '{app}[PIN]: {amount} dla {payee}',
  },
  bound: {
    login: '{app}Kod logowania jest w ostatnim wierszu. Wygasa za {min} min. Nie podawaj go nikomu.',
    'step-up': '{app}Kod potwierdzenia jest w ostatnim wierszu. Wygasa za {min} min. Nie podawaj go nikomu.',
    transaction: '{app}Kod na {amount} dla {payee} jest w ostatnim wierszu. Nie podawaj go nikomu.',
    enrol: '{app}Kod dla tego numeru jest w ostatnim wierszu. Wygasa za {min} min. Nie podawaj go nikomu.',
    'short-transaction': '{amount} dla {payee}',
  },
};
