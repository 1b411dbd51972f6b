import { measured, notMeasured, type Figure } from '../../../kernel/wire/figure.ts'
import type { StageCost } from '../stage-types.ts'

/** The costs of a stage, each with its basis. */
export type StageFigures = Readonly<
  Record<'wall_ms' | 'cpu_ms' | 'search_steps' | 'training_steps' | 'provider_tokens' | 'cost_usd', Figure>
>

/** The numbers of a stage that figures are made of. */
type Costs = Pick<StageCost, 'stage' | 'status' | 'reason' | keyof StageFigures>

/** Returns the costs of a stage as figures: a stage that did not run has none, and a trainer reports no processor time. */
export function stageFigures(cost: Costs): StageFigures {
  const { status, reason, stage } = cost
  const of = (value: number, how: string): Figure =>
    status === 'skipped'
      ? notMeasured(`the stage was skipped: ${reason ?? 'no reason'}`.slice(0, 200))
      : measured(value, 1, how)
  const paid = (value: number, how: string): Figure =>
    status === 'done' && cost.provider_tokens === 0 ? notMeasured('no provider was paid') : of(value, how)
  return {
    wall_ms: of(cost.wall_ms, 'clock of the worker'),
    cpu_ms:
      status === 'done' && stage === 'lora-fit'
        ? notMeasured('a trainer does not report its processor time')
        : of(cost.cpu_ms, 'processor time of its threads'),
    search_steps: of(cost.search_steps, 'counted by the search'),
    training_steps: of(cost.training_steps, 'counted by the trainers'),
    provider_tokens: paid(cost.provider_tokens, 'reported by the provider'),
    cost_usd: paid(cost.cost_usd, 'tokens by the prices of the provider'),
  }
}

/** Returns a stage's cost with its figures beside the numbers. */
export function describeStage<Cost extends Costs>(cost: Cost): Cost & { readonly figures: StageFigures } {
  return { ...cost, figures: stageFigures(cost) }
}
