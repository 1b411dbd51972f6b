import { isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import type { Change } from './forge.ts'

/** A change of one object inside a document. */
export function inside(name: string, change: Change): Change {
  return (document) => {
    const inner = document[name]
    return { ...document, [name]: isJsonObject(inner) ? change(inner) : {} }
  }
}

/** The rows of an `evals.json`. */
export function rowsOfDocument(document: JsonObject): readonly JsonObject[] {
  return Array.isArray(document['rows']) ? document['rows'].filter((row: Json) => isJsonObject(row)) : []
}

/** A change of each row of an `evals.json`. */
export function changedRows(change: (row: JsonObject, place: number) => JsonObject): Change {
  return (document) => ({ ...document, rows: rowsOfDocument(document).map(change) })
}

/** Sets fields of a document. */
export const set =
  (fields: JsonObject): Change =>
  (document) => ({ ...document, ...fields })
/** Leaves out a field of a document. */
export const without =
  (name: string): Change =>
  ({ [name]: _dropped, ...document }) =>
    document
/** A change of the seed provenance in build.json. */
export const seeds = (change: Change): Record<string, Change> => ({ 'build.json': inside('seed_provenance', change) })
