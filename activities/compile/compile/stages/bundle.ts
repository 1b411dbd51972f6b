import { buildContent, packContent } from '../../../../core/compile/archive/members/content.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { putBlob } from '../../../../db/kernel/blobs/put-blob.ts'
import type { CompileDeps } from '../deps.ts'
import { runStage } from '../run-stage.ts'
import { BundleSummary, type JobRef } from '../results.ts'
import { loadVerdict, plainCost } from '../stage-data.ts'

/** Writes the content members of the archive. The same verdict gives the same bytes, and so the same CID. */
export async function bundle(deps: CompileDeps, ref: JobRef): Promise<BundleSummary> {
  return await runStage(deps, ref, 'bundle', { schema: BundleSummary }, async () => {
    const startedAt = performance.now()
    const { chosen, verifier, evals, equality, certificate } = await loadVerdict(deps, ref)
    if (chosen === null) throw COMPILE_ERRORS.compile_failed('there is no recipe to bundle')
    const content = buildContent({ recipe: chosen.data, verifier, evals, equality, certificate })
    const { sha256, sizeBytes } = await putBlob(deps.db, await packContent(content))
    return {
      outcome: 'done',
      result: { cid: content.cid, members: content.members.size, sizeBytes },
      blobSha256: sha256,
      cost: plainCost(startedAt),
    }
  })
}
