import { readFile, writeFile } from 'node:fs/promises'
import { checkCredentialSignature, Credential } from '../../../core/compile/artifacts/credential/credential.ts'
import { GetCredentialAnswer, VerifyCredentialAnswer } from '../../../core/compile/wire/artifacts/credential.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { trustKeys } from '../../../core/ledger/keys/jwk.ts'
import { readJwks } from '../../accounts/read-jwks.ts'
import { CliError, usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { confirmOverwrite } from '../../terminal/overwrite.ts'
import { paint } from '../../terminal/output.ts'
import { formatFacts } from '../../terminal/table.ts'
import { findArtifactId } from '../artifact-id.ts'
import { isOnline } from '../run/subject.ts'

/** Options of `svc credential`. */
export interface CredentialOptions {
  readonly output?: string
  readonly force?: boolean
  readonly offline?: boolean
  readonly jwks?: string
}

/**
 * `svc credential`: issues the credential of an artifact, or verifies a file. 0 for a valid one, 1 for an invalid one, 3
 * for one with a right signature when no key is pinned.
 */
export async function credential(context: CliContext, target: string, options: CredentialOptions): Promise<number> {
  if (isOnline(target)) {
    if (options.offline === true || options.jwks !== undefined) {
      throw usageError('--offline and --jwks verify a file: name FILE.json')
    }
    return await issue(context, target, options)
  }
  if (options.output !== undefined) throw usageError('--output needs the id of an artifact')
  return await verify(context, target, options)
}

async function issue(context: CliContext, target: string, options: CredentialOptions): Promise<number> {
  const { output: file } = options
  if (file !== undefined) await confirmOverwrite(file, options.force)
  const client = await context.client()
  const id = await findArtifactId(client, target)
  const issued = await client.call(`/v1/artifacts/${encodeURIComponent(id)}/credential`, GetCredentialAnswer)
  const text = `${JSON.stringify(issued.credential, null, 2)}\n`
  if (file === undefined) {
    context.output.result(issued.credential, () => text.trimEnd())
    return EXIT.ok
  }
  await writeFile(file, text)
  context.output.result({ written: file }, () => `wrote ${file}`)
  return EXIT.ok
}

async function verify(context: CliContext, file: string, options: CredentialOptions): Promise<number> {
  const given = await readDocument(file)
  const signature = await checkOffline(context, given, options)
  if (options.offline === true || signature.reasons.length > 0) {
    const report = { valid: signature.reasons.length === 0, ...signature, revocation_checked: false }
    context.output.result(report, () => describeOffline(file, report))
    if (!report.valid) return EXIT.failed
    return signature.trusted ? EXIT.ok : EXIT.unknownSigner
  }
  const client = await context.guest()
  const call = { method: 'POST', json: { credential: given } } as const
  const verdict = await client.call('/v1/credential/verify', VerifyCredentialAnswer, call)
  context.output.result({ ...verdict, revocation_checked: true }, () =>
    formatFacts([
      [
        'credential',
        verdict.valid ? paint('green', 'valid') : paint('red', `NOT valid: ${verdict.reasons.join(', ')}`),
      ],
      ['artifact', verdict.artifact_id ?? ''],
      ['state', verdict.state ?? 'not shown'],
      ['K-score', verdict.k_score === undefined ? '' : verdict.k_score.toFixed(4)],
      ['CID', verdict.cid ?? ''],
    ]),
  )
  return verdict.valid ? EXIT.ok : EXIT.failed
}

interface OfflineCheck {
  readonly trusted: boolean
  readonly kid: string | null
  readonly reasons: readonly string[]
}

/** Checks form and Ed25519 signature with the pinned keys; without any, against the key in the document. */
async function checkOffline(context: CliContext, given: JsonObject, options: CredentialOptions): Promise<OfflineCheck> {
  const pinned = options.jwks === undefined ? (await context.profile()).pinned_keys : await readJwks(options.jwks)
  const { success, data, error } = Credential.safeParse(given)
  if (!success) {
    const field = error.issues[0]?.path.map(String).join('.') ?? ''
    return { trusted: false, kid: null, reasons: [`malformed_field:${field}`] }
  }
  const { kid } = data.signature_ed25519
  const found = checkCredentialSignature(data, pinned.length > 0 ? trustKeys(pinned) : undefined)
  if (found === 'invalid') return { trusted: false, kid, reasons: ['ed25519_mismatch'] }
  if (found === 'untrusted') return { trusted: false, kid, reasons: ['signer_not_trusted'] }
  return { trusted: found === 'trusted', kid, reasons: [] }
}

function describeOffline(file: string, report: OfflineCheck & { readonly valid: boolean }): string {
  if (!report.valid) return paint('red', `${file} is NOT valid: ${report.reasons.join(', ')}`)
  const signer = report.trusted ? `signed by the pinned key ${report.kid}` : `its signer ${report.kid} is not pinned`
  const line = `${file}: the signature is right, ${signer}; revocation was not checked`
  return paint(report.trusted ? 'green' : 'yellow', line)
}

/** Reads a credential, or the answer that issued it. */
async function readDocument(file: string): Promise<JsonObject> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`${file}: cannot be read`, error)
  })
  try {
    const value: Json = JSON.parse(text)
    if (isJsonObject(value)) return isJsonObject(value['credential']) ? value['credential'] : value
  } catch (error) {
    throw usageError(`${file} is not JSON`, error)
  }
  throw new CliError(`${file} is not a credential`, { code: 'malformed_credential' })
}
