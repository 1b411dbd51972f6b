import { readAnswer } from '../../../compile/stages/teacher/answer-text.ts'
import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { valueText } from '../../../model/training/prompt.ts'
import type { Silence } from './answer.ts'
import type { BakeoffRow } from './bakeoff.ts'

/** A train row as a prompt shows it. */
type Shown = Pick<BakeoffRow, 'input' | 'output'>

/** Parts of a prompt beside the input. */
export interface PromptParts {
  readonly instruction: string | null
  readonly shown: readonly Shown[]
}

/** Characters of one row that a prompt shows, at most. */
const MAX_ROW_CHARS = 4_000

/**
 * Chooses train rows for a prompt: one of each output in turn, in the order of the rows, so that few examples show as many outputs as
 * they can.
 */
export function chooseShown(train: readonly BakeoffRow[], shots: number): readonly Shown[] {
  const short = train.filter(({ input, output }) => valueText(input).length + valueText(output).length <= MAX_ROW_CHARS)
  const groups = [...Map.groupBy(short, ({ output }) => canonicalJson(output)).values()]
  const turns = Math.max(0, ...groups.map(({ length }) => length))
  const inTurn = Array.from({ length: Math.min(turns, shots) }, (_, turn) => groups.flatMap((rows) => rows[turn] ?? []))
  return inTurn.flat().slice(0, shots)
}

/** The text that asks for the output of an input. Without instruction and examples it is the input alone. */
export function promptText({ instruction, shown }: PromptParts, input: Json): string {
  const lead = instruction === null ? [] : [instruction]
  if (shown.length === 0) return [...lead, valueText(input)].join('\n\n')
  const examples = shown.map((row) => `Input: ${valueText(row.input)}\nOutput: ${valueText(row.output)}`)
  return [...lead, ...examples, `Input: ${valueText(input)}\nOutput:`].join('\n\n')
}

/** Returns true for outputs that are all texts: then an answer is read as it stands, else as JSON. */
export function areTexts(rows: readonly Shown[]): boolean {
  return rows.every(({ output }) => typeof output === 'string')
}

/** Reads the answer of a model: a text as it is but for white space around it, or the JSON in it. */
export function readOutput(text: string, isText: boolean): { readonly output: Json; readonly silence: Silence | null } {
  if (isText) return { output: text.trim(), silence: null }
  const answer = readAnswer(text)
  return answer.ok ? { output: answer.value, silence: null } : { output: null, silence: 'not_json' }
}
