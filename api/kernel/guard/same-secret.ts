import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares without telling by its duration where two texts differ, whatever their lengths. */
export function isSameSecret(expected: string, given: string): boolean {
  return timingSafeEqual(digest(expected), digest(given))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
