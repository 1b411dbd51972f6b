import { createTrainingEngine } from '../../llama/engine/training-engine.ts'
import { adapterHash } from '../../files/lora-adapter.ts'
import type { TrainingEngine } from '../../llama/engine/engine.ts'
import { TeacherModel } from '../../llama/engine/teacher-model.ts'
import { hashJob, hashRows } from '../loop/job-hash.ts'
import { train, type TrainingHooks } from '../loop/train.ts'
import { fillLoraValues } from '../optimizer/initial-values.ts'
import { createAnswerStep, type AnswerStep } from '../onpolicy/answer-step.ts'
import { openStudent } from '../onpolicy/student.ts'
import { taughtEngine } from '../onpolicy/taught-engine.ts'
import { adapterOf, setAdapter } from '../../llama/adapter-values.ts'
import type { FitInput, FitTeacher, FittedAdapter } from './fit-types.ts'
import { planFit, type FitPlan } from './plan-fit.ts'

/** Fits an adapter in the calling thread, which it blocks while a graph runs. Throws as `planFit` and `train` do. */
export async function runFit(input: FitInput, hooks: TrainingHooks): Promise<FittedAdapter> {
  const plan = planFit(input)
  const { hyperparameters, trainable, rows, variant } = plan
  const { config, weightsHash } = input.base
  const { engine, answerStep, release } = openTraining(input, plan)
  try {
    if (input.start === undefined) fillLoraValues(engine.values, engine.parameters, hyperparameters.seed)
    else setAdapter(engine.values, engine.parameters, input.start)
    const outcome = await train(
      engine,
      {
        units: plan.units,
        validation: plan.validation,
        buckets: plan.buckets,
        objective: hyperparameters.objective,
        settings: hyperparameters,
        job: hashJob({
          base: weightsHash,
          ...(input.start !== undefined && { start: adapterHash(input.start) }),
          ...(input.teacher !== undefined && { teacher: teacherName(input.teacher) }),
          settings: hyperparameters,
          rows: rows.train,
          validation: rows.validation,
        }),
        ...(answerStep !== undefined && { answerStep }),
        ...(input.checkpoint !== undefined && { checkpoint: input.checkpoint }),
      },
      hooks,
    )
    return {
      ...outcome,
      adapter: adapterOf(config, trainable, engine.parameters, engine.values),
      hyperparameters,
      rows: { train: rows.train.length, validation: rows.validation.length, hash: hashRows(rows.train) },
      variant,
      memory: { estimatedBytes: plan.estimatedBytes, budgetBytes: input.memoryBudgetBytes },
    }
  } finally {
    await release()
  }
}

interface Training {
  readonly engine: TrainingEngine
  readonly answerStep?: AnswerStep
  readonly release: () => Promise<void>
}

/** Opens what a fit computes with: its engine and, of `gkd`, the teacher and the student that answers. */
function openTraining({ base, teacher, threads }: FitInput, plan: FitPlan): Training {
  const { config, weights } = base
  const { trainable, variant, scoring, units, buckets, maxLength } = plan
  const { objective, seed } = plan.hyperparameters
  const options = { config, weights, trainable, threads, variant, scoring }
  if (teacher === undefined || objective.kind !== 'gkd') {
    const engine = createTrainingEngine(options)
    return { engine, release: async () => await engine.release() }
  }
  const model = new TeacherModel({ ...teacher, threads })
  const engine = taughtEngine(createTrainingEngine({ ...options, teacherHead: model.head }), model)
  const student = objective.lmbda > 0 ? openStudent(base, threads, maxLength) : null
  const adapter = () => adapterOf(config, trainable, engine.parameters, engine.values)
  return {
    engine,
    answerStep: createAnswerStep({ objective, seed, units, buckets, maxLength, student, adapter, engine }),
    async release() {
      await student?.close()
      await engine.release()
    },
  }
}

function teacherName({ weightsHash, adapter }: FitTeacher): string {
  return adapter === null ? weightsHash : `${weightsHash} with ${adapterHash(adapter)}`
}
