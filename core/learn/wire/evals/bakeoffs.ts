import { z } from 'zod'
import { BakeoffId, DatasetId, GivenDatasetId } from '../../../kernel/wire/ids.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'
import { BAKEOFF_STATES, DEFAULT_JUDGED_ROWS, DEFAULT_MARGIN, DEFAULT_SHOTS } from '../../evals/bakeoff/bakeoff.ts'
import { COMPARATORS } from '../../evals/bakeoff/compare-output.ts'
import { CONTESTANT_KINDS, DEFAULT_CONTESTANTS } from '../../evals/bakeoff/contestant.ts'

const MOST_CONTESTANTS = 12

const Options = z
  .strictObject({
    comparator: z.enum(COMPARATORS).optional().meta({
      description:
        '`exact`: the same JSON value. `normalized`: numbers within the decimals that they show, texts without regard to case and white space. `json_fields`: the same, field by field. Absent: `json_fields` where all outputs are objects, else `normalized`',
    }),
    margin: z.number().min(0).max(0.5).default(DEFAULT_MARGIN).meta({
      description: 'Share of rows by which a cheaper contestant may be worse than the best and is still recommended',
    }),
    rows: z.int().min(1).max(1_000_000).optional().meta({ description: 'Held-out rows at most, chosen by their hash' }),
    instruction: z.string().min(1).max(20_000).optional().meta({
      description: 'The instruction that models get before the input',
    }),
    shots: z.int().min(1).max(40).default(DEFAULT_SHOTS).meta({
      description: 'Train rows that prompts with examples show at most',
    }),
    max_tokens: z.int().min(1).max(8192).default(256).meta({ description: 'Tokens of an answer of a model at most' }),
    judge: z.string().min(1).max(300).optional().meta({
      description: 'A model of a provider that compares the answers of each pair of contestants, in both orders',
    }),
    judged_rows: z.int().min(1).max(200).default(DEFAULT_JUDGED_ROWS).meta({
      description: 'Rows on which it compares each pair',
    }),
  })
  .meta({ id: 'BakeoffOptions' })

/** JSON body of `POST /v1/bakeoff/run` and `POST /v1/bakeoffs`. */
export const BakeoffBody = z.strictObject({
  dataset_id: GivenDatasetId.meta({ description: 'A dataset of yours with held-out rows' }),
  dataset_version: z.int().min(1).max(1_000_000).optional().meta({ description: 'The newest when absent' }),
  contestants: z
    .array(z.string().min(1).max(300))
    .min(1)
    .max(MOST_CONTESTANTS)
    .default([...DEFAULT_CONTESTANTS])
    .meta({
      description:
        'Who answers: the id of an artifact of yours; `rule`, `classifier` and `cache`, made from the train rows; `base:<name>`, a base of this server; `prompt_only:<model>` and `few_shot:<model>`, a model of a provider',
    }),
  opts: Options.prefault({}),
})

const Interval = z.object({ low: z.number(), high: z.number() })
const Count = z.int()

