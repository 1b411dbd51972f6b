import { readFileSync } from 'node:fs'
import { sha256 } from '../../../kernel/json/json.ts'

/** Returns the digest of the bytes of `ranking.json`. */
export function rankingDigest(): string {
  return sha256(readFileSync(new URL('./ranking.json', import.meta.url)))
}
