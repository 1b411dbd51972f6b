import { z } from 'zod'
import { GivenArtifactId } from '../../../../kernel/wire/ids.ts'
import { countValue, flagValue, msValue, shareValue, usdValue } from '../../../../kernel/wire/query-values.ts'

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

/** Input of the advice, as a caller sends it; numbers may be texts, as in a query. */
export const ProfileInput = z.object({
  task: z.enum(STRATEGY_TASKS).default('unknown'),
  namespace: z.string().max(128).optional(),
  base_model: z.string().max(128).optional(),
  privacy: z.enum(['standard', 'regulated', 'zero_retention', 'airgap']).default('standard'),
  real_pairs: countValue().optional(),
  examples_real: countValue().optional(),
  rows: countValue().optional(),
  synthetic_pairs: countValue().default(0),
  holdout_pairs: countValue().optional(),
  preference_pairs: countValue().default(0),
  label_noise: shareValue().optional(),
  teacher_agreement: shareValue().optional(),
  repeat_rate: shareValue().optional(),
  target_latency_ms: msValue().optional(),
  budget_usd: usdValue().optional(),
  no_local_gpu: flagValue().default(true),
  existing_artifact: GivenArtifactId.optional(),
  requires_training: flagValue().optional(),
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
