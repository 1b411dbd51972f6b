import { buildContent, packContent } from '../../../../core/compile/archive/members/content.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { prepareBlob } from '../../../../db/kernel/blobs/put-blob.ts'
import type { CompileDeps } from '../deps.ts'
import { doStage, runStages, type StageWork } from '../run-stage.ts'
import { BundleSummary, type JobRef } from '../results.ts'
import { plainCost } from '../stage-data.ts'

/** The stage `bundle` as an activity of its own, for runs that began before `buildArtifact` existed. */
export async function bundle(deps: CompileDeps, ref: JobRef): Promise<BundleSummary> {
  return await runStages(deps, ref, bundleStage)
}

/** Writes the content members of the archive. The same verdict gives the same bytes, and so the same CID. */
export async function bundleStage(work: StageWork): Promise<BundleSummary> {
  const { deps, data } = work
  return await doStage(work, 'bundle', BundleSummary, async () => {
    const startedAt = performance.now()
    const { chosen, verifier, evals, equality, rows, certificate } = await data.verdict()
    if (chosen === null) throw COMPILE_ERRORS.compile_failed('there is no recipe to bundle')
    const content = buildContent({ recipe: chosen.data, verifier, evals, equality, rows, certificate })
    const packed = await prepareBlob(deps.db, await packContent(content))
    data.keepOutput('bundle', packed.sha256, content)
    return {
      outcome: 'done',
      result: { cid: content.cid, members: content.members.size, sizeBytes: packed.sizeBytes },
      blobSha256: packed.sha256,
      blobs: [packed],
      cost: plainCost(startedAt),
      next: 'sign',
      isQuick: true,
    }
  })
}
