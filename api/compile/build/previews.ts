import type { PreviewOutput } from '../../../core/compile/stages/preview/preview.ts'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { EXAMPLE_ERRORS } from '../submit/dataset.ts'
import { LONG_LISTS } from '../../../core/compile/wire/jobs/spec.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import {
  builderBody,
  PreviewBuildAnswer,
  previewBuildBody,
  PreviewBuilderAnswer,
} from '../../../core/compile/wire/build/previews.ts'
import { defineRoute } from '../services.ts'

const limit = { name: 'preview', limit: 'previews_per_ip_minute', windowS: 60, counts: 'calls' } as const
const DEFAULT_FLOOR = 0.85

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
    figures: preview.figures,
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
  body: previewBuildBody,
  answers: { 200: envelope('What a compile would come to', PreviewBuildAnswer) },
  errors: ['invalid_seeds', 'empty_seeds', ...EXAMPLE_ERRORS, 'busy', 'preview_timeout'],
}).handle(async ({ services, body, caller, endOfCall }) => {
  const { limits } = services
  const { spec } = body
  if (Buffer.byteLength(JSON.stringify(spec)) > limits.preview_spec_bytes) {
    throw invalidField('spec', `must have at most ${limits.preview_spec_bytes} bytes`, KERNEL_ERRORS.payload_too_large)
  }
  const { rows, skipped } = await services.intake.preview(spec.positives ?? [], body.seeds_jsonl_text, caller)
  const preview = await services.previews.run(
    { task: spec.task, rows, skippedRows: skipped, floor: spec.k_score_floor ?? DEFAULT_FLOOR },
    caller,
    endOfCall(),
  )
  return { status: 200, body: presentPreview(preview) }
})

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
  answers: { 200: envelope('What a compile would come to', PreviewBuilderAnswer) },
  errors: [...EXAMPLE_ERRORS, 'busy', 'preview_timeout'],
}).handle(async ({ services, body, caller, endOfCall }) => {
  const { rows } = await services.intake.preview(body.examples, undefined, caller)
  const preview = presentPreview(
    await services.previews.run({ task: body.task, rows, floor: DEFAULT_FLOOR }, caller, endOfCall()),
  )
  return { status: 200, body: { ...preview, k_score_estimate: preview.k_score } }
})
