import { readFile } from 'node:fs/promises'
import { JwkSet, type PublicJwk } from '../../core/ledger/keys/jwk.ts'
import { usageError } from '../cli-error.ts'

/** Reads the keys of `--jwks FILE`. Throws `CliError` for a file that is no JWKS of Ed25519 keys. */
export async function readJwks(file: string): Promise<readonly PublicJwk[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`${file}: cannot be read`, error)
  })
  try {
    return JwkSet.parse(JSON.parse(text)).keys
  } catch (error) {
    throw usageError(`${file} is not a JWKS of Ed25519 keys`, error)
  }
}
