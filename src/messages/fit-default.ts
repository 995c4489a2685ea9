import { measureTemplate } from '../protocol/message-length';
import { defaultMessage, type DefaultMessageParts } from './default-message';
import type { TextKind } from './locale-texts';

/**
 * The default text as it is sent. In a script of UCS-2 a name and an autofill line seldom both fit 70 units: where they do
 * not, the name is left out, because the host in the last line says whose code it is.
 */
export function fitDefault(parts: DefaultMessageParts, kind: TextKind, maxPinDigits: number): string {
  const text = defaultMessage(parts, kind);
  if (parts.autofillHost === undefined || parts.appName === undefined) return text;
  if (measureTemplate(text, maxPinDigits).problem === null) return text;
  const nameless = defaultMessage({ ...parts, appName: undefined }, kind);
  // A name that forces UCS-2 upon a text of GSM 7-bit is a mistake to be told, not mended.
  return measureTemplate(nameless, maxPinDigits).encoding === 'ucs-2' ? nameless : text;
}
