import type { Batch } from '../../llama/batch.ts'
import type { TrainingEngine } from '../../llama/engine/engine.ts'
import type { TeacherModel } from '../../llama/engine/teacher-model.ts'

/** The engine of a student with a teacher that reads every batch first. Releasing it releases both. */
export function taughtEngine(engine: TrainingEngine, teacher: TeacherModel): TrainingEngine {
  const taught = async (batch: Batch): Promise<Batch> => ({
    ...batch,
    teacher: { form: 'hidden', states: await teacher.states(batch) },
  })
  return {
    parameters: engine.parameters,
    values: engine.values,
    gradients: engine.gradients,
    forward: async (batch, values) => await engine.forward(await taught(batch), values),
    step: async (batch) => await engine.step(await taught(batch)),
    async release() {
      await engine.release()
      await teacher.release()
    },
  }
}
