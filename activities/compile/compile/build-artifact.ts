import type { HeldSlot } from '../../compute-slot.ts'
import { planStage } from './adapter/plan-adapter.ts'
import type { CompileDeps } from './deps.ts'
import { endGated } from './finish.ts'
import type { BuildSummary, JobRef } from './results.ts'
import { inLane, runStages, type StageWork } from './run-stage.ts'
import { bundleStage } from './stages/bundle.ts'
import { sampleStage } from './stages/k-sample.ts'
import { signStage } from './stages/sign.ts'
import { verifyStage } from './stages/verify.ts'

/**
 * Searches, scores, bundles, signs and publishes, or ends the job as gated: all stages of a job that needs neither a
 * teacher nor a trainer. For one that does, it returns where it stopped, and continues from there when it is repeated.
 * Every stage records its result before the next, so an attempt after a crash repeats at most the stage that ran.
 */
export async function buildArtifact(deps: CompileDeps, ref: JobRef): Promise<BuildSummary> {
  const build = async (work: StageWork): Promise<BuildSummary> => {
    const scored = await inLane(work, 'short', score)
    const { adapter } = scored
    if (adapter === null || adapter.status === 'planned') return { ...scored, bundle: null, final: null }
    if (!adapter.verdict.passed) {
      return { ...scored, bundle: null, final: await endGated(deps, ref, await work.data.verdict()) }
    }
    const bundle = await bundleStage(work)
    return { ...scored, bundle, final: await signStage(work) }
  }
  return await runStages(deps, ref, build, { goesOn: true })
}

/** The stages that compute. */
async function score(work: StageWork, slot: HeldSlot): Promise<Pick<BuildSummary, 'sampled' | 'verdict' | 'adapter'>> {
  const sampled = await sampleStage(work, slot)
  if (sampled.asksTeacher || sampled.question !== null) return { sampled, verdict: null, adapter: null }
  const verdict = await verifyStage(work)
  return { sampled, verdict, adapter: await planStage(work) }
}
