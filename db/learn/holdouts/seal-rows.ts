import { createHmac, randomBytes } from 'node:crypto'
import { createSecretBox, type SecretBox, type SecretScope } from '../../kernel/secrets/secret-box.ts'

const KEY_BYTES = 32

/** The key of a corpus, sealed under the master key, and what it is needed for. */
export interface CorpusKey {
  readonly sealedKey: Uint8Array
  /** Salt of the root over its rows: it follows from the key and does not open the rows. */
  readonly salt: Uint8Array
  /** Encrypts the rows. */
  seal(rows: Uint8Array): Uint8Array
  /** Throws an `Error` for bytes that were changed, or are those of another corpus. */
  open(sealed: Uint8Array): Uint8Array
}

/** Makes the key of a new corpus. */
export function makeCorpusKey(secrets: SecretBox, owner: string, corpusId: string): CorpusKey {
  const key = randomBytes(KEY_BYTES)
  return corpusKey(key, secrets.seal(key, scopeOf(owner, corpusId)), scopeOf(owner, corpusId))
}

/** Opens the key of a stored corpus. Throws as `SecretBox.open`. */
export function openCorpusKey(secrets: SecretBox, owner: string, corpusId: string, sealedKey: Uint8Array): CorpusKey {
  return corpusKey(secrets.open(sealedKey, scopeOf(owner, corpusId)), sealedKey, scopeOf(owner, corpusId))
}

function corpusKey(key: Uint8Array, sealedKey: Uint8Array, scope: SecretScope): CorpusKey {
  const box = createSecretBox(key)
  return {
    sealedKey,
    salt: createHmac('sha256', key).update('salt of a holdout').digest(),
    seal: (rows) => box.seal(rows, scope),
    open: (sealed) => box.open(sealed, scope),
  }
}

function scopeOf(owner: string, id: string): SecretScope {
  return { owner, id, purpose: 'holdout' }
}
