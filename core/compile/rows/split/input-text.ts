import { isJsonObject, type Json } from '../../../kernel/json/json.ts'

/** The text of an input: itself, or its leaves joined by spaces in the order of the sorted member names. */
export function inputText(input: Json): string {
  if (typeof input === 'string') return input
  if (input === null || typeof input !== 'object') return String(input)
  if (isJsonObject(input)) {
    return Object.keys(input)
      .sort()
      .map((member) => inputText(input[member] ?? null))
      .join(' ')
  }
  return input.map(inputText).join(' ')
}

/** The words of a text, folded: Unicode NFKC, lower case, runs of letters, marks and digits. */
export function foldedWords(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  )
}
