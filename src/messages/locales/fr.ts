import type { LocaleTexts } from '../locale-texts';

// Words without ç, ê, ô: they would force UCS-2.
export const fr: LocaleTexts = {
  opening: '{name} : ',
  plain: {
    login: '{app}[PIN] est votre code de connexion. Il expire dans {min} min. Ne le donnez à personne.',
    'step-up':
      '{app}[PIN] est votre code de confirmation. Il expire dans {min} min. Ne le donnez à personne.',
    transaction:
      '{app}[PIN] est votre code pour {amount} à {payee}. Il expire dans {min} min. Ne le donnez à personne.',
    enrol: '{app}[PIN] est votre code pour ce numéro. Il expire dans {min} min. Ne le donnez à personne.',
    'short-transaction': '{app}[PIN] : {amount} à {payee}',
  },
  bound: {
    login:
      '{app}Votre code de connexion est en dernière ligne. Il expire dans {min} min. Ne le donnez à personne.',
    'step-up':
      '{app}Votre code de confirmation est en dernière ligne. Il expire dans {min} min. Ne le donnez à personne.',
    transaction: '{app}Votre code pour {amount} à {payee} est en dernière ligne. Ne le donnez à personne.',
    enrol:
      '{app}Votre code pour ce numéro est en dernière ligne. Il expire dans {min} min. Ne le donnez à personne.',
    'short-transaction': '{amount} à {payee}',
  },
};
