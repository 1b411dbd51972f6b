import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { DomainError } from '../../kernel/errors.ts'
import { MODEL_ERRORS } from '../errors.ts'
import { isJsonObject } from '../../kernel/json/json.ts'
import { readObject, withSource } from './base-files.ts'
import { readTensorEntries } from './safetensors/read.ts'
import type { FileLabel, TensorEntry } from './safetensors/header.ts'

const SINGLE = 'model.safetensors'
const INDEX = 'model.safetensors.index.json'
const MOST_SHARDS = 1000

/** The tensors of one file of weights. */
export interface WeightFile {
  readonly label: FileLabel
  readonly entries: readonly TensorEntry[]
}

/**
 * Finds the tensors of a base's weights: model.safetensors, or the files that model.safetensors.index.json names. Reads
 * only headers. Throws `invalid_model` for file names that lead out of the folder, and for tensors that are in another
 * file than the index names, or in two.
 */
export async function findWeightFiles(directory: string): Promise<readonly WeightFile[]> {
  const isSingle = await stat(join(directory, SINGLE)).then(
    () => true,
    () => false,
  )
  if (isSingle) return [await readWeightFile(directory, SINGLE)]
  const places = await readIndex(directory)
  const names = [...new Set(places.values())].toSorted()
  if (names.length > MOST_SHARDS) throw refuse(`names ${names.length} files; at most ${MOST_SHARDS} are read`)
  const files: WeightFile[] = []
  for (const name of names) files.push(await readWeightFile(directory, name))
  const found = new Map(files.flatMap(({ label, entries }) => entries.map(({ name }) => [name, label.file] as const)))
  const count = files.reduce((sum, { entries }) => sum + entries.length, 0)
  if (found.size !== count) throw refuse('names files that hold a tensor twice')
  for (const [name, file] of places) {
    if (found.get(name) !== file) throw refuse(`says that ${file} holds ${name}, and it does not`)
  }
  return files
}

async function readIndex(directory: string): Promise<ReadonlyMap<string, string>> {
  const index = await readObject(directory, INDEX)
  if (index === undefined) throw MODEL_ERRORS.invalid_model(`${directory} has neither ${SINGLE} nor ${INDEX}`)
  const map = index['weight_map']
  if (!isJsonObject(map)) throw refuse('has no weight_map')
  const places = new Map<string, string>()
  for (const [name, file] of Object.entries(map)) {
    if (typeof file !== 'string' || basename(file) !== file || !/^[\w][\w.-]{0,200}\.safetensors$/.test(file)) {
      throw refuse(`names a file that is none of this folder: ${JSON.stringify(file).slice(0, 120)}`)
    }
    places.set(name, file)
  }
  return places
}

async function readWeightFile(directory: string, file: string): Promise<WeightFile> {
  const label: FileLabel = { file, error: MODEL_ERRORS.invalid_model }
  return { label, entries: await withSource(directory, file, async (source) => await readTensorEntries(source, label)) }
}

function refuse(problem: string): DomainError {
  return MODEL_ERRORS.invalid_model(`${INDEX} ${problem}`)
}
