import { createHash } from 'node:crypto'

/** Returns the stored form of a session's value. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
