import { z } from 'zod'
import { DomainError } from '../../kernel/errors.ts'
import { MODEL_ERRORS } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { parseJsonText } from '../../kernel/json/json-text.ts'
import { TARGET_MODULES, type LoraConfig, type TargetModule } from './lora-adapter.ts'

const CONFIG_DEPTH = 16
const MOST_RANK = 4096

/** The members that determine an adapter's function; PEFT's other members only describe its training. */
const AdapterConfig = z.object({
  peft_type: z.literal('LORA', { error: 'has to be LORA' }),
  task_type: z.literal('CAUSAL_LM', { error: 'has to be CAUSAL_LM' }).nullish(),
  r: z.int().min(1).max(MOST_RANK),
  lora_alpha: z.number().positive(),
  target_modules: z.union([z.literal('all-linear'), z.array(z.string()).min(1)]),
})

/** Members with which an adapter computes something else than W + alpha / r · B A, and their values without effect. */
const WITHOUT_EFFECT: Readonly<Record<string, readonly (string | boolean)[]>> = {
  use_dora: [false],
  use_rslora: [false],
  use_qalora: [false],
  use_bdlora: [false],
  lora_bias: [false],
  fan_in_fan_out: [false],
  bias: ['none'],
  init_lora_weights: [true, false, 'gaussian', 'orthogonal', 'eva'],
  rank_pattern: [],
  alpha_pattern: [],
  layers_to_transform: [],
  layer_replication: [],
  modules_to_save: [],
  target_parameters: [],
  trainable_token_indices: [],
  alora_invocation_tokens: [],
}

/** Facts stated by adapter_config.json; `targetModules` is null for `all-linear`. */
export interface StatedConfig {
  readonly rank: number
  readonly alpha: number
  readonly targetModules: readonly TargetModule[] | null
}

/** Reads PEFT's adapter_config.json. Throws `invalid_adapter` that names the member which is not supported. */
export function readAdapterConfig(text: string): StatedConfig {
  const value = parseConfigText(text)
  for (const [member, harmless] of Object.entries(WITHOUT_EFFECT)) {
    const given = Object.hasOwn(value, member) ? value[member] : null
    if (!isEmpty(given) && !harmless.some((each) => each === given)) {
      throw refuse(`${member} ${JSON.stringify(given).slice(0, 80)} is not supported`)
    }
  }
  const parsed = AdapterConfig.safeParse(value)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw refuse(problems.join('; '))
  }
  const { r, lora_alpha: alpha, target_modules: targets } = parsed.data
  return { rank: r, alpha, targetModules: targets === 'all-linear' ? null : readTargets(targets) }
}

/**
 * The text of adapter_config.json, with the members that PEFT's `LoraConfig.from_pretrained` reads, sorted as PEFT
 * writes them.
 */
export function writeAdapterConfig({ rank, alpha, targetModules }: LoraConfig, baseName: string): string {
  const members = {
    alpha_pattern: {},
    auto_mapping: null,
    base_model_name_or_path: baseName,
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
    init_lora_weights: true,
    layers_pattern: null,
    layers_to_transform: null,
    lora_alpha: alpha,
    lora_dropout: 0,
    modules_to_save: null,
    peft_type: 'LORA',
    r: rank,
    rank_pattern: {},
    revision: null,
    target_modules: targetModules.toSorted(),
    task_type: 'CAUSAL_LM',
    use_dora: false,
    use_rslora: false,
  }
  return JSON.stringify(members, null, 2)
}

function parseConfigText(text: string): JsonObject {
  let value: Json
  try {
    value = parseJsonText(text, CONFIG_DEPTH, 'adapter_config.json')
  } catch (cause) {
    throw MODEL_ERRORS.invalid_adapter(cause instanceof DomainError ? cause.message : 'no JSON', { cause })
  }
  if (!isJsonObject(value)) throw refuse('must be a JSON object')
  return value
}

function readTargets(targets: readonly string[]): readonly TargetModule[] {
  const unknown = targets.find((target) => !TARGET_MODULES.some((each) => each === target))
  if (unknown !== undefined) {
    throw refuse(`target module ${JSON.stringify(unknown.slice(0, 80))} is none of ${TARGET_MODULES.join(', ')}`)
  }
  return TARGET_MODULES.filter((each) => targets.includes(each))
}

function isEmpty(value: Json | undefined): boolean {
  if (value === null || value === undefined) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function refuse(problem: string): DomainError {
  return MODEL_ERRORS.invalid_adapter(`adapter_config.json: ${problem}`)
}
