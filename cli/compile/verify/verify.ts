import { readFile } from 'node:fs/promises'
import type { AttestedFact } from '../../../core/compile/archive/recompute/attested.ts'
import { isRecomputed } from '../../../core/compile/archive/recompute/is-recomputed.ts'
import type { Acceptance } from '../../../core/compile/archive/schemas/acceptance.ts'
import { verifyArchive, type VerificationResult } from '../../../core/compile/archive/verify.ts'
import { readArchiveFile } from '../files/archive-file.ts'
import type { MappingFlags } from '../files/mapping-options.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { paint } from '../../terminal/output.ts'
import { readJwks } from '../../accounts/read-jwks.ts'
import { formatTime } from '../../terminal/table.ts'

/** Options of `svc verify`. */
export interface VerifyOptions extends MappingFlags {
  readonly jwks?: string
  readonly recompute?: boolean
  readonly rows?: string
  /** Seconds that the recomputation may take. */
  readonly within?: number
  readonly bases?: string
  /** File with the list of revoked archives. */
  readonly revocations?: string
}

/** Reads a JSON file of the user. Throws `CliError`. */
async function readJsonFile(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`${file}: cannot be read`, error)
  })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageError(`${file} is no JSON`, error)
  }
}

/**
 * `svc verify`: 0 for a valid archive by a pinned key, 3 for an intact one when no key is pinned, 7 for a valid one of
 * which `--recompute` could not recompute everything, 1 for any other, also for one that the list of `--revocations` names.
 */
export async function verify(context: CliContext, file: string, options: VerifyOptions): Promise<number> {
  const bytes = await readArchiveFile(file)
  const pinned = options.jwks === undefined ? (await context.profile()).pinned_keys : await readJwks(options.jwks)
  // With pinned keys, a signature by any other key is refused; without them, the signer's identity is not proven.
  const trust = {
    ...(pinned.length > 0 && { trustedKeys: pinned }),
    ...(options.revocations !== undefined && { revocations: await readJsonFile(options.revocations) }),
  }
  const result =
    options.recompute === true
      ? // Loaded on use: it brings the whole compiler.
        await (await import('./recompute.ts')).recompute(context, bytes, trust, options)
      : await verifyArchive(bytes, trust)
  const { ok, trusted, fingerprint, checks, reason, detail } = result
  const attested = 'attested' in result ? { attested: result.attested } : {}
  const { cid, job_id: jobId, k_score: kScore, k_score_floor: floor, accepted } = result.manifest ?? {}
  const facts = { cid, job_id: jobId, k_score: kScore, k_score_floor: floor, accepted }
  const report = { ok, trusted, fingerprint, reason, detail, ...facts, checks, ...attested }
  context.output.result(report, () => describe(file, result, options.recompute === true))
  return exitCodeOf(result, options.recompute === true)
}

function exitCodeOf(result: VerificationResult, isRecomputing: boolean): number {
  if (!result.ok) return EXIT.failed
  if (result.trusted !== 'trusted') return EXIT.unknownSigner
  return isRecomputing && !isRecomputed(result) ? EXIT.notCompared : EXIT.ok
}

function describe(
  file: string,
  result: VerificationResult & { readonly attested?: readonly AttestedFact[] },
  isRecomputing: boolean,
): string {
  const { ok, trusted, fingerprint, checks, manifest, attested = [] } = result
  const marks = { pass: paint('green', '✔'), warn: paint('yellow', '!'), fail: paint('red', '✘') }
  const verdict = !ok
    ? paint('red', `${file} is NOT valid`)
    : trusted === 'trusted'
      ? paint('green', `${file} is valid, signed by the pinned key ${fingerprint}`)
      : paint(
          'yellow',
          `${file} is intact, but its signer ${fingerprint} is unknown: pin the key with svc login, or name a --jwks FILE`,
        )
  const open = ok && isRecomputing && !isRecomputed(result)
  return [
    ...checks.map(({ name, status, detail }) => `${marks[status]} ${name.padEnd(19)} ${detail}`),
    ...attested.map(({ fact, why }) => `  ${'attested only'.padEnd(19)} ${fact}: ${why}`),
    ...(manifest === undefined ? [] : [`  ${'cid'.padEnd(19)} ${manifest.cid}`]),
    verdict,
    ...(ok && manifest?.accepted !== undefined ? [paint('yellow', describeAccepted(manifest.accepted))] : []),
    ...(open ? [paint('yellow', 'not everything was recomputed: see the lines with ! above')] : []),
  ].join('\n')
}

function describeAccepted({ by, at, k_score: kScore, k_score_floor: floor }: Acceptance): string {
  return `accepted below its floor: K ${kScore}, floor ${floor}, by ${by}, ${formatTime(at)}; not ready for production`
}
