import { integer, maxValue, minValue, number, pipe, regex, string } from 'valibot';

/** A final status, as an option names it. */
export const httpStatus = pipe(number(), integer(), minValue(200), maxValue(599));

/** Anything else would break the answer's head. */
export const headerValue = pipe(string(), regex(/^[\x20-\x7e]+$/));