const ContestantView = z
  .object({
    name: z.string(),
    kind: z.enum(CONTESTANT_KINDS),
    state: z.enum(['waiting', 'answered', 'failed']),
    answered: Count.meta({ description: 'Rows answered so far' }),
    n: Count.nullable().meta({ description: 'Rows of the figures; null until all are answered' }),
    right: Count.nullable(),
    pass_rate: z.number().nullable().meta({ description: 'Share of right rows' }),
    interval: Interval.extend({ method: z.enum(['wilson', 'clustered']) })
      .nullable()
      .meta({
        description: '95 % interval of the share, clustered where rows of one group are together',
      }),
    smallest_effect: z.number().nullable().meta({
      description:
        'Smallest difference that a test at level 0.05 finds with power 0.8 on this many rows. Null where all rows score alike: their variance is unknown',
    }),
    quality: z.number().nullable().meta({ description: 'Mean score: under `json_fields` the share of right fields' }),
    avg_latency_ms: z.number().nullable(),
    p50_latency_ms: z.number().nullable(),
    p95_latency_ms: z.number().nullable(),
    avg_cost_usd: z.number().nullable().meta({
      description: 'Paid to the provider for a row, by the tokens it counted; null where nothing has a price',
    }),
    cost_usd: z.number().nullable().meta({ description: 'The same for all rows' }),
    avg_cpu_ms: z.number().nullable().meta({ description: 'Processor time of a row here; null for a provider' }),
    cpu_of: z.enum(['thread', 'process']).nullable().meta({
      description: 'What the processor time was read of: `process` holds what the worker did beside',
    }),
    input_tokens: Count.nullable(),
    output_tokens: Count.nullable(),
    price_source: z.string().nullable().meta({ description: '`operator`, or the date of the price list' }),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    train_rows: Count.nullable().meta({ description: 'Train rows that it learned from, or that its prompt shows' }),
    fit_ms: z.number().nullable(),
    fit_cpu_ms: z.number().nullable(),
    calls: Count.meta({
      description: 'Rows that a model of a provider answered; calls that were made again after an error are not in it',
    }),
    no_answer: z.object({ abstained: Count, recipe_failed: Count, refused: Count, not_json: Count }).nullable().meta({
      description:
        'Rows without an answer, by reason; they count as wrong. `refused`: the model declined, or its provider sent no readable answer',
    }),
    parse_failure_rate: z
      .number()
      .nullable()
      .meta({ description: 'Share of answers that are no JSON where one is asked' }),
    privacy_class: z.enum(['local', 'byo-vendor']).nullable().meta({
      description: '`local`: rows stay on this installation; `byo-vendor`: they went to a provider',
    }),
    deterministic: z.boolean().nullable(),
    recommended: z.boolean(),
    error_code: z.string().nullable(),
    error: z.string().nullable(),
    elapsed_ms: z.number().nullable().meta({ description: 'Sum of the latencies of its answers' }),
  })
  .meta({ id: 'BakeoffContestant' })

/** A bake-off. */
export const BakeoffView = z
  .object({
    bakeoff_id: BakeoffId,
    namespace: z.string(),
    state: z.enum(BAKEOFF_STATES),
    dataset_id: DatasetId,
    dataset_version: Count,
    merkle_root: z.string().meta({ description: 'Root of the tree over the rows of the version' }),
    rows_used: Count.meta({ description: 'Held-out rows that are answered' }),
    train_rows: Count.meta({ description: 'Train rows that contestants may learn from' }),
    comparator: z.enum(COMPARATORS),
    margin: z.number(),
    contestants: z.array(ContestantView),
    pairs: z
      .array(
        z
          .object({
            first: z.string(),
            second: z.string(),
            n: Count,
            difference: z.number().meta({ description: 'Share of right rows, second less first' }),
            interval: Interval.meta({
              description: "95 % interval of the difference: Tango's score interval of paired rows",
            }),
            won: Count.meta({ description: 'Rows that only the second has right' }),
            lost: Count,
            p_value: z.number().meta({ description: "Of McNemar's exact test" }),
            adjusted_p_value: z.number().meta({ description: 'Over all pairs, by Benjamini and Hochberg' }),
          })
          .meta({ id: 'BakeoffPair' }),
      )
      .nullable()
      .meta({ description: 'Null until all contestants are done' }),
    preferences: z
      .object({
        judge: z.string(),
        judged: Count.meta({ description: 'Comparisons with a verdict' }),
        unread: Count.meta({ description: 'Comparisons whose verdict could not be read; they count nowhere' }),
        cost_usd: z.number().nullable(),
        error_code: z.string().nullable().meta({ description: 'Why it did not compare all pairs' }),
        strengths: z
          .array(z.object({ name: z.string(), strength: z.number(), stderr: z.number(), interval: Interval }))
          .meta({
            description:
              'Of the model of Bradley and Terry, ties half to each side, ridge 1e-3: on a logarithmic scale with mean 0, with 95 % intervals by Wald',
          }),
      })
      .nullable()
      .meta({ description: 'Null without a judge, and until it is done' }),
    recommended: z.string().nullable().meta({
      description: 'The cheapest contestant that is shown to be no worse than the best by more than the margin',
    }),
    best: z.string().nullable().meta({ description: 'The contestant with the most right rows' }),
    recommendation: z.string().nullable().meta({ description: 'The reason, as a sentence' }),
    error_code: z.string().nullable(),
    error: z.string().nullable(),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
    poll: z.string(),
  })
  .meta({ id: 'Bakeoff' })
export type BakeoffView = z.output<typeof BakeoffView>

/** Answer of `GET /v1/bakeoffs`. */
export const ListBakeoffsAnswer = z.object({
  bakeoffs: z.array(BakeoffView),
  total: Count.meta({ description: 'All that are kept' }),
  count: Count,
  next_cursor: NextCursor,
})
