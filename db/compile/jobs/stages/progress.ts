import { WORK_STAGES, type WorkStage } from '../../../../core/compile/task.ts'

/** Share of a usual compile's time that each stage takes, percent; sums to 100. */
const SHARE: Readonly<Record<WorkStage, number>> = {
  'k-sample': 55,
  verify: 25,
  'lora-fit': 5,
  bundle: 10,
  sign: 5,
}

/** How far a job is, 0 to 100, when it has done `fraction` (0 to 1) of a stage. */
export function jobProgress(stage: WorkStage, fraction: number): number {
  let before = 0
  for (const name of WORK_STAGES) {
    if (name === stage) break
    before += SHARE[name]
  }
  return before + SHARE[stage] * fraction
}
