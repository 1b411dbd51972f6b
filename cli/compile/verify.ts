import { readFile } from 'node:fs/promises'
import { verifyArchive, type VerificationResult } from '../../core/compile/archive/verify.ts'
import { JwkSet, type PublicJwk } from '../../core/ledger/keys/jwk.ts'
import { readArchiveFile } from './archive-file.ts'
import { withBases } from './model/bases.ts'
import { usageError } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { paint } from '../terminal/output.ts'

/**
 * `svc verify`: 0 for a valid archive by a pinned key, 3 for an intact one when no key is pinned, 7 for a valid one whose
 * answers `--rerun` could not compare, 1 for any other.
 */
export async function verify(
  context: CliContext,
  file: string,
  options: { readonly jwks?: string; readonly rerun?: boolean; readonly bases?: string },
): Promise<number> {
  const bytes = await readArchiveFile(file)
  const pinned = options.jwks === undefined ? (await context.profile()).pinned_keys : await readJwks(options.jwks)
  const result = await withBases(
    context,
    options.bases,
    async (bases) =>
      await verifyArchive(bytes, {
        rerun: options.rerun ?? false,
        bases,
        // With pinned keys, a signature by any other key is refused; without them, the signer's identity is not proven.
        ...(pinned.length > 0 && { trustedKeys: pinned }),
      }),
  )
  const { ok, trusted, fingerprint, checks, reason, detail } = result
  const exitCode = exitCodeOf(result)
  const { cid, job_id: jobId, k_score: kScore } = result.manifest ?? {}
  const report = { ok, trusted, fingerprint, reason, detail, cid, job_id: jobId, k_score: kScore, checks }
  context.output.result(report, () => describe(file, result))
  return exitCode
}

function exitCodeOf(result: VerificationResult): number {
  if (!result.ok) return EXIT.failed
  if (result.trusted !== 'trusted') return EXIT.unknownSigner
  return isCompared(result) ? EXIT.ok : EXIT.notCompared
}

/** False when answers were to be run again and could not be compared with the recorded ones. */
function isCompared({ checks }: Pick<VerificationResult, 'checks'>): boolean {
  return !checks.some(({ name, status }) => name === 'rerun' && status === 'warn')
}

function describe(file: string, { ok, trusted, fingerprint, checks, manifest }: VerificationResult): string {
  const marks = { pass: paint('green', '✔'), warn: paint('yellow', '!'), fail: paint('red', '✘') }
  const verdict = !ok
    ? paint('red', `${file} is NOT valid`)
    : trusted === 'trusted'
      ? paint('green', `${file} is valid, signed by the pinned key ${fingerprint}`)
      : paint(
          'yellow',
          `${file} is intact, but its signer ${fingerprint} is unknown: pin the key with svc login, or name a --jwks FILE`,
        )
  const rest = ok && !isCompared({ checks }) ? [paint('yellow', 'its answers were not run again: see rerun above')] : []
  return [
    ...checks.map(({ name, status, detail }) => `${marks[status]} ${name.padEnd(18)} ${detail}`),
    ...(manifest === undefined ? [] : [`  ${'cid'.padEnd(18)} ${manifest.cid}`]),
    verdict,
    ...rest,
  ].join('\n')
}

async function readJwks(file: string): Promise<readonly PublicJwk[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`${file}: cannot be read`, error)
  })
  try {
    return JwkSet.parse(JSON.parse(text)).keys
  } catch (error) {
    throw usageError(`${file} is not a JWKS of Ed25519 keys`, error)
  }
}
