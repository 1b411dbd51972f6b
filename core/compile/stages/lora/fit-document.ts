import { KERNEL_ERRORS, type DomainError } from '../../../kernel/errors.ts'
import { isJsonObject, type Json, type Sha256 } from '../../../kernel/json/json.ts'
import { parseHyperparameters, type Hyperparameters } from '../../../model/training/hyperparameters.ts'
import type { FitRow } from '../../../model/training/rows.ts'

/** Input of any trainer: base, hyper-parameters and rows as token ids. */
export interface FitDocument {
  readonly format: 'svc-fit/1'
  readonly base: { readonly name: string; readonly weightsHash: Sha256 }
  readonly hyperparameters: Hyperparameters
  readonly rows: readonly FitRow[]
  /** Rows that early stopping looks at; empty when there are too few to set any aside. */
  readonly validation: readonly FitRow[]
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
  const { name, weightsHash } = base
  if (typeof name !== 'string' || typeof weightsHash !== 'string') throw malformed()
  return {
    format: 'svc-fit/1',
    base: { name, weightsHash: `sha256:${weightsHash.slice('sha256:'.length)}` },
    hyperparameters: parseHyperparameters(value['hyperparameters']),
    rows: rowsOf(value['rows']),
    validation: rowsOf(value['validation']),
  }
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
  const { isDesirable } = value
  return typeof isDesirable === 'boolean' ? { ...shared, answer, isDesirable } : { ...shared, answer }
}

function idsOf(value: Json | undefined): Int32Array {
  if (!Array.isArray(value)) throw malformed()
  return Int32Array.from(value, Number)
}

function malformed(): DomainError {
  return KERNEL_ERRORS.internal('the document of a fit is not in its form')
}
