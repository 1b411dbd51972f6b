import type { z } from 'zod'
import { invalidField } from '../../core/kernel/errors.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { FitBody, FitModelAnswer, type FitView } from '../../core/compile/wire/fit.ts'
import { findKnownModel, parametersOf } from '../../core/compile/stages/advice/fit/known-models.ts'
import {
  fitMemory,
  pickBestFit,
  type Attention,
  type FitInput,
  type MemoryFit,
} from '../../core/compile/stages/advice/fit/memory-fit.ts'
import { QUANT_NAMES } from '../../core/compile/stages/advice/fit/methods.ts'
import { COMPILE_ERRORS } from '../../core/compile/errors.ts'
import { defineRoute } from './services.ts'

export const fitRoute = defineRoute({
  method: 'post',
  path: '/v1/fit',
  operationId: 'fitModel',
  group: 'run',
  summary: 'Check whether a model fits into memory',
  description:
    'The cache is exact when `layers`, `kv_heads` and `head_dim` or a known `base_model` are given, else an average over architectures; `assumptions` says which. `pick_best` answers the most exact quantisation that fits.',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'none: it computes from the request alone',
  stores: 'bounded',
  limit: { name: 'fit', limit: 'planning_calls_per_ip_minute', windowS: 60, counts: 'calls' },
  body: FitBody,
  fieldCodes: {
    model_params_b: 'fit_requires_model_params_b',
    vram_gb: 'fit_requires_vram_gb',
    context: 'fit_requires_context',
    batch: 'fit_requires_batch',
    quant: 'fit_unknown_quant',
    kv_precision: 'fit_unknown_kv_precision',
    supported_methods: 'fit_supported_methods_invalid',
  },
  answers: { 200: envelope('How the memory splits up', FitModelAnswer) },
  errors: [
    'fit_requires_model_params_b',
    'fit_requires_vram_gb',
    'fit_requires_context',
    'fit_requires_batch',
    'fit_unknown_quant',
    'fit_unknown_kv_precision',
    'fit_supported_methods_invalid',
  ],
}).handle(async ({ body }) => {
  const input = inputOf(body)
  if (body.pick_best) {
    const best = pickBestFit(input, body.supported_methods)
    return {
      status: 200,
      body: {
        picked: best.picked,
        fit: best.fit === null ? null : presentFit(input, best.fit),
        rationale: best.rationale,
        candidates_evaluated: best.evaluated,
        ...(best.smallestAttempt !== null && { smallest_attempt: presentFit(input, best.smallestAttempt) }),
        pick_sha256: best.sha256,
      },
    }
  }
  if (body.quant === undefined) {
    throw invalidField('quant', `is required: one of ${QUANT_NAMES.join(', ')}`, COMPILE_ERRORS.fit_unknown_quant)
  }
  return { status: 200, body: presentFit(input, fitMemory(input, body.quant)) }
})

function inputOf(body: z.output<typeof FitBody>): FitInput {
  const known = body.base_model === undefined ? undefined : findKnownModel(body.base_model)
  const paramsB = body.model_params_b ?? (known === undefined ? undefined : parametersOf(known) / 1e9)
  if (paramsB === undefined) {
    const problem = body.base_model === undefined ? 'is required' : 'is required, since base_model is not a known model'
    throw invalidField('model_params_b', problem, COMPILE_ERRORS.fit_requires_model_params_b)
  }
  return {
    paramsB,
    vramGb: body.vram_gb,
    context: body.context,
    batch: body.batch,
    kvPrecision: body.kv_precision,
    attention: attentionOf(body, known),
    computeCapability: body.compute_capability,
  }
}

function attentionOf(body: z.output<typeof FitBody>, known: ReturnType<typeof findKnownModel>): Attention | undefined {
  const { layers, kv_heads: kvHeads, head_dim: headDim } = body
  if (layers !== undefined && kvHeads !== undefined && headDim !== undefined) {
    return { layers, kvHeads, headDim, source: 'layers, kv_heads and head_dim as given' }
  }
  if (known === undefined) return undefined
  return {
    layers: layers ?? known.layers,
    kvHeads: kvHeads ?? known.kvHeads,
    headDim: headDim ?? known.headDim,
    source: `published sizes of ${body.base_model ?? 'the model'}`,
  }
}

function presentFit(input: FitInput, fit: MemoryFit): z.input<typeof FitView> {
  return {
    fits: fit.fits,
    tight: fit.tight,
    fit_class: fit.fitClass,
    quant: fit.quant,
    est_total_gb: fit.totalGb,
    est_weights_gb: fit.weightsGb,
    est_kv_gb: fit.kvGb,
    est_activations_gb: fit.activationsGb,
    overhead_gb: fit.overheadGb,
    headroom_gb: fit.headroomGb,
    bytes_per_param: fit.bytesPerParam,
    context: input.context,
    batch: input.batch,
    kv_precision: input.kvPrecision,
    recommendation: fit.recommendation,
    assumptions: [...fit.assumptions],
    fit_sha256: fit.sha256,
  }
}
