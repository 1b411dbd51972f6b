import { z } from 'zod'
import type { PreviewOutput } from '../../../core/compile/stages/preview.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import { EXAMPLE_ERRORS } from '../submit/dataset.ts'
import { exampleList, KScoreFloor, LONG_LISTS, taskText } from '../submit/spec.ts'
import { countRows } from '../../intake/given-rows.ts'
import { envelope, JsonValue } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../../kernel/route.ts'
import { textUpTo } from '../../kernel/schemas/text.ts'

const limit = { name: 'preview', limit: 'previews_per_ip_minute', windowS: 60, counts: 'calls' } as const
const DEFAULT_FLOOR = 0.85

const PreviewRow = z.object({ input: JsonValue, output: JsonValue })

const PreviewFields = {
  k_score: z.number(),
  accuracy: z.number(),
  interval: z
    .object({ low: z.number(), high: z.number() })
    .meta({ description: '95 % Wilson interval of the accuracy' }),
  n: z.int().meta({ description: 'Rows that the accuracy was measured on' }),
  split_mode: z.enum(['holdout', 'leave_one_out']),
  train_rows: z.array(PreviewRow),
  holdout_rows: z.array(PreviewRow),
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

const SHOWN = 3

function presentPreview(preview: PreviewOutput) {
  return {
    k_score: preview.k_score,
    accuracy: preview.accuracy,
    interval: { low: preview.interval.low, high: preview.interval.high },
    n: preview.n,
    split_mode: preview.split_mode,
    train_rows: preview.train_rows.slice(0, SHOWN).map(({ input, output }) => ({ input, output })),
    holdout_rows: preview.holdout_rows.slice(0, SHOWN).map(({ input, output }) => ({ input, output })),
    train_count: preview.train_count,
    holdout_count: preview.holdout_count,
    production_ready: {
      ok: preview.production_ready.ok,
      gates: preview.production_ready.gates.map(({ name, status, detail }) => ({ name, status, detail })),
      reasons: [...preview.production_ready.reasons],
    },
    gate_reasons: [...preview.gate_reasons],
    accepted: preview.accepted,
    recipe_source: preview.recipe_source,
    warnings: preview.warnings.map(({ code, message }) => ({ code, message })),
    synth: {
      quality_score: preview.synth.quality_score,
      strategy: preview.synth.strategy,
      attempts: preview.synth.attempts,
    },
    failing_rows: [...preview.failing_rows],
  }
}

export const previewBuildRoute = defineRoute({
  method: 'post',
  path: '/v1/build/preview',
  operationId: 'previewBuild',
  group: 'build',
  summary: 'Dry run of a build on JSONL seeds',
  description:
    'Splits, searches and scores as a compile does, within a few seconds of computing. Writes and charges nothing.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  limit,
  bodyLimit: 'preview_body_bytes',
  partsLimit: 'json_parts',
  body: (limits) =>
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
    }),
  answers: { 200: envelope('What a compile would come to', z.object(PreviewFields)) },
  errors: ['invalid_seeds', 'empty_seeds', ...EXAMPLE_ERRORS, 'busy', 'preview_timeout'],
}).handle(async ({ services, body, caller, endOfCall }) => {
  const { limits } = services
  const { spec } = body
  if (Buffer.byteLength(JSON.stringify(spec)) > limits.preview_spec_bytes) {
    throw invalidField('spec', `must have at most ${limits.preview_spec_bytes} bytes`, 'payload_too_large')
  }
  const { rows, skipped } = await services.intake.preview(spec.positives ?? [], body.seeds_jsonl_text, caller)
  const preview = await services.previews.run(
    { task: spec.task, rows, skippedRows: skipped, floor: spec.k_score_floor ?? DEFAULT_FLOOR },
    caller,
    endOfCall(),
  )
  return { status: 200, body: presentPreview(preview) }
})

/** The body of the guided builder. */
export function builderBody(limits: Limits) {
  return z.object({ task: taskText(limits), examples: fewExamples(limits) })
}

export const previewBuilderRoute = defineRoute({
  method: 'post',
  path: '/v1/builder/preview',
  operationId: 'previewBuilder',
  group: 'build',
  summary: 'Dry run of the guided builder',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  limit,
  bodyLimit: 'preview_body_bytes',
  partsLimit: 'json_parts',
  longLists: LONG_LISTS,
  body: builderBody,
  answers: {
    200: envelope('What a compile would come to', z.object({ ...PreviewFields, k_score_estimate: z.number() })),
  },
  errors: [...EXAMPLE_ERRORS, 'busy', 'preview_timeout'],
}).handle(async ({ services, body, caller, endOfCall }) => {
  const { rows } = await services.intake.preview(body.examples, undefined, caller)
  const preview = presentPreview(
    await services.previews.run({ task: body.task, rows, floor: DEFAULT_FLOOR }, caller, endOfCall()),
  )
  return { status: 200, body: { ...preview, k_score_estimate: preview.k_score } }
})
