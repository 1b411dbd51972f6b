import { z } from 'zod'
import { KV_PRECISIONS, QUANT_NAMES } from '../stages/advice/fit/methods.ts'
import { KNOWN_MODELS } from '../stages/advice/fit/known-models.ts'

const GIGABYTES = 'in GB (10^9 bytes), rounded to 0.1'

/** Memory of a fine-tune by part. */
export const FitView = z
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
  picked: z.enum(QUANT_NAMES).nullable().optional().meta({ description: 'With `pick_best`: the chosen method' }),
  fit: FitView.nullable().optional(),
  rationale: z.string().optional(),
  candidates_evaluated: z.int().optional(),
  smallest_attempt: FitView.optional().meta({ description: 'When nothing fits: the method that needs least' }),
  pick_sha256: z.string().optional(),
})

const Size = z.int().min(1).max(1_000_000)

/** Body of `POST /v1/fit`. */
export const FitBody = z.object({
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
    .meta({ description: 'With `pick_best`: only these are considered' }),
})

/** Answer of `POST /v1/fit`. */
export const FitModelAnswer = FitView.partial().extend(PickView.shape)
