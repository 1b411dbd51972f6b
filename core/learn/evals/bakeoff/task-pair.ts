import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { pairOf, type RowPair } from '../../datasets/rows/row-content.ts'

/**
 * Returns the input and the expected output of a row of a dataset; of a conversation the text of its last answer. Null
 * without an output.
 */
export function taskPairOf(row: JsonObject): RowPair | null {
  const { input, output } = pairOf(row)
  if (output === null) return null
  return { input: textOfTurns(input, 'user') ?? input, output: textOfTurns(output, 'assistant') ?? output }
}

/** The text of a list with one message of a role; undefined for every other value. */
function textOfTurns(value: Json, role: string): string | undefined {
  if (!Array.isArray(value) || value.length !== 1) return undefined
  const turn: Json | undefined = value[0]
  if (!isJsonObject(turn) || turn['role'] !== role) return undefined
  const { content } = turn
  return typeof content === 'string' ? content : undefined
}
