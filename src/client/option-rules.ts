import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { TokenStore } from '../stores/store';
import type { CertificateAuthority } from './client-options';

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number): z.ZodNumber {
  const problem = `must be a whole number from ${min} to ${max}`;
  return z.number(problem).int(problem).min(min, problem).max(max, problem);
}

/** A text that is not empty. */
export function filledText(): z.ZodString {
  return z.string('must be a text that is not empty').min(1, 'must be a text that is not empty');
}

/** A function; its type is the caller's word. */
export function callback<Callback extends (...values: never[]) => unknown>(): z.ZodCustom<Callback> {
  return z.custom<Callback>((value) => typeof value === 'function', 'must be a function');
}

/** One certificate authority as PEM. */
export function certificateAuthority(): z.ZodCustom<CertificateAuthority> {
  return z.custom<CertificateAuthority>(isCertificate, 'must hold certificates as PEM');
}

/** Something with the two methods of a token store. */
export function tokenStore(): z.ZodCustom<TokenStore> {
  return z.custom<TokenStore>(isTokenStore, 'must have the methods read and renew');
}

function isCertificate(value: unknown): boolean {
  if (typeof value !== 'string' && !Buffer.isBuffer(value)) return false;
  try {
    new X509Certificate(value);
  } catch {
    // The platform's message would quote the text; that it is no certificate is all that matters.
    return false;
  }
  return value.includes('-----BEGIN CERTIFICATE-----');
}

function isTokenStore(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['read', 'renew'].every((name) => typeof Reflect.get(value, name) === 'function');
}

/** The first thing that is wrong with the options of `maker`, by the option's name and without its value. */
export function toOptionError(maker: string, { issues: [issue] }: z.ZodError): TypeError {
  if (issue?.code === 'unrecognized_keys') {
    return new TypeError(`${maker}: unknown option ${[...issue.path, issue.keys[0]].join('.')}`);
  }
  if (issue === undefined || issue.path.length === 0) {
    return new TypeError(`${maker}: options must be an object`);
  }
  return wrongOption(maker, issue.path.join('.'), issue.message);
}

/** An option of `maker` that is not what it has to be. */
export function wrongOption(maker: string, option: string, problem: string): TypeError {
  return new TypeError(`${maker}: ${option} ${problem}`);
}
