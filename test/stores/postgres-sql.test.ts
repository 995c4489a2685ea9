import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { schemaSql } from 'passport-sms-otp/postgres';

it('docs/postgres.sql is the schema with the default prefix', () => {
  const file = readFileSync(join(__dirname, '../../docs/postgres.sql'), 'utf8');
  expect(file).toBe(schemaSql('sms_otp'));
  expect(file).toBe(schemaSql());
});
