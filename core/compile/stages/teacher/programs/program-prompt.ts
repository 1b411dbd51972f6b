import type { ProviderMessage } from '../../../../gateway/providers/provider.ts'
import type { Json } from '../../../../kernel/json/json.ts'
import type { Row } from '../../../rows/task.ts'
import { rowLines, rowsAt } from '../show-rows.ts'
import type { ProgramQuestion } from '../teacher-types.ts'
import { GRAMMAR } from './grammar.ts'

/** Characters of a program of the synthesizer that a prompt quotes at most. */
const MAX_HINT_CHARS = 4_000

const INSTRUCTIONS = `You write programs in a small closed expression language. A program is data: one JSON object. It maps one JSON input to one JSON output, without side effects.

Rules:
- Answer with the program as one JSON object and nothing else.
- The program is judged on inputs that you do not see. Write the rule behind the examples, not the examples.
- Where the rule needs knowledge of the world (places, units, currencies, categories), write it down as a "lookup" with "ignoreCase": true and with as many keys as are likely to come, far beyond the given examples. A table that holds only the given inputs is refused.
- Leave out "default" where an unknown key has no answer.

The language:
${GRAMMAR}`

function hintText(question: ProgramQuestion, rows: readonly Row[]): string {
  if (question.hint === null) return ''
  const { program, failing } = question.hint
  const text = JSON.stringify(program)
  if (failing.length === 0) return ''
  const quoted = text.length <= MAX_HINT_CHARS ? `\n\nA search found this program:\n${text}` : ''
  const lead = quoted === '' ? '\n\nA search found a program that fails on' : 'It fails on'
  return `${quoted}\n${lead} these examples:\n${rowLines(rowsAt(rows, failing))}`
}

/**
 * The messages that ask for a program: task, rows, and where the synthesizer's best program fails; `grounding` is text of
 * passages for the task, or empty.
 */
export function programPrompt(
  task: string,
  question: ProgramQuestion,
  rows: readonly Row[],
  grounding: string,
): readonly ProviderMessage[] {
  const passages = grounding === '' ? '' : `\n\n${grounding}`
  const examples = rowLines(rowsAt(rows, question.shown))
  return [
    { role: 'system', text: INSTRUCTIONS },
    {
      role: 'user',
      text: `Task: ${task}\n\nExamples, input -> output:\n${examples}${hintText(question, rows)}${passages}\n\nWrite the program as one JSON object.`,
    },
  ]
}

/** A row that a program got wrong, with its answer; null with `failed` when it had none. */
export interface WrongRow {
  readonly row: Row
  readonly got: Json
  readonly failed: boolean
}

/** Faults of an answer: not a program, or wrong on rows. */
export type ProgramFault =
  | { readonly kind: 'invalid'; readonly problem: string }
  | { readonly kind: 'wrong'; readonly rows: readonly WrongRow[]; readonly right: number; readonly total: number }

const MAX_FAULT_ROWS = 8
/** Characters of a faulty answer that its repair quotes. */
const MAX_QUOTED_CHARS = 12_000

/** Returns the messages that ask for a repair: the question, the answer, and its faults. */
export function repairPrompt(
  asked: readonly ProviderMessage[],
  answer: string,
  fault: ProgramFault,
): readonly ProviderMessage[] {
  return [
    ...asked,
    { role: 'assistant', text: answer.slice(0, MAX_QUOTED_CHARS) || '(no answer)' },
    { role: 'user', text: `${faultText(fault)}\n\nAnswer with the whole corrected program as one JSON object.` },
  ]
}

function faultText(fault: ProgramFault): string {
  if (fault.kind === 'invalid') return `This is not a valid program: ${fault.problem}`
  const lines = fault.rows.slice(0, MAX_FAULT_ROWS).map(({ row, got, failed }) => {
    const answer = failed ? 'no answer' : JSON.stringify(got)
    return `${rowLines([row])} (the program gives ${answer})`
  })
  return `The program is valid and right on ${fault.right} of ${fault.total} examples. It is wrong on:\n${lines.join('\n')}`
}
