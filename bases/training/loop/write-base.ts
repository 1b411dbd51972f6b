import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeSafetensors } from '../../../core/model/files/safetensors/write.ts'
import type { Parameter } from '../../../core/model/llama/parameters.ts'
import { BASE_CONFIG, GENERATION_CONFIG } from '../settings.ts'
import { tokenizerConfig } from '../tokenizer/tokenizer-files.ts'

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/** Writes configuration and tokenizer of the base, which its training reads too. */
export function writeTokenizer(directory: string, tokenizer: object): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'config.json'), json(BASE_CONFIG))
  writeFileSync(join(directory, 'generation_config.json'), json(GENERATION_CONFIG))
  writeFileSync(join(directory, 'tokenizer.json'), `${JSON.stringify(tokenizer, null, 1)}\n`)
  writeFileSync(join(directory, 'tokenizer_config.json'), json(tokenizerConfig(BASE_CONFIG.max_position_embeddings)))
}

/** Writes the weights as bfloat16. */
export function writeWeights(directory: string, parameters: readonly Parameter[], values: Float32Array): void {
  const tensors = parameters.map(({ name, shape, offset, size }) => ({
    name,
    shape,
    dtype: 'BF16' as const,
    data: values.subarray(offset, offset + size),
  }))
  writeFileSync(join(directory, 'model.safetensors'), writeSafetensors(tensors))
}
