import { LORA_SKIP_REASONS } from '../../core/compiler/stages/lora-skip.ts'
import { DomainError } from '../../core/errors.ts'
import { stageResult } from '../../db/jobs/stages/stages.ts'
import type { CompileDeps } from './deps.ts'
import { runStage } from './run-stage.ts'
import { LoraSummary, VerdictSummary, type JobRef } from './results.ts'
import { plainCost } from './stage-data.ts'

/** Decides about an adapter. There is no trainer in this build: the stage records why it was skipped. */
export async function loraFit(deps: CompileDeps, ref: JobRef): Promise<LoraSummary> {
  return await runStage(deps, ref, 'lora-fit', LoraSummary, async () => {
    const startedAt = performance.now()
    const verified = await stageResult(deps.db, { jobId: ref.jobId, stage: 'verify' })
    if (verified === null) throw new DomainError('internal', 'lora-fit ran before verify')
    const { passed } = VerdictSummary.parse(verified.result)
    const skipped = passed ? 'cheaper_recipe_passes' : 'no_trainer_installed'
    return {
      outcome: 'skipped',
      result: { skipped },
      cost: plainCost(startedAt),
      events: [{ kind: 'log', body: { step: 'lora-fit', code: skipped, message: LORA_SKIP_REASONS[skipped] } }],
    }
  })
}
