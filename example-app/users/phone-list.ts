import type { PhoneEntry } from 'passport-sms-otp';

/** The numbers of one user, the default first. A change returns a new list, or null when it is not allowed. */
export type PhoneList = readonly PhoneEntry[];

export function addUnconfirmed(list: PhoneList, mobile: string): PhoneList {
  const confirmed = list.filter(({ isConfirmed }) => isConfirmed);
  if (find(confirmed, mobile)) return list;
  return [...confirmed, { mobile, isConfirmed: false, isDefault: false }];
}

export function confirm(list: PhoneList, mobile: string): PhoneList | null {
  if (find(list, mobile)?.isConfirmed !== false) return null;
  const hasDefault = list.some(({ isDefault }) => isDefault);
  return sort(list.map((entry) => (entry.mobile === mobile ? confirmed(mobile, !hasDefault) : entry)));
}

export function replace(list: PhoneList, replaced: string, mobile: string): PhoneList | null {
  const old = find(list, replaced);
  if (old?.isConfirmed !== true || find(list, mobile)?.isConfirmed !== false) return null;
  const rest = list.filter((entry) => entry !== old);
  return sort(rest.map((entry) => (entry.mobile === mobile ? confirmed(mobile, old.isDefault) : entry)));
}

export function remove(
  list: PhoneList,
  mobile: string,
  { keepsLast }: { readonly keepsLast: boolean },
): PhoneList | null {
  const gone = find(list, mobile);
  const rest = list.filter((entry) => entry !== gone);
  if (!gone || (keepsLast && gone.isConfirmed && !rest.some(({ isConfirmed }) => isConfirmed))) return null;
  const heir = gone.isDefault ? rest.find(({ isConfirmed }) => isConfirmed) : undefined;
  return heir ? (setDefault(rest, heir.mobile) ?? rest) : rest;
}

export function setDefault(list: PhoneList, mobile: string): PhoneList | null {
  if (find(list, mobile)?.isConfirmed !== true) return null;
  return sort(list.map((entry) => ({ ...entry, isDefault: entry.mobile === mobile })));
}

function find(list: PhoneList, mobile: string): PhoneEntry | undefined {
  return list.find((entry) => entry.mobile === mobile);
}

function confirmed(mobile: string, isDefault: boolean): PhoneEntry {
  return { mobile, isConfirmed: true, isDefault };
}

function sort(list: PhoneList): PhoneList {
  return [...list].sort((one, other) => Number(other.isDefault) - Number(one.isDefault));
}
