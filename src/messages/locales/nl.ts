import type { LocaleTexts } from '../locale-texts';

export const nl: LocaleTexts = {
  opening: '{name}: ',
  plain: {
    login: '{app}[PIN] is je inlogcode. Verloopt over {min} min. Deel de code met niemand.',
    'step-up': '{app}[PIN] is je bevestigingscode. Verloopt over {min} min. Deel de code met niemand.',
    transaction:
      '{app}[PIN] is je code voor {amount} aan {payee}. Verloopt over {min} min. Deel de code met niemand.',
    enrol: '{app}[PIN] is je code voor dit nummer. Verloopt over {min} min. Deel de code met niemand.',
    'short-transaction': '{app}[PIN]: {amount} aan {payee}',
  },
  bound: {
    login: '{app}Je inlogcode staat op de laatste regel. Verloopt over {min} min. Deel de code met niemand.',
    'step-up':
      '{app}Je bevestigingscode staat op de laatste regel. Verloopt over {min} min. Deel de code met niemand.',
    transaction:
      '{app}Je code voor {amount} aan {payee} staat op de laatste regel. Deel de code met niemand.',
    enrol:
      '{app}Je code voor dit nummer staat op de laatste regel. Verloopt over {min} min. Deel de code met niemand.',
    'short-transaction': '{amount} aan {payee}',
  },
};
