import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto'

/** Pairs of each length that a process makes, more than any test needs at once. */
const PAIRS = 4

const made = new Map<number, KeyPairKeyObjectResult[]>()

/**
 * A pair of RSA keys with a modulus of so many bits, for a provider that signs. Making one takes as long as many sign-ins, so
 * a process makes a few and gives them in turn: any four of one length in a row differ.
 */
export function rsaKeys(modulusLength = 2048): KeyPairKeyObjectResult {
  const pairs = made.get(modulusLength) ?? []
  const next = (pairs.length < PAIRS ? undefined : pairs.shift()) ?? generateKeyPairSync('rsa', { modulusLength })
  made.set(modulusLength, [...pairs, next])
  return next
}
