/** The database's clock. */
export const NOW = 'statement_timestamp()';

/** The tables of one installation. */
export type Tables = ReturnType<typeof tablesOf>;

/** The functions of one installation. */
export type Functions = ReturnType<typeof functionsOf>;

/**
 * @throws {TypeError} if the prefix is not an identifier that needs no quotes in any version of
 * PostgreSQL.
 */
export function tablesOf(prefix: string) {
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(prefix)) {
    throw new TypeError(
      'prefix must be 1 to 40 lowercase letters, digits and underscores, the first not a digit',
    );
  }

  return {
    counter: `${prefix}_counter`,
    token: `${prefix}_token`,
    pendingLogin: `${prefix}_pending_login`,
    record: `${prefix}_record`,
    /** A row for each owner and kind of records that was changed recently. */
    turn: `${prefix}_turn`,
  };
}

/**
 * Returns the names of the functions. A process with an earlier release may use them at the same
 * time. So a function whose parameters or effects change gets the next number, and the old one
 * stays.
 */
export function functionsOf(prefix: string) {
  return {
    checkTime: `${prefix}_check_time_v1`,
    takeTurn: `${prefix}_take_turn_v1`,
    putRecord: `${prefix}_put_record_v3`,
    swapRecord: `${prefix}_swap_record_v2`,
    removeRecords: `${prefix}_remove_records_v2`,
    beginLogin: `${prefix}_begin_login_v3`,
    attachOtp: `${prefix}_attach_otp_v3`,
    endLogins: `${prefix}_end_logins_v2`,
    finish: `${prefix}_finish_v4`,
  };
}
