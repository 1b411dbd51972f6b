import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja'
import { RE2JS } from 're2js'
import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { pythonText } from './python-text.ts'

/** A template of a task, ready to be rendered with the columns of a row. */
export interface TaskTemplate {
  /** Returns the text. Throws an `Error` that says what is wrong, such as a column that the row does not have. */
  render(row: JsonObject): string
}

/** A node of the library's syntax tree. */
interface Node {
  readonly type: string
}

/** Statements; everything else in a body is an expression, whose value is written. */
const STATEMENTS: ReadonlySet<string> = new Set([
  'If',
  'For',
  'Set',
  'Macro',
  'Break',
  'Continue',
  'Comment',
  'CallStatement',
  'FilterStatement',
  'StringLiteral',
])
/** Members of statements that hold statements. */
const BODIES: readonly string[] = ['body', 'alternate', 'defaultBlock']
const WRITE = 'svc_write'
const REPLACE = 'svc_regex_replace'
const MOST_RANGE = 100_000

/**
 * Parses a template as lm-evaluation-harness 0.4.13 does (`lm_eval/utils.py`): Jinja with the filter `regex_replace`, line
 * ends kept, values written as Python's `str`, and no value for a missing column. Throws for a text that is no template.
 */
export function parseTemplate(source: string): TaskTemplate {
  // The lexer drops one line end at the end of a template; Jinja keeps it here.
  const program = parse(tokenize(source.endsWith('\n') ? `${source}\n` : source))
  const body: unknown = Reflect.get(program, 'body')
  if (isBody(body)) adapt(body)
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
      environment.set(WRITE, (value: unknown, name: unknown) => pythonText(written(value, name)))
      environment.set(REPLACE, replace)
      for (const [name, value] of Object.entries(row)) environment.set(name, value)
      return String(new Interpreter(environment).run(program).value)
    },
  }
}

/** Wraps each written expression, so that its value is written as Python writes it. */
function adapt(body: Node[]): void {
  for (const [place, node] of body.entries()) {
    const whole = rewritten(node)
    const name = Object.assign(new Text(), { value: nameOf(node) })
    body[place] = STATEMENTS.has(node.type) ? whole : call(WRITE, [whole, name])
    for (const part of BODIES) {
      const inner: unknown = Reflect.get(node, part)
      if (isBody(inner)) adapt(inner)
    }
  }
}

/** Returns the column or member that an expression writes, as its template names it; empty for other expressions. */
function nameOf(node: object): string {
  const [type, value, object, property, operand]: readonly unknown[] = [
    'type',
    'value',
    'object',
    'property',
    'operand',
  ].map((member) => Reflect.get(node, member))
  if (type === 'Identifier') return String(value)
  if (type === 'FilterExpression') return isNode(operand) ? nameOf(operand) : ''
  if (type !== 'MemberExpression' || !isNode(object) || !isNode(property)) return ''
  const [outer, inner] = [nameOf(object), nameOf(property)]
  return outer === '' || inner === '' || Reflect.get(node, 'computed') === true ? outer : `${outer}.${inner}`
}

/** Turns uses of the filter `regex_replace` into calls: the library has no such filter. */
function rewritten(node: Node): Node {
  for (const name of Object.keys(node)) {
    if (BODIES.includes(name)) continue
    const child: unknown = Reflect.get(node, name)
    if (isBody(child)) for (const [place, each] of child.entries()) child[place] = rewritten(each)
    else if (isNode(child)) Reflect.set(node, name, rewritten(child))
  }
  return asReplace(node) ?? node
}

function asReplace(node: object): Node | null {
  if (Reflect.get(node, 'type') !== 'FilterExpression') return null
  const filter: unknown = Reflect.get(node, 'filter')
  const operand: unknown = Reflect.get(node, 'operand')
  if (!isCall(filter) || filter.callee.value !== 'regex_replace' || !isNode(operand)) return null
  return call(REPLACE, [operand, ...filter.args])
}

function call(name: string, args: readonly Node[]): Node {
  return Object.assign(new Called(), { callee: { type: 'Identifier', value: name }, args })
}

/** A call in the form of the library's syntax tree, which it knows by its `type` alone. */
class Called {
  readonly type = 'CallExpression'
}

/** A text in the form of the library's syntax tree. */
class Text {
  readonly type = 'StringLiteral'
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

function isBody(value: unknown): value is Node[] {
  return Array.isArray(value) && value.every(isNode)
}

function isCall(value: unknown): value is { readonly callee: { readonly value: unknown }; readonly args: Node[] } {
  if (!isNode(value) || value.type !== 'CallExpression') return false
  return 'callee' in value && isNode(value.callee) && 'args' in value && isBody(value.args)
}

/** A written value as plain JSON. Throws for one that is not there, by its name in the template. */
function written(value: unknown, name: unknown): Json {
  if (value === undefined && name !== '') throw new Error(`reads ${JSON.stringify(name)}, which is not there`)
  return plain(value)
}

/** A value of the library as plain JSON. Throws for one that is not there. */
function plain(value: unknown): Json {
  if (value === undefined) throw new Error('reads a column or a member that is not there')
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value
  }
  if (Array.isArray(value)) return value.map(unwrapped)
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, each]) => [String(name), unwrapped(each)]))
  throw new Error('writes a value that is no text, number, list or object')
}

function unwrapped(value: unknown): Json {
  return typeof value === 'object' && value !== null && 'value' in value ? plain(value.value) : plain(value)
}

/** `re.sub` in linear time. Throws for patterns with look-around or references. */
function replace(text: unknown, pattern: unknown, replacement: unknown): string {
  if (typeof text !== 'string' || typeof pattern !== 'string' || typeof replacement !== 'string') {
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
