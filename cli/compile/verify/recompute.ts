import type { AttestedFact } from '../../../core/compile/archive/recompute/attested.ts'
import { verifyByRecomputation } from '../../../core/compile/archive/recompute/recompute.ts'
import type { VerificationResult } from '../../../core/compile/archive/verify.ts'
import type { StageProgress } from '../../../core/compile/stages/stage-types.ts'
import type { PublicJwk } from '../../../core/ledger/keys/jwk.ts'
import type { CliContext } from '../../context.ts'
import type { Output } from '../../terminal/output.ts'
import { readGivenRows } from '../files/given-rows.ts'
import { mappingOf } from '../files/mapping-options.ts'
import { withBases } from '../model/bases.ts'
import type { VerifyOptions } from './verify.ts'

/** Milliseconds between two reports of progress. */
const REPORT_EVERY_MS = 2000

/** `svc verify --recompute`: verifies an archive, and recomputes what it states. */
export async function recompute(
  context: CliContext,
  bytes: Uint8Array,
  trust: { readonly trustedKeys?: readonly PublicJwk[]; readonly revocations?: unknown },
  { rows, within, bases: folder, ...flags }: VerifyOptions,
): Promise<VerificationResult & { readonly attested: readonly AttestedFact[] }> {
  const given = rows === undefined ? {} : { rows: await readGivenRows(rows, mappingOf(flags), context.limits()) }
  return await withBases(
    context,
    folder,
    async (bases) =>
      await verifyByRecomputation(bytes, {
        ...trust,
        ...given,
        bases,
        onProgress: progressTo(context.output),
        ...(within !== undefined && { withinMs: within * 1000 }),
      }),
  )
}

/** Reports progress on standard error from time to time. */
function progressTo(output: Output): (progress: StageProgress) => void {
  let nextAt = performance.now() + REPORT_EVERY_MS
  return ({ step, done, total }) => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + REPORT_EVERY_MS
    output.note(`recomputing: ${step}, ${Math.round((100 * done) / total)} %`)
  }
}
