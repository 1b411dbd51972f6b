import type { Json, JsonObject } from '../../kernel/json/json.ts'

/** A row's preference about an answer to a prompt. */
export interface Preference {
  readonly input: Json
  /** The answer that is better, or wanted; null where the row has only an unwanted one. */
  readonly chosen: Json
  /** The answer that is worse, or unwanted; null where the row has only a wanted one. */
  readonly rejected: Json
  /** From 0.25 to 2. */
  readonly weight: number
}

/** Returns what a row of type preference or unpaired says; null for a row of another type. */
export function preferenceOf(row: JsonObject): Preference | null {
  const { prompt, chosen, rejected, completion, label, weight: given } = row
  const weight = typeof given === 'number' ? given : 1
  if (prompt === undefined) return null
  if (chosen !== undefined && rejected !== undefined) return { input: prompt, chosen, rejected, weight }
  if (completion === undefined || typeof label !== 'boolean') return null
  return { input: prompt, chosen: label ? completion : null, rejected: label ? null : completion, weight }
}
