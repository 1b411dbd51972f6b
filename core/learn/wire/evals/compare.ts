import { z } from 'zod'
import { EvaluationId, GivenEvaluationId } from '../../../kernel/wire/ids.ts'
import { CORPUS_METRIC_NAMES } from '../../evals/scoring/metric-names.ts'
import { CORRECTIONS } from '../../evals/compare/compare.ts'

const Interval = z.object({ low: z.number(), high: z.number() })
const Two = z.object({ first: z.number(), second: z.number() })

/** JSON body of `POST /v1/evals/{id}/compare`. */
export const CompareBody = z
  .strictObject({
    with: GivenEvaluationId.meta({ description: 'The second evaluation' }),
    correction: z
      .enum(CORRECTIONS)
      .default('bh')
      .meta({ description: '`bh` bounds the share of false discoveries, `holm` the chance of any' }),
    resamples: z.int().min(200).max(20_000).default(2000).meta({ description: 'Resamples of the bootstrap' }),
    seed: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  })
  .meta({ example: { with: 'evl_0123456789abcdefghjkmnpqrs', correction: 'holm' } })

/** Answer of `POST /v1/evals/{id}/compare`. */
export const CompareAnswer = z.object({
  first: EvaluationId,
  second: EvaluationId,
  correction: z.enum(CORRECTIONS),
  paired: z.int().meta({ description: 'Rows that both evaluations have and scored as right or wrong' }),
  unpaired: z.object({ first: z.int(), second: z.int() }),
  comparisons: z
    .array(
      z
        .object({
          task: z.string().nullable().meta({ description: 'Null for all tasks' }),
          slice: z.string().nullable().meta({ description: 'Null for all slices' }),
          n: z.int(),
          accuracy: Two,
          difference: z.number().meta({ description: 'Second less first' }),
          interval: Interval.meta({
            description:
              "95 % interval of the difference, by the BCa bootstrap of paired rows; Tango's score interval where all rows differ alike, which no bootstrap can vary",
          }),
          won: z.int().meta({ description: 'Rows that only the second has right' }),
          lost: z.int().meta({ description: 'Rows that only the first has right' }),
          p_value: z.number().meta({ description: "Of McNemar's exact test" }),
          adjusted_p_value: z
            .number()
            .meta({ description: 'Adjusted over the tasks and slices; of all rows the p-value itself' }),
          smallest_effect: z.number().nullable().meta({
            description:
              'Smallest difference that a test at level 0.05 finds with power 0.8 on these rows. Null where all rows differ alike: their variance is unknown',
          }),
        })
        .meta({ id: 'EvaluationComparison' }),
    )
    .meta({ description: 'All rows first; empty where no row is in both' }),
  metrics: z
    .array(
      z
        .object({
          task: z.string(),
          filter: z.string(),
          metric: z.enum(CORPUS_METRIC_NAMES),
          slice: z.string().nullable().meta({ description: 'Null for the whole task' }),
          n: z.int().meta({ description: 'Rows that both evaluations have' }),
          first: z.number(),
          second: z.number(),
          difference: z.number().meta({ description: 'Second less first' }),
          higher_is_better: z.boolean(),
          interval: Interval.nullable().meta({
            description: '95 % interval of the difference by the paired bootstrap; null where all resamples are alike',
          }),
          p_value: z.number().meta({ description: 'Of paired approximate randomization, two-sided' }),
          adjusted_p_value: z.number().meta({ description: 'Adjusted over all comparisons of such metrics' }),
          smallest_effect: z.number().nullable(),
          resamples: z
            .int()
            .meta({ description: 'Resamples and randomizations: fewer than asked for with very many rows' }),
        })
        .meta({ id: 'EvaluationMetricComparison' }),
    )
    .meta({
      description:
        '`bleu`, `chrf`, `chrf++` and `ter` over the rows that both evaluations have: those of the most rows first, with very many rows not of all slices',
    }),
  flips: z
    .array(
      z.object({
        task: z.string(),
        slice: z.string().nullable(),
        first_row: z.int().meta({ description: 'Number in the first evaluation, from 1' }),
        second_row: z.int(),
        now: z.enum(['right', 'wrong']).meta({ description: 'In the second evaluation' }),
      }),
    )
    .meta({ description: 'Rows that only one of both has right; at most 500' }),
})
