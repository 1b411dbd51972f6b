import { countElements, type TensorData } from '../../files/tensors.ts'
import type { ModelConfig } from '../../config/model-config.ts'
import { weightShapes } from '../../config/weight-names.ts'
import type { Parameter } from '../../llama/parameters.ts'
import { createRandom } from '../../random.ts'

/** The standard deviation of new weights, as in GPT-2 and Llama. */
const WEIGHT_DEVIATION = 0.02

/**
 * Fills the factors of a new adapter: A uniform within ±1/√in, which equals Kaiming's uniform initialisation with slope
 * √5, and B zero, so that the adapter changes nothing before its first step (Hu et al., "LoRA", 2021; as PEFT does).
 * The numbers of a factor depend only on the seed and its name.
 */
export function fillLoraValues(values: Float32Array, parameters: readonly Parameter[], seed: number): void {
  for (const { name, shape, offset, size } of parameters) {
    const bound = name.endsWith('lora_A.weight') ? 1 / Math.sqrt(shape[1] ?? 1) : 0
    const random = createRandom(seed, name)
    for (let i = 0; i < size; i++) values[offset + i] = bound === 0 ? 0 : bound * (2 * random.float() - 1)
  }
}

/**
 * New weights for training a whole model: normal with deviation 0.02, for projections back onto the residual stream
 * 0.02/√(2·layers) (Radford et al., "Language Models are Unsupervised Multitask Learners", 2019); norms 1, biases 0.
 */
export function initialWeights(config: ModelConfig, seed: number): Map<string, TensorData> {
  const residual = WEIGHT_DEVIATION / Math.sqrt(2 * config.layers)
  return new Map(
    Array.from(weightShapes(config), ([name, shape]) => {
      const data = new Float32Array(new SharedArrayBuffer(4 * countElements(shape)))
      if (name.endsWith('norm.weight')) data.fill(1)
      else if (!name.endsWith('.bias')) {
        const isResidual = name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight')
        const deviation = isResidual ? residual : WEIGHT_DEVIATION
        const random = createRandom(seed, name)
        for (let i = 0; i < data.length; i++) data[i] = deviation * random.normal()
      }
      return [name, { shape, data }]
    }),
  )
}
