import type { Json } from '../../../../kernel/json/json.ts'
import type { Example } from '../facts.ts'
import type { Uses } from '../writing/uses.ts'
import { helperCode } from './helper-blocks.ts'
import { pyLiteral } from './strings.ts'

/** A function with its documentation. */
export interface PyFunction {
  readonly name: string
  readonly parameter: string
  /** Annotations; undefined for values of any type. */
  readonly takes: string | undefined
  readonly gives: string | undefined
  readonly task: string
  /** Input and errors. */
  readonly notes: string
  readonly examples: readonly Example[]
  readonly body: readonly string[]
}

/** Writes a function as a Python module, with the constants and helpers that it uses. */
export function pyFile({ name, parameter, takes, gives, task, notes, examples, body }: PyFunction, uses: Uses): string {
  const own = [...uses.constants].map(([constant, code]) => `${constant} = ${code}`)
  const code = helperCode([...body, ...own].join('\n'), uses)
  const result = gives === undefined ? '' : ` -> ${gives}`
  const head = `def ${name}(${parameter}${takes === undefined ? '' : `: ${takes}`})${result}:`
  const sections = [
    code.imports.join('\n'),
    own.filter((line) => !isLate(line)).join('\n\n'),
    [head, ...docstring(task, notes, name, examples), ...body].join('\n'),
    code.constants.join('\n'),
    code.helpers.join('\n\n\n'),
    own.filter(isLate).join('\n'),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n\n')}\n`
}

/** True for a constant that is made with helpers. */
function isLate(line: string): boolean {
  return /re\.compile|_key\(/.test(line)
}

function docstring(task: string, notes: string, name: string, examples: readonly Example[]): string[] {
  const shown = examples.flatMap(({ input, output }) =>
    isPlain(output)
      ? [`>>> ${name}(${pyLiteral(input)})`, pyRepr(output)]
      : [`>>> ${name}(${pyLiteral(input)}) == ${pyLiteral(output)}`, 'True'],
  )
  const text = task.replaceAll(/\s+/g, ' ').trim()
  const first = text === '' ? 'Answers as the recipe of the artifact does.' : text
  const lines = [first, '', notes, ...(shown.length === 0 ? [] : ['', ...shown])]
  const escaped = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"'))
  return [
    `    """${escaped[0] ?? ''}`,
    ...escaped.slice(1).map((line) => (line === '' ? '' : `    ${line}`)),
    '    """',
  ]
}

/** True for values whose form in Python's prompt is known. A whole number may be a float, which prompts with `.0`. */
function isPlain(value: Json): boolean {
  if (typeof value !== 'string') return typeof value === 'boolean'
  return /^[\p{L}\p{N} -~]*$/u.test(value) && !/[\\']/.test(value) && value === value.normalize('NFC')
}

function pyRepr(value: Json): string {
  return typeof value === 'string' ? `'${value}'` : pyLiteral(value)
}
