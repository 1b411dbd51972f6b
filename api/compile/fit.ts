import { z } from 'zod'
import { findKnownModel, KNOWN_MODELS, parametersOf } from '../../core/compile/advice/fit/known-models.ts'
import {
  fitMemory,
  pickBestFit,
  type Attention,
  type FitInput,
  type MemoryFit,
} from '../../core/compile/advice/fit/memory-fit.ts'
import { KV_PRECISIONS, QUANT_NAMES } from '../../core/compile/advice/fit/methods.ts'
import { invalidField } from '../../core/kernel/errors.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { defineRoute } from '../kernel/route.ts'

const GIGABYTES = 'in GB (10^9 bytes), rounded to 0.1'

const FitView = z
  .object({
    fits: z.boolean(),
    tight: z.boolean().meta({ description: 'It fits with less than a tenth of the memory left' }),
    fit_class: z.enum(['comfortable', 'tight', 'over']),
    quant: z.enum(QUANT_NAMES),
    est_total_gb: z.number().meta({ description: `Everything together, ${GIGABYTES}` }),
    est_weights_gb: z.number(),
    est_kv_gb: z.number().meta({ description: `The cache of keys and values, ${GIGABYTES}` }),
    est_activations_gb: z.number(),
    overhead_gb: z.number(),
    headroom_gb: z.number().meta({ description: 'Memory that is left; negative when it does not fit' }),
    bytes_per_param: z.number(),
    context: z.int(),
    batch: z.int(),
    kv_precision: z.enum(KV_PRECISIONS),
    recommendation: z.string(),
    assumptions: z.array(z.string()),
    fit_sha256: z.string().meta({ description: 'Digest of the canonical form of the input and the split' }),
  })
  .meta({ id: 'MemoryFit' })

const PickView = z.object({
  picked: z.enum(QUANT_NAMES).nullable().optional().meta({ description: 'With `pick_best`: the way that was chosen' }),
  fit: FitView.nullable().optional(),
  rationale: z.string().optional(),
  candidates_evaluated: z.int().optional(),
  smallest_attempt: FitView.optional().meta({ description: 'When nothing fits: what would need least' }),
  pick_sha256: z.string().optional(),
})

const Size = z.int().min(1).max(1_000_000)

const FitBody = z.object({
  model_params_b: z
    .number()
    .min(0.01)
    .max(1e6)
    .optional()
    .meta({ description: 'Billions of parameters; may be left out when `base_model` is known' }),
  base_model: z
    .string()
    .max(200)
    .optional()
    .meta({ description: `A published model whose sizes are known: ${KNOWN_MODELS.join(', ')}` }),
  layers: Size.optional(),
  kv_heads: Size.optional(),
  head_dim: Size.optional(),
  quant: z.enum(QUANT_NAMES).optional().meta({ description: 'Needed unless `pick_best` is true' }),
  vram_gb: z.number().min(0.1).max(1e6),
  context: z.int().min(1).max(1_048_576).default(8192),
  batch: z.int().min(1).max(1024).default(1),
  kv_precision: z.enum(KV_PRECISIONS).default('fp16'),
  compute_capability: z
    .number()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'CUDA compute capability of the machine, such as 8.9; decides whether fp8 and nvfp4 count' }),
  pick_best: z.boolean().default(false),
  supported_methods: z
    .array(z.enum(QUANT_NAMES))
    .min(1)
    .max(128)
    .optional()
    .meta({ description: 'With `pick_best`: only these are looked at' }),
})

export const fitRoute = defineRoute({
  method: 'post',
  path: '/v1/fit',
  operationId: 'fitModel',
  group: 'run',
  summary: 'Whether a model fits into memory',
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
  answers: { 200: envelope('How the memory splits up', FitView.partial().extend(PickView.shape)) },
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
    throw invalidField('quant', `is required: one of ${QUANT_NAMES.join(', ')}`, 'fit_unknown_quant')
  }
  return { status: 200, body: presentFit(input, fitMemory(input, body.quant)) }
})

function inputOf(body: z.output<typeof FitBody>): FitInput {
  const known = body.base_model === undefined ? undefined : findKnownModel(body.base_model)
  const paramsB = body.model_params_b ?? (known === undefined ? undefined : parametersOf(known) / 1e9)
  if (paramsB === undefined) {
    const problem = body.base_model === undefined ? 'is required' : 'is required, since base_model is not a known model'
    throw invalidField('model_params_b', problem, 'fit_requires_model_params_b')
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
