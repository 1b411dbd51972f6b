import { z } from 'zod'
import { GivenArtifactId } from '../../../kernel/wire/ids.ts'
import { countValue, flagValue, msValue, shareValue, usdValue } from '../../../kernel/wire/query-values.ts'
import { DISTILL_TASKS, PRIVACY_MODES } from './catalog.ts'

const Name = z.string().min(1).max(128)

const teacherNames = z
  .union([
    z.array(Name).max(16),
    z
      .string()
      .max(2048)
      .transform((text) => text.split(',').map((name) => name.trim()))
      .pipe(z.array(Name).max(16)),
  ])
  .meta({
    override: { anyOf: [{ type: 'array', items: { type: 'string', minLength: 1, maxLength: 128 }, maxItems: 16 }] },
  })

/** Facts that the advice reads; numbers may be texts, as in a query. */
export const StrategyFacts = z.object({
  task: z.enum(DISTILL_TASKS).default('unknown'),
  privacy: z.enum(PRIVACY_MODES).default('standard'),
  namespace: Name.default('default'),
  base_model: Name.optional(),
  real_pairs: countValue().optional(),
  rows: countValue().optional().meta({ description: 'Another name of `real_pairs`' }),
  synthetic_pairs: countValue().default(0),
  holdout_pairs: countValue().optional().meta({ description: 'A fifth of all pairs when absent' }),
  preference_pairs: countValue().default(0),
  label_noise: shareValue().default(0.05),
  teacher_agreement: shareValue().default(0.8),
  repeat_rate: shareValue().default(0.2),
  target_latency_ms: msValue().default(120),
  budget_usd: usdValue().default(0),
  existing_artifact: GivenArtifactId.optional(),
  teacher_local: flagValue().optional().meta({ description: 'The teacher runs on this network, with its weights' }),
  teachers: teacherNames.optional().meta({
    description:
      'Names of teachers, `local:` or `hf:` before those with open weights; the configured providers when absent',
  }),
  moe_teacher: flagValue().default(false),
  moe_base: flagValue().default(false),
})

/** The facts with their defaults filled in. */
export interface StrategyProfile extends Omit<
  z.output<typeof StrategyFacts>,
  'real_pairs' | 'rows' | 'holdout_pairs' | 'teachers'
> {
  readonly real_pairs: number
  readonly holdout_pairs: number
  readonly teachers: readonly string[]
  /** A teacher whose weights are at hand, and with them its token probabilities. */
  readonly hasOpenTeacher: boolean
  /** A teacher that gives texts alone. */
  readonly hasTextTeacher: boolean
}

/** Fills in the defaults. `configured` are the providers that the caller can use as teachers. */
export function completeFacts(facts: z.output<typeof StrategyFacts>, configured: readonly string[]): StrategyProfile {
  const { real_pairs: given, rows, holdout_pairs: holdout, teachers: named, ...rest } = facts
  const real = given ?? rows ?? 0
  const teachers = named ?? configured
  return {
    ...rest,
    real_pairs: real,
    holdout_pairs: holdout ?? Math.floor((real + rest.synthetic_pairs) / 5),
    teachers,
    hasOpenTeacher: rest.teacher_local === true || teachers.some(isOpen),
    hasTextTeacher: teachers.some((name) => !isOpen(name)),
  }
}

/** Returns true for the name of a teacher with open weights (reference 15.1). */
function isOpen(name: string): boolean {
  return name.startsWith('local:') || name.startsWith('hf:')
}
