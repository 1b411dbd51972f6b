import { KERNEL_ERRORS, type DomainError } from '../../../../kernel/errors.ts'
import { isJsonObject, type Json, type JsonObject, type Sha256 } from '../../../../kernel/json/json.ts'
import { parseHyperparameters, type Hyperparameters } from '../../../../model/training/hyperparameters.ts'
import type { FitRow, TeacherTokens } from '../../../../model/training/rows.ts'

/** Input of any trainer: base, hyper-parameters and rows as token ids. */
export interface FitDocument {
  readonly format: 'svc-fit/1'
  readonly base: { readonly name: string; readonly weightsHash: Sha256 }
  readonly hyperparameters: Hyperparameters
  readonly rows: readonly FitRow[]
  /** Rows that early stopping looks at; empty when there are too few to set any aside. */
  readonly validation: readonly FitRow[]
  /** The teacher of `gkd`: a base, and the files of an adapter on it. */
  readonly teacher?: DocumentTeacher
  /** The adapter on the base that the fit continues; absent for a new one. */
  readonly start?: DocumentAdapter
}

/** The two files of an adapter: `adapter_config.json`, and `adapter_model.safetensors` in base64. */
export interface DocumentAdapter {
  readonly config: string
  readonly weights: string
}

/** A teacher as a document names it; without an adapter it is the base alone. */
export interface DocumentTeacher {
  readonly base: FitDocument['base']
  readonly adapter: DocumentAdapter | null
}

/** The bytes of a document: JSON, the same for the same document. */
export function encodeFitDocument(document: FitDocument): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(document))
}

/** A document of our own out of its bytes. Throws `internal` for one in another form. */
export function decodeFitDocument(bytes: Uint8Array): FitDocument {
  const value: Json = JSON.parse(new TextDecoder().decode(bytes))
  const base = isJsonObject(value) ? value['base'] : undefined
  if (!isJsonObject(value) || value['format'] !== 'svc-fit/1' || !isJsonObject(base)) throw malformed()
  const { teacher, start } = value
  return {
    format: 'svc-fit/1',
    base: baseOf(base),
    hyperparameters: parseHyperparameters(value['hyperparameters']),
    rows: rowsOf(value['rows']),
    validation: rowsOf(value['validation']),
    ...(isJsonObject(teacher) && { teacher: teacherOf(teacher) }),
    ...(isJsonObject(start) && { start: adapterOf(start) }),
  }
}

function baseOf({ name, weightsHash }: JsonObject): FitDocument['base'] {
  if (typeof name !== 'string' || typeof weightsHash !== 'string') throw malformed()
  return { name, weightsHash: `sha256:${weightsHash.slice('sha256:'.length)}` }
}

function teacherOf({ base, adapter }: JsonObject): DocumentTeacher {
  if (!isJsonObject(base)) throw malformed()
  return { base: baseOf(base), adapter: isJsonObject(adapter) ? adapterOf(adapter) : null }
}

function adapterOf({ config, weights }: JsonObject): DocumentAdapter {
  if (typeof config !== 'string' || typeof weights !== 'string') throw malformed()
  return { config, weights }
}

function rowsOf(value: Json | undefined): FitRow[] {
  if (!Array.isArray(value)) throw malformed()
  return value.map(rowOf)
}

function rowOf(value: Json): FitRow {
  if (!isJsonObject(value)) throw malformed()
  const { id, prompt, weight } = value
  if (typeof id !== 'string' || typeof weight !== 'number') throw malformed()
  const shared = { id, weight, prompt: idsOf(prompt) }
  if (value['rejected'] !== undefined) {
    return { ...shared, chosen: idsOf(value['chosen']), rejected: idsOf(value['rejected']) }
  }
  const answer = idsOf(value['answer'])
  const { isDesirable, teacher } = value
  if (isJsonObject(teacher)) return { ...shared, answer, teacher: tokensOf(teacher) }
  return typeof isDesirable === 'boolean' ? { ...shared, answer, isDesirable } : { ...shared, answer }
}

function tokensOf({ k, ids, logProbs }: JsonObject): TeacherTokens {
  if (typeof k !== 'number' || !Array.isArray(logProbs)) throw malformed()
  return { k, ids: ids === null ? null : idsOf(ids), logProbs: Float64Array.from(logProbs, Number) }
}

function idsOf(value: Json | undefined): Int32Array {
  if (!Array.isArray(value)) throw malformed()
  return Int32Array.from(value, Number)
}

function malformed(): DomainError {
  return KERNEL_ERRORS.internal('the document of a fit is not in its form')
}
