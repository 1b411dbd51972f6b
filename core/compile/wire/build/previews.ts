import { z } from 'zod'
import type { Limits } from '../../limits.ts'
import { Figure } from '../../../kernel/wire/figure.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { exampleList, KScoreFloor, taskText } from '../jobs/spec.ts'
import { countRows } from '../given-rows.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'

const PreviewRow = z.object({ input: JsonValue, output: JsonValue })

const PreviewFields = {
  k_score: z.number(),
  accuracy: z.number(),
  interval: z
    .object({ low: z.number(), high: z.number() })
    .meta({ description: '95 % Wilson interval of the accuracy' }),
  n: z.int().meta({ description: 'Rows that the accuracy was measured on' }),
  split_mode: z.enum(['cross_fit', 'test_rows']).meta({
    description:
      '`cross_fit`: each row is scored by a recipe fitted without its fold. `test_rows`: the examples of kind `test` score.',
  }),
  train_rows: z.array(PreviewRow).meta({ description: 'Rows that the first fold is fitted on' }),
  holdout_rows: z.array(PreviewRow).meta({ description: 'Rows of the first fold, or the test rows' }),
  train_count: z.int(),
  holdout_count: z.int(),
  production_ready: z.object({
    ok: z.boolean(),
    gates: z.array(z.object({ name: z.string(), status: z.enum(['ok', 'failed', 'not_run']), detail: z.string() })),
    reasons: z.array(z.string()),
  }),
  gate_reasons: z.array(z.string()),
  accepted: z.boolean(),
  recipe_source: z.string().nullable(),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  figures: z
    .object({ k_score: Figure, accuracy: Figure, quality: Figure })
    .meta({ description: 'K-score, accuracy and quality with their basis' }),
  synth: z.object({ quality_score: z.number(), strategy: z.string(), attempts: z.int() }),
  failing_rows: z.array(z.string()),
}

/** As many examples as a dry run takes. */
function fewExamples(limits: Limits) {
  const most = limits.preview_examples
  return exampleList(limits, most).refine((examples) => countRows(examples) <= most, {
    error: `must hold at most ${most} examples`,
    params: { code: 'too_many_examples' },
  })
}

/** Body of `POST /v1/build/preview`. */
export const previewBuildBody = (limits: Limits) =>
  z.object({
    spec: z.object({
      name: textUpTo(128),
      task: textUpTo(8000),
      output_spec: z.looseObject({ type: z.string().max(64) }).optional(),
      positives: fewExamples(limits).optional(),
      k_score_floor: KScoreFloor.optional(),
    }),
    seeds_jsonl_text: z.string().meta({
      description:
        'One JSON object with `input` and `output` per line; blank lines and lines that start with // are ignored',
    }),
  })

/** Answer of `POST /v1/build/preview`. */
export const PreviewBuildAnswer = z.object(PreviewFields)

/** The body of the guided builder. */
export function builderBody(limits: Limits) {
  return z.object({ task: taskText(limits), examples: fewExamples(limits) })
}

/** Answer of `POST /v1/builder/preview`. */
export const PreviewBuilderAnswer = z.object({ ...PreviewFields, k_score_estimate: z.number() })
