import { z } from 'zod'

/** Tasks of strategies, from the public vocabulary. */
export const STRATEGY_TASKS = [
  'classification',
  'extraction',
  'generation',
  'redaction',
  'code',
  'chat',
  'vision',
  'medical',
  'legal',
  'unknown',
] as const

const MOST_ROWS = 1_000_000_000
/** A number, or its text, as a query has it. The reference shows the texts of one form, all of which are in bounds. */
function numeric(number: z.ZodNumber, form: RegExp) {
  return z.preprocess(toNumber, number).meta({
    override: ({ jsonSchema }) => {
      const { type = 'number', minimum = 0, maximum = MOST_ROWS } = jsonSchema
      delete jsonSchema.type
      delete jsonSchema.minimum
      delete jsonSchema.maximum
      jsonSchema.anyOf = [
        { type, minimum, maximum },
        { type: 'string', pattern: form.source },
      ]
    },
  })
}

function toNumber(given: unknown): unknown {
  return typeof given === 'string' && given.trim() !== '' && Number.isFinite(Number(given)) ? Number(given) : given
}

const count = () => numeric(z.number().int().min(0).max(MOST_ROWS), /^[0-9]{1,9}$/)
const share = () => numeric(z.number().min(0).max(1), /^(0\.[0-9]{1,17}|0|1)$/)
const flag = () =>
  z.union([z.boolean(), z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1')])

/** Input of the advice, as a caller sends it; numbers may be texts, as in a query. */
export const ProfileInput = z.object({
  task: z.enum(STRATEGY_TASKS).default('unknown'),
  namespace: z.string().max(128).optional(),
  base_model: z.string().max(128).optional(),
  privacy: z.enum(['standard', 'regulated', 'zero_retention', 'airgap']).default('standard'),
  real_pairs: count().optional(),
  examples_real: count().optional(),
  rows: count().optional(),
  synthetic_pairs: count().default(0),
  holdout_pairs: count().optional(),
  preference_pairs: count().default(0),
  label_noise: share().optional(),
  teacher_agreement: share().optional(),
  repeat_rate: share().optional(),
  target_latency_ms: numeric(z.number().min(0).max(3_600_000), /^[0-9]{1,6}$/).optional(),
  budget_usd: numeric(z.number().min(0).max(1e9), /^[0-9]{1,9}$/).optional(),
  no_local_gpu: flag().default(true),
  existing_artifact: z.string().max(128).optional(),
  requires_training: flag().optional(),
})

/** The facts with their defaults filled in. */
export interface Profile extends Omit<
  z.output<typeof ProfileInput>,
  'real_pairs' | 'examples_real' | 'rows' | 'holdout_pairs' | 'requires_training'
> {
  readonly real_pairs: number
  readonly holdout_pairs: number
  readonly requires_training: boolean
}

/** Fills in the defaults: a fifth of all pairs is held out, and training needs 50 real pairs. */
export function completeProfile(input: z.output<typeof ProfileInput>): Profile {
  const {
    real_pairs: given,
    examples_real: examplesReal,
    rows,
    holdout_pairs: holdout,
    requires_training: training,
    ...rest
  } = input
  const real = given ?? examplesReal ?? rows ?? 0
  return {
    ...rest,
    real_pairs: real,
    holdout_pairs: holdout ?? Math.floor((real + rest.synthetic_pairs) / 5),
    requires_training: training ?? real >= 50,
  }
}
