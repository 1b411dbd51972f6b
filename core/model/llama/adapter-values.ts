import type { ModelConfig } from '../config/model-config.ts'
import { adaptedProjections, type LoraAdapter, type LoraConfig } from '../files/lora-adapter.ts'
import { loraNames, type Parameter } from './parameters.ts'

/** Sets the trained numbers to those of an adapter of the same shape. */
export function setAdapter(values: Float32Array, parameters: readonly Parameter[], { tensors }: LoraAdapter): void {
  const offsets = new Map(parameters.map(({ name, offset }) => [name, offset]))
  for (const [name, { a, b }] of tensors) {
    const names = loraNames(name)
    values.set(a, offsets.get(names.a))
    values.set(b, offsets.get(names.b))
  }
}

/** Returns a copy of the trained numbers as an adapter. */
export function adapterOf(
  config: ModelConfig,
  { rank, alpha, targetModules }: LoraConfig,
  parameters: readonly Parameter[],
  values: Float32Array,
): LoraAdapter {
  const places = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const copy = (name: string): Float32Array => {
    const { offset, size } = places.get(name) ?? { offset: 0, size: 0 }
    return values.slice(offset, offset + size)
  }
  const tensors = adaptedProjections(config, targetModules).map(({ name }) => {
    const { a, b } = loraNames(name)
    return [name, { a: copy(a), b: copy(b) }] as const
  })
  return { config: { rank, alpha, targetModules }, tensors: new Map(tensors) }
}
