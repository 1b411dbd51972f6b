import type { DomainError } from '../../kernel/errors.ts'
import { MODEL_ERRORS } from '../errors.ts'
import { decodeUtf8 } from '../../kernel/json/utf8.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { projectionShape } from '../config/weight-names.ts'
import { readAdapterConfig, writeAdapterConfig, type StatedConfig } from './adapter-config.ts'
import { adaptedProjections, TARGET_MODULES, type LoraAdapter, type LoraFactors } from './lora-adapter.ts'
import { parseHeader, PREFIX_BYTES, readHeaderSize, type FileLabel, type TensorEntry } from './safetensors/header.ts'
import { writeSafetensors } from './safetensors/write.ts'
import { countElements } from './tensors.ts'
import { widenElements } from './safetensors/widen-elements.ts'

/** The files of an adapter, by PEFT's names. */
export const ADAPTER_FILES = ['adapter_config.json', 'adapter_model.safetensors'] as const

export type AdapterFile = (typeof ADAPTER_FILES)[number]

const LABEL: FileLabel = { file: 'adapter_model.safetensors', error: MODEL_ERRORS.invalid_adapter }

/** An adapter as PEFT writes it, tensors in float32; the same adapter and base name give the same bytes. */
export function writeAdapter(
  { config, tensors }: LoraAdapter,
  options: { readonly baseName: string },
): ReadonlyMap<AdapterFile, Uint8Array<ArrayBuffer>> {
  const weights = [...tensors].flatMap(([name, { a, b }]) => [
    { name: tensorName(name, 'A'), dtype: 'F32', shape: [config.rank, a.length / config.rank], data: a } as const,
    { name: tensorName(name, 'B'), dtype: 'F32', shape: [b.length / config.rank, config.rank], data: b } as const,
  ])
  return new Map([
    ['adapter_config.json', new TextEncoder().encode(writeAdapterConfig(config, options.baseName))],
    ['adapter_model.safetensors', writeSafetensors(weights)],
  ])
}

/**
 * Reads an adapter written by PEFT or `writeAdapter` and checks it against the base: every layer has both factors of
 * every target module in the shapes that rank and base give, all values are finite, and there are no other tensors.
 * Throws `invalid_adapter`.
 */
export function readAdapter(files: ReadonlyMap<string, Uint8Array>, base: ModelConfig): LoraAdapter {
  const stated = readAdapterConfig(readConfigText(files))
  const bytes = requireFile(files, 'adapter_model.safetensors')
  const entries = new Map(readEntries(bytes).map((entry) => [entry.name, entry]))
  const targetModules = stated.targetModules ?? TARGET_MODULES
  const tensors = new Map<string, LoraFactors>()
  for (const { name, projection } of adaptedProjections(base, targetModules)) {
    const [outputs, inputs] = projectionShape(base, projection)
    tensors.set(name, {
      a: takeTensor(bytes, entries, tensorName(name, 'A'), [stated.rank, inputs]),
      b: takeTensor(bytes, entries, tensorName(name, 'B'), [outputs, stated.rank]),
    })
  }
  const [unknown] = entries.keys()
  if (unknown !== undefined) throw refuse(`tensor ${JSON.stringify(unknown.slice(0, 120))} belongs to no target module`)
  return { config: { rank: stated.rank, alpha: stated.alpha, targetModules }, tensors }
}

/** Facts stated by an adapter's files, without checking them against a base. */
export interface AdapterFacts extends StatedConfig {
  readonly parameters: number
}

/** Reads the facts stated by an adapter's files, and checks their form. Throws `invalid_adapter`. */
export function inspectAdapter(files: ReadonlyMap<string, Uint8Array>): AdapterFacts {
  const stated = readAdapterConfig(readConfigText(files))
  const entries = readEntries(requireFile(files, 'adapter_model.safetensors'))
  return { ...stated, parameters: entries.reduce((sum, { shape }) => sum + countElements(shape), 0) }
}

function readEntries(bytes: Uint8Array): readonly TensorEntry[] {
  const headerBytes = readHeaderSize(bytes.subarray(0, PREFIX_BYTES), bytes.length, LABEL)
  return parseHeader(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + headerBytes), bytes.length, LABEL)
}

function readConfigText(files: ReadonlyMap<string, Uint8Array>): string {
  const bytes = requireFile(files, 'adapter_config.json')
  try {
    return decodeUtf8(bytes, 'adapter_config.json')
  } catch (cause) {
    throw MODEL_ERRORS.invalid_adapter('adapter_config.json is not valid UTF-8', { cause })
  }
}

function requireFile(files: ReadonlyMap<string, Uint8Array>, name: AdapterFile): Uint8Array {
  const bytes = files.get(name)
  if (bytes === undefined) throw MODEL_ERRORS.invalid_adapter(`${name} is missing`)
  return bytes
}

/** Decodes a tensor and removes it from `entries`. */
function takeTensor(
  file: Uint8Array,
  entries: Map<string, TensorEntry>,
  name: string,
  shape: readonly number[],
): Float32Array {
  const entry = entries.get(name)
  if (entry === undefined) throw refuse(`has no tensor ${name}`)
  if (entry.shape.join() !== shape.join()) {
    throw refuse(`tensor ${name} has the shape [${entry.shape.join(', ')}], and [${shape.join(', ')}] is needed`)
  }
  entries.delete(name)
  const data = new Float32Array(countElements(shape))
  // A copy, because a member of an archive may start at an unaligned address.
  widenElements(entry.dtype, Uint8Array.from(file.subarray(entry.offset, entry.offset + entry.sizeBytes)), data)
  if (!data.every((value) => Number.isFinite(value))) throw refuse(`tensor ${name} holds a value that is not finite`)
  return data
}

function tensorName(projection: string, factor: 'A' | 'B'): string {
  return `base_model.model.${projection}.lora_${factor}.weight`
}

function refuse(problem: string): DomainError {
  return LABEL.error(`${LABEL.file}: ${problem}`)
}
