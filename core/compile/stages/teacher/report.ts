import type { TeacherIdentity, TeacherReport, TeacherSample, TeacherSpending } from './teacher-types.ts'

const NOTHING = {
  samples: 0,
  bought: 0,
  reused: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  unsettled_usd: 0,
  programs: null,
  labels: null,
} as const

function identityFacts({ model, dialect, prices, settings }: TeacherIdentity) {
  return {
    model,
    dialect,
    prices_usd_per_million:
      prices === null
        ? null
        : { input: prices.input, cached: prices.cached, output: prices.output, source: prices.source },
    budget_usd: settings.budgetUsd,
  }
}

/** Returns the report of a job without a teacher, or with one that is not asked; `reason` is the reason. */
export function notAsked(teacher: TeacherIdentity | null, reason: string): TeacherReport {
  if (teacher !== null) return { status: 'not_asked', reason, ...identityFacts(teacher), ...NOTHING }
  return {
    status: 'no_teacher_configured',
    reason,
    model: null,
    dialect: null,
    prices_usd_per_million: null,
    budget_usd: null,
    ...NOTHING,
  }
}

/** The report of a job whose teacher was asked, out of the one before that: tokens and money over all samples. */
export function askedReport(
  before: TeacherReport,
  samples: readonly TeacherSample[],
  spending: TeacherSpending,
  parts: Pick<TeacherReport, 'programs' | 'labels'>,
): TeacherReport {
  const bought = samples.filter(({ isReused }) => !isReused)
  const sum = (value: (sample: TeacherSample) => number): number =>
    bought.reduce((total, sample) => total + value(sample), 0)
  return {
    ...before,
    status: 'asked',
    reason: spending.failure ?? spending.stopped,
    samples: samples.length,
    bought: bought.length,
    reused: samples.length - bought.length,
    input_tokens: sum(({ inputTokens }) => inputTokens),
    cached_tokens: sum(({ cachedTokens }) => cachedTokens),
    output_tokens: sum(({ outputTokens }) => outputTokens),
    cost_usd: sum(({ costUsdMicros }) => costUsdMicros) / 1_000_000,
    unsettled_usd: spending.unsettledUsd,
    ...parts,
    ...(spending.grounding !== undefined && { grounding: spending.grounding }),
  }
}
