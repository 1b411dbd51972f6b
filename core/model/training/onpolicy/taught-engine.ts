import type { Batch } from '../../llama/batch.ts'
import type { TrainingEngine } from '../../llama/engine/engine.ts'
import type { TeacherModel } from '../../llama/engine/teacher-model.ts'

/** The engine of a student with a teacher. */
export interface TaughtEngine extends TrainingEngine {
  /** Decides whether the teacher reads the batches of the steps that follow; without it they are supervised. */
  teach(isTaught: boolean): void
}

/** Returns an engine whose teacher reads every batch first. Releasing it releases both. */
export function taughtEngine(engine: TrainingEngine, teacher: TeacherModel): TaughtEngine {
  let isTaught = true
  const taught = async (batch: Batch): Promise<Batch> => ({
    ...batch,
    teacher: { form: 'hidden', states: await teacher.states(batch) },
  })
  return {
    parameters: engine.parameters,
    values: engine.values,
    gradients: engine.gradients,
    teach: (wanted) => (isTaught = wanted),
    forward: async (batch, values) => await engine.forward(await taught(batch), values),
    step: async (batch) => await engine.step(isTaught ? await taught(batch) : batch),
    async release() {
      await engine.release()
      await teacher.release()
    },
  }
}
