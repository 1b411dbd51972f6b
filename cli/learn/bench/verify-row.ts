import { readFile } from 'node:fs/promises'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import { isSignedRow } from '../../../core/learn/evals/inference/signed-row.ts'
import { trustKeys } from '../../../core/ledger/keys/jwk.ts'
import { InferenceRow } from '../../../core/learn/wire/evals/inference.ts'
import { readJwks } from '../../accounts/read-jwks.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'

/**
 * `svc bench verify`: verifies the signature of a row by pinned keys, without the service. Returns the exit code: 3 when no pinned key
 * is the one that it names.
 */
export async function verifyRow(
  context: CliContext,
  file: string,
  { jwks }: { readonly jwks?: string },
): Promise<number> {
  const { row, document } = await readRow(file)
  const keys = trustKeys(jwks === undefined ? (await context.profile()).pinned_keys : await readJwks(jwks))
  const key = keys.get(row.kid)
  const signature = key === undefined ? 'unknown_signer' : isSignedRow(document, key) ? 'trusted' : 'refused'
  const report = { ok: signature === 'trusted', signature, measurement_id: row.measurement_id }
  context.output.result(report, () => `${report.measurement_id}: the signature is ${signature}`)
  return signature === 'trusted' ? EXIT.ok : signature === 'refused' ? EXIT.failed : EXIT.unknownSigner
}

async function readRow(file: string) {
  try {
    const document: Json = JSON.parse(await readFile(file, 'utf8'))
    const { success, data } = InferenceRow.safeParse(document)
    if (success && isJsonObject(document)) return { row: data, document }
  } catch (error) {
    throw usageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`, error)
  }
  throw usageError(`${file} is no row of svc bench inference`)
}
