import { z } from 'zod'
import { KERNEL_ERRORS } from '../../kernel/errors.ts'
import { defaultObjective, isPreference, ObjectiveSettings, type ObjectiveName } from './objectives/objective.ts'

/** The linear layers that an adapter may sit on. */
const TARGETS = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const

const optimization = {
  /** Passes over the rows. */
  epochs: z.int().min(1).max(10_000),
  /** Tokens that one run of the graph computes, padding included. */
  batchTokens: z.int().min(32).max(1_048_576),
  /** Runs whose gradients make one step of the optimizer. */
  accumulation: z.int().min(1).max(1024),
  /** The highest learning rate. */
  learningRate: z.number().positive().max(10),
  /** The share of all steps over which the learning rate rises. */
  warmupRatio: z.number().min(0).max(1),
  /** The share of the highest learning rate that remains at the end. */
  finalLearningRateShare: z.number().min(0).max(1),
  weightDecay: z.number().min(0).max(10),
  beta1: z.number().min(0).lt(1),
  beta2: z.number().min(0).lt(1),
  epsilon: z.number().positive().max(1),
  /** The largest norm of a gradient; 0 for no limit. */
  gradClip: z.number().min(0),
  seed: z.int().min(0).max(4_294_967_295),
  /** Evaluations of the validation rows per epoch. */
  evaluationsPerEpoch: z.int().min(1).max(1000),
  /** Looks without a lower risk of the validation rows before a job stops; 0 for never. */
  patience: z.int().min(0).max(10_000),
  /** Steps after which a job ends although it has epochs left. */
  maxSteps: z.int().min(1).max(1_000_000).exactOptional(),
}

/** Settings of the optimisation, independent of the kind of parameters. */
export const OptimizationSettings = z.object(optimization).readonly()
export type OptimizationSettings = z.infer<typeof OptimizationSettings>

/** Everything besides base and rows that determines an adapter. */
export const Hyperparameters = z
  .object({
    ...optimization,
    objective: ObjectiveSettings,
    rank: z.int().min(1).max(1024),
    /** The adapter's product is multiplied by alpha / rank. */
    alpha: z.number().positive().max(65_536),
    targetModules: z.array(z.enum(TARGETS)).min(1).readonly(),
    /** Tokens of the longest sequence, prompt and answer. */
    maxLength: z.int().min(2).max(1_048_576),
    /** The share of the rows that early stopping looks at in place of learning from them. */
    validationShare: z.number().min(0).max(0.5),
  })
  .readonly()
export type Hyperparameters = z.infer<typeof Hyperparameters>

/** Facts from which the defaults are chosen. */
export interface FitFacts {
  readonly rows: number
  /** Tokens of all rows, prompts included. */
  readonly tokens: number
  readonly contextLength: number
  readonly hiddenSize: number
}

const LONGEST = 1024
const ADAMW = { weightDecay: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 } as const
/** Hidden sizes below this belong to bases that need a higher learning rate and more passes. */
const SMALL_BASE = 400
const FEWEST_STEPS = 500
const MOST_EPOCHS = 40
const FEWEST_PATIENCE = 4
const ROWS_OF_A_BATCH = 4
const MOST_BATCH_TOKENS = 4096

/** Returns the default maximum length of a row on a base with this context, tokens. */
export function defaultMaxLength(contextLength: number): number {
  return Math.min(contextLength, LONGEST)
}

/**
 * Returns default hyper-parameters for a job of this size. Few rows get more passes in smaller batches, because a fit
 * needs some hundred steps whatever its rows. Early stopping waits for half of the passes without an improvement: while
 * the learning rate is high, the loss of a few validation rows fluctuates.
 */
export function defaultHyperparameters(
  facts: FitFacts,
  objective: ObjectiveName = 'supervised',
  overrides: Partial<Hyperparameters> = {},
): Hyperparameters {
  const isSmall = facts.hiddenSize < SMALL_BASE
  const settings = defaultObjective(objective)
  const isCareful = isPreference(settings)
  const batchTokens = overrides.batchTokens ?? batchTokensFor(facts)
  const stepsPerEpoch = Math.max(1, Math.ceil(facts.tokens / batchTokens))
  const epochs = Math.min(MOST_EPOCHS, Math.max(3, Math.ceil(FEWEST_STEPS / stepsPerEpoch)))
  const passes = overrides.epochs ?? (isCareful ? Math.min(epochs, 10) : epochs)
  const learningRate = (isSmall ? 4e-3 : 2e-4) / (isCareful ? 4 : 1)
  return {
    objective: settings,
    rank: 16,
    alpha: 32,
    targetModules: TARGETS,
    epochs: passes,
    batchTokens,
    accumulation: 1,
    learningRate,
    warmupRatio: 0.06,
    finalLearningRateShare: 0.05,
    ...ADAMW,
    gradClip: 1,
    maxLength: defaultMaxLength(facts.contextLength),
    seed: 0,
    validationShare: 0.1,
    evaluationsPerEpoch: 1,
    patience: Math.max(FEWEST_PATIENCE, Math.ceil(passes / 2)),
    ...overrides,
  }
}

/** Small batches make more steps of few rows, large ones compute a token in less time; a few rows fit in any. */
function batchTokensFor({ rows, tokens }: FitFacts): number {
  const bySize = tokens < 8192 ? 256 : tokens < 65_536 ? 512 : 1024
  const byLength = Math.ceil((ROWS_OF_A_BATCH * tokens) / Math.max(1, rows) / 64) * 64
  return Math.min(MOST_BATCH_TOKENS, Math.max(bySize, byLength))
}

/** Checks hyper-parameters that came from outside. Throws `validation_failed` naming the fields. */
export function parseHyperparameters(value: unknown): Hyperparameters {
  const parsed = Hyperparameters.safeParse(value)
  if (parsed.success) return parsed.data
  const fields = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }))
  const [first] = fields
  throw KERNEL_ERRORS.validation_failed(`hyper-parameters: ${first?.field ?? ''}: ${first?.message ?? ''}`, {
    details: { fields },
    cause: parsed.error,
  })
}
