/**
 * The same surfaces as far as the tests use them; the packages are aliases without types of their
 * own.
 */
declare module 'express4' {
  import express from 'express';
  export default express;
}

declare module 'express416' {
  import express from 'express';
  export default express;
}

declare module 'passport06' {
  export { Passport } from 'passport';
}

declare module 'passport05' {
  import passport from 'passport';
  export { Passport } from 'passport';
  export default passport;
}
