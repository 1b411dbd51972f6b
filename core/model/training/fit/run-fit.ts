import { loraNames, type Parameter } from '../../llama/parameters.ts'
import { createTrainingEngine } from '../../llama/engine/training-engine.ts'
import { adaptedProjections, type LoraAdapter, type LoraConfig } from '../../files/lora-adapter.ts'
import type { ModelConfig } from '../../config/model-config.ts'
import { hashJob, hashRows } from '../loop/job-hash.ts'
import { train, type TrainingHooks } from '../loop/train.ts'
import { fillLoraValues } from '../optimizer/initial-values.ts'
import type { FitInput, FittedAdapter } from './fit-types.ts'
import { planFit } from './plan-fit.ts'

/** Fits an adapter in the calling thread, which it blocks while a graph runs. Throws as `planFit` and `train` do. */
export async function runFit(input: FitInput, hooks: TrainingHooks): Promise<FittedAdapter> {
  const plan = planFit(input)
  const { hyperparameters, trainable, rows, variant } = plan
  const { config, weights, weightsHash } = input.base
  const engine = createTrainingEngine({ config, weights, trainable, threads: input.threads, variant })
  try {
    fillLoraValues(engine.values, engine.parameters, hyperparameters.seed)
    const outcome = await train(
      engine,
      {
        units: plan.units,
        validation: plan.validation,
        buckets: plan.buckets,
        objective: hyperparameters.objective,
        settings: hyperparameters,
        job: hashJob({ base: weightsHash, settings: hyperparameters, rows: rows.train, validation: rows.validation }),
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
    await engine.release()
  }
}

function adapterOf(
  config: ModelConfig,
  { rank, alpha, targetModules }: LoraConfig,
  parameters: readonly Parameter[],
  values: Float32Array,
): LoraAdapter {
  const places = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const copy = (name: string): Float32Array => {
    const { offset, size } = places.get(name) ?? { offset: 0, size: 0 }
    return values.slice(offset, offset + size)
  }
  const tensors = adaptedProjections(config, targetModules).map(({ name }) => {
    const { a, b } = loraNames(name)
    return [name, { a: copy(a), b: copy(b) }] as const
  })
  return { config: { rank, alpha, targetModules }, tensors: new Map(tensors) }
}
