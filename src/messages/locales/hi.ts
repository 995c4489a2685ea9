import type { LocaleTexts } from '../locale-texts';

// Sent as UCS-2, 70 units: the bound texts leave the minutes out, and of transactions the name; the last line has the host.
export const hi: LocaleTexts = {
  opening: '{name}: ',
  plain: {
    login: '{app}लॉगिन कोड [PIN], {min} मिनट तक मान्य। गोपनीय रखें।',
    'step-up': '{app}पुष्टि कोड [PIN], {min} मिनट तक मान्य। गोपनीय रखें।',
    transaction: '{app}{payee} को {amount} का कोड [PIN] है। गोपनीय रखें।',
    enrol: '{app}नंबर का कोड [PIN], {min} मिनट तक मान्य। गोपनीय रखें।',
    'short-transaction': '{app}[PIN]: {payee} को {amount}',
  },
  bound: {
    login: '{app}लॉगिन कोड नीचे है। गोपनीय रखें।',
    'step-up': '{app}पुष्टि कोड नीचे है। गोपनीय रखें।',
    transaction: '{payee} को {amount}। कोड नीचे है।',
    enrol: '{app}नंबर का कोड नीचे है। गोपनीय रखें।',
    'short-transaction': '{payee} को {amount}',
  },
};
