import { Environment, Interpreter } from '@huggingface/jinja'
import { RE2JS } from 're2js'
import type { JsonObject } from '../../../kernel/json/json.ts'
import { callFilter } from './python/filters.ts'
import { callMethod } from './python/methods.ts'
import { OPERATORS } from './python/operators.ts'
import {
  itemOf,
  NOT_THERE,
  textOf,
  toFunction,
  toValue,
  written,
  type Value,
  type ValueFunction,
} from './python/values.ts'
import { parseProgram, type CalledName } from './program.ts'

/** A template of a task, ready to be rendered with the columns of a row. */
export interface TaskTemplate {
  /** Returns the text. Throws an `Error` that says what is wrong, such as a column that the row does not have. */
  render(row: JsonObject): string
}

const MOST_RANGE = 100_000

/** Functions that a program calls where the library's interpreter differs from Jinja in Python. */
const CALLED: Readonly<Record<CalledName, ValueFunction>> = {
  svc_write: ([value, name]) => toValue(writeNamed(given(value), textOf(name) ?? '')),
  svc_method: ([value, name, ...args]) => callMethod(given(value), textOf(name) ?? '', args),
  svc_there: ([value, name]) => there(given(value), textOf(name) ?? ''),
  svc_item: ([value, place]) => itemOf(given(value), given(place)),
  svc_filter: ([value, name, ...args]) => callFilter(given(value), textOf(name) ?? '', args),
  svc_operator: ([left, name, right]) => operate(textOf(name) ?? '', given(left), given(right)),
  svc_regex_replace: ([text, pattern, replacement]) =>
    toValue(replace(textOf(text), textOf(pattern), textOf(replacement))),
}

/**
 * Parses a template as lm-evaluation-harness 0.4.13 does (`lm_eval/utils.py`): Jinja with the filter `regex_replace`, line
 * ends kept, values written as Python's `str`, methods and operators of Python, and no value for a missing column. Throws for
 * a text that is no template.
 */
export function parseTemplate(source: string): TaskTemplate {
  const program = parseProgram(source)
  return {
    render: (row) => {
      const environment = new Environment()
      environment.set('true', true)
      environment.set('false', false)
      environment.set('none', null)
      environment.set('True', true)
      environment.set('False', false)
      environment.set('None', null)
      environment.set('range', boundedRange)
      for (const [name, call] of Object.entries(CALLED)) environment.setVariable(name, toFunction(call))
      for (const [name, value] of Object.entries(row)) environment.set(name, value)
      return String(new Interpreter(environment).run(program).value)
    },
  }
}

function writeNamed(value: Value, name: string): string {
  return written(there(value, name))
}

function there(value: Value, name: string): Value {
  if (value.type !== 'UndefinedValue') return value
  throw new Error(name === '' ? NOT_THERE : `reads ${JSON.stringify(name)}, which is not there`)
}

function operate(name: string, left: Value, right: Value): Value {
  const operator = OPERATORS.get(name)
  if (operator === undefined) throw new RangeError(`the interpreter does not know ${name}`)
  return operator(left, right)
}

function given(value: Value | undefined): Value {
  return value ?? toValue(undefined)
}

/** `re.sub` in linear time. Throws for patterns with look-around or references. */
function replace(text: string | null, pattern: string | null, replacement: string | null): string {
  if (text === null || pattern === null || replacement === null) {
    throw new Error('regex_replace needs a text, a pattern and a replacement')
  }
  const groups = replacement.replaceAll('$', String.raw`\$`).replaceAll(/\\(\d)/g, (_, digit: string) => `$${digit}`)
  return RE2JS.compile(pattern).matcher(text).replaceAll(groups)
}

/** As Python's `range`. Throws a `RangeError` for more entries than a prompt needs. */
function boundedRange(...bounds: readonly unknown[]): readonly number[] {
  const [first = 0, second = null, step = 1] = bounds.filter((each) => typeof each === 'number')
  const [start, end] = second === null ? [0, first] : [first, second]
  const length = Math.max(0, Math.ceil((end - start) / step))
  if (!(length <= MOST_RANGE)) throw new RangeError(`range of more than ${MOST_RANGE} entries`)
  return Array.from({ length }, (_, index) => start + index * step)
}
