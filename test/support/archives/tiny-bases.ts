import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RecipeSource } from '../../../core/compile/archive/members/content.ts'
import type { LoraConstraint, LoraRecipe } from '../../../core/compile/stages/lora/lora-recipe.ts'
import { countParameters, EMBEDDING, weightShapes } from '../../../core/model/config/weight-names.ts'
import { writeAdapter } from '../../../core/model/files/adapter-files.ts'
import { openBaseModel, type OpenedBase } from '../../../core/model/files/base-model.ts'
import { readBaseTokenizer } from '../../../core/model/files/base-tokenizer.ts'
import { readBaseConfig } from '../../../core/model/files/inspect-base.ts'
import { writeSafetensors } from '../../../core/model/files/safetensors/write.ts'
import { countElements } from '../../../core/model/files/tensors.ts'
import { createRandom } from '../../../core/model/random.ts'
import { tinyAdapter } from '../../model/generation/tiny-base.ts'

const NANO = fileURLToPath(new URL('../../../bases/nano', import.meta.url))

const CONFIG = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  vocab_size: 1536,
  hidden_size: 32,
  intermediate_size: 48,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 8,
  hidden_act: 'silu',
  max_position_embeddings: 256,
  rms_norm_eps: 1e-5,
  rope_theta: 10_000,
  tie_word_embeddings: true,
  eos_token_id: 0,
  pad_token_id: 3,
}

/**
 * Writes a small base with random weights and the tokenizer of nano into `folder/name`, and opens it. The tokens of
 * `alike` have one embedding, so that the base cannot tell them apart.
 */
export async function writeTinyBase(
  folder: string,
  name: string,
  seed = 1,
  alike: readonly string[] = [],
): Promise<OpenedBase> {
  const directory = join(folder, name)
  await mkdir(directory, { recursive: true })
  for (const file of ['tokenizer.json', 'tokenizer_config.json']) await cp(join(NANO, file), join(directory, file))
  await writeFile(join(directory, 'config.json'), JSON.stringify(CONFIG))
  const random = createRandom(seed, 'tiny base files')
  const tensors = [...weightShapes(await readBaseConfig(directory))].map(([tensor, shape]) => {
    const data = Float32Array.from({ length: countElements(shape) }, () =>
      shape.length === 1 ? 1 : random.normal() * 0.3,
    )
    return { name: tensor, dtype: 'F32' as const, shape, data }
  })
  const embedding = tensors.find((tensor) => tensor.name === EMBEDDING)?.data
  const { tokenizer } = await readBaseTokenizer(directory, await readBaseConfig(directory))
  const [first, ...others] = alike.map((text) => (tokenizer.encode(text)[0] ?? 0) * CONFIG.hidden_size)
  for (const other of others) embedding?.copyWithin(other, first ?? 0, (first ?? 0) + CONFIG.hidden_size)
  await writeFile(join(directory, 'model.safetensors'), writeSafetensors(tensors))
  return await openBaseModel(directory)
}

/** Answers of five to nine letters: every answer ends, whatever the weights are. */
const LETTERS: LoraConstraint = { type: 'regex', pattern: '[a-z]{5,9}' }

/** A recipe whose adapter has random factors: other seeds, other answers. */
export function tinyRecipe(
  { model }: OpenedBase,
  seed: number,
  changes: Partial<LoraRecipe> = {},
): Extract<RecipeSource, { readonly kind: 'lora' }> {
  const files = writeAdapter(tinyAdapter(model.config, seed, 4), { baseName: model.name })
  const fileOf = (name: 'adapter_config.json' | 'adapter_model.safetensors') => files.get(name) ?? new Uint8Array()
  return {
    kind: 'lora',
    recipe: {
      spec: 'svc-lora-1',
      base: {
        name: model.name,
        weights_hash: model.weightsHash,
        architecture: model.config.architecture,
        parameters: countParameters(model.config),
      },
      prompt: { template: 'chat', instruction: null },
      output: 'text',
      constraint: LETTERS,
      max_new_tokens: 12,
      stop: [],
      abstain_below: null,
      ...changes,
    },
    adapter: { config: fileOf('adapter_config.json'), weights: fileOf('adapter_model.safetensors') },
  }
}

/** The training evidence of an adapter in a build. */
export const TINY_TRAINING = {
  document: {
    spec: 'svc-training-1',
    trainer: 'embedded',
    objective: 'supervised',
    device: 'cpu',
    data: { rows: 48, validation_rows: 5, teacher_rows: 0 },
    hyperparameters: { epochs: 3, learningRate: 0.001 },
    seed: 7,
    history: {
      steps: [
        { step: 1, loss: 3.5 },
        { step: 2, loss: 1.25 },
        { step: 3, loss: 1.5 },
      ],
      validation: [{ step: 3, loss: 1.75 }],
    },
    steps: 3,
    best_step: 3,
    stopped_early: false,
    tokens_per_second: 1234.5,
    seconds: 75,
  },
  curve: '<svg xmlns="http://www.w3.org/2000/svg"/>',
}
