import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { detectLabelTask } from '../../../model/classifier/label-task.ts'
import { inputText } from '../../rows/split/input-text.ts'
import type { Row } from '../../rows/task.ts'
import { shapeOf } from './text-shape.ts'
import type { OutputType } from './verifier-types.ts'

const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'

/** Forms of dates that outputs are compared with; each is anchored and linear. */
const DATE_FORMS: readonly RegExp[] = [
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/,
  /^\d{1,2}[./-]\d{1,2}[./-]\d{4}$/,
  /^\d{4}[./]\d{1,2}[./]\d{1,2}$/,
  new RegExp(`^\\d{1,2}\\.? (?:${MONTHS})\\.?,? \\d{4}$`, 'i'),
  new RegExp(`^(?:${MONTHS})\\.? \\d{1,2},? \\d{4}$`, 'i'),
]

function decimalsOf(value: number): number {
  const text = String(value)
  const point = text.indexOf('.')
  return point < 0 || text.includes('e') ? 0 : text.length - point - 1
}

function membersOf(outputs: readonly Json[]): readonly string[] {
  const members = new Set<string>()
  for (const output of outputs) if (isJsonObject(output)) for (const member of Object.keys(output)) members.add(member)
  return [...members].sort()
}

/** Infers the output type of a task from its train rows. */
export function inferOutputType(rows: readonly Row[]): OutputType {
  const outputs = rows.map(({ output }) => output)
  if (outputs.every((output) => typeof output === 'boolean')) return { type: 'boolean' }
  const texts = outputs.filter((output) => typeof output === 'string')
  const allTexts = texts.length === outputs.length
  const copied =
    allTexts && rows.every(({ input, output }) => typeof output === 'string' && inputText(input).includes(output))
  const labels = detectLabelTask(outputs)
  if (labels.applicable && !copied) return { type: 'label', labels: labels.labels }
  const numbers = outputs.filter((output) => typeof output === 'number')
  if (numbers.length === outputs.length) {
    return { type: 'number', integer: numbers.every(Number.isInteger), decimals: Math.max(...numbers.map(decimalsOf)) }
  }
  if (allTexts) {
    const isDate = texts.every((text) => DATE_FORMS.some((form) => form.test(text)))
    if (isDate) return { type: 'date', pattern: shapeOf(texts[0] ?? '', 'exact') }
    return copied ? { type: 'extraction' } : { type: 'text' }
  }
  if (outputs.every((output) => isJsonObject(output))) return { type: 'object', members: membersOf(outputs) }
  if (outputs.every((output) => Array.isArray(output))) return { type: 'list' }
  return { type: 'mixed' }
}
