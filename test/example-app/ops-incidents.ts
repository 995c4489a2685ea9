import type { Site } from './site';
import { readWrongPin, Visitor } from './visitor';

/**
 * People wait on the code page, Alice in two browsers, when the gateway dies. They type, and ask
 * for another code.
 */
export async function killGateway(site: Site): Promise<void> {
  const visitors = [
    new Visitor(site),
    new Visitor(site),
    new Visitor(site),
    new Visitor(site),
  ] as const;
  const [known, alice, bob, carol] = visitors;
  await known.logIn('alice');
  await known.submit('/account', '/logout');
  site.advanceSeconds(120);
  await known.givePassword('alice');
  await alice.givePassword('alice');
  await bob.givePassword('bob');
  await carol.givePassword('carol');
  await carol.submit('/second-factor/add-number', '/second-factor/add-number', {
    phone: '+12025550125',
  });
  site.advanceSeconds(120);
  await site.simulator.close();
  for (const visitor of visitors) {
    for (let attempt = 0; attempt < 5; attempt += 1) await visitor.answerCode('000000');
  }
  await alice.submit('/second-factor/code', '/second-factor/resend');
  await bob.submit('/second-factor/code', '/second-factor/resend');
}

/** Somebody who knows Alice's password types codes until she is locked. */
export async function guessCodes(site: Site): Promise<void> {
  const attacker = new Visitor(site);
  await attacker.givePassword('alice');
  for (let attempt = 0; attempt < 5; attempt += 1) await attacker.giveCode(readWrongPin(site));
  site.advanceSeconds(120);
  await attacker.submit('/second-factor/code', '/second-factor/resend');
  for (let attempt = 0; attempt < 5; attempt += 1) await attacker.giveCode(readWrongPin(site));
}

/** Somebody with an account has texts sent to a range of numbers, and enters no code. */
export async function pumpTexts(site: Site): Promise<void> {
  const attacker = new Visitor(site);
  await attacker.givePassword('carol');
  for (let number = 10; number < 15; number += 1) {
    await attacker.submit('/second-factor/add-number', '/second-factor/add-number', {
      phone: `+130555501${number}`,
    });
    site.advanceSeconds(300);
    await attacker.submit('/second-factor/code', '/second-factor/resend');
    site.advanceSeconds(300);
  }
}
