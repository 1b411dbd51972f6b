import { parse, tokenize } from '@huggingface/jinja'
import { FILTERS } from './python/filters.ts'
import { METHODS } from './python/methods.ts'
import { COMPARISONS, OPERATORS } from './python/operators.ts'
import { codeNames, readName } from './names.ts'

/** A parsed template. */
export type Program = ReturnType<typeof parse>

/** Names of the functions that a program calls beside those of its template. */
export type CalledName =
  | 'svc_write'
  | 'svc_there'
  | 'svc_item'
  | 'svc_method'
  | 'svc_filter'
  | 'svc_operator'
  | 'svc_regex_replace'

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

/**
 * Parses a template into a program that calls functions of ours where the library's interpreter differs from Jinja in Python:
 * for written values, methods, some filters and operators. Throws for a text that is no template.
 */
export function parseProgram(source: string): Program {
  // The lexer drops one line end at the end of a template; Jinja keeps it here.
  const kept = source.endsWith('\n') ? `${source}\n` : source
  const program = parse(tokenize(codeNames(kept)))
  const body: unknown = Reflect.get(program, 'body')
  if (isBody(body)) adapt(body)
  return program
}

/** Wraps each written expression, so that its value is written as Python writes it. */
function adapt(body: Node[]): void {
  for (const [place, node] of body.entries()) {
    const whole = rewritten(node)
    body[place] = STATEMENTS.has(node.type) ? whole : call('svc_write', [whole, text(nameOf(node))])
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

/** Turns what the library has not, or not as Python has it, into calls. */
function rewritten(node: Node): Node {
  for (const name of Object.keys(node)) {
    if (BODIES.includes(name)) continue
    const child: unknown = Reflect.get(node, name)
    if (isBody(child)) for (const [place, each] of child.entries()) child[place] = rewritten(each)
    else if (isNode(child)) Reflect.set(node, name, rewritten(child))
    else if (child instanceof Map) Reflect.set(node, name, rewrittenMembers(child))
  }
  if (isIdentifier(node)) Reflect.set(node, 'value', readName(node.value))
  checkConditions(node)
  return asMethod(node) ?? asItem(node) ?? asFilter(node) ?? asOperator(node) ?? node
}

/** The names and values of a dictionary that a template writes out. */
function rewrittenMembers(members: ReadonlyMap<unknown, unknown>): ReadonlyMap<unknown, unknown> {
  const each = (part: unknown): unknown => (isNode(part) ? rewritten(part) : part)
  return new Map([...members].map(([name, value]) => [each(name), each(value)]))
}

/** Members that hold a condition, by the type of node. */
const CONDITIONS: Readonly<Record<string, string>> = { If: 'test', Ternary: 'condition', UnaryExpression: 'argument' }

/** Makes a condition refuse a value that is not there, which the library takes for false. */
function checkConditions(node: Node): void {
  const name = CONDITIONS[node.type]
  const condition: unknown = name === undefined ? undefined : Reflect.get(node, name)
  if (name === undefined || !isNode(condition)) return
  const isPlain = condition.type === 'Identifier' || condition.type === 'MemberExpression'
  if (isPlain) Reflect.set(node, name, call('svc_there', [condition, text(nameOf(condition))]))
}

/** An entry by its place: the library counts the places of texts otherwise than Python. */
function asItem(node: Node): Node | null {
  if (node.type !== 'MemberExpression' || Reflect.get(node, 'computed') !== true) return null
  const [object, property]: readonly unknown[] = ['object', 'property'].map((name) => Reflect.get(node, name))
  if (!isNode(object) || !isNode(property) || property.type === 'SliceExpression') return null
  return call('svc_item', [object, property])
}

function asMethod(node: Node): Node | null {
  if (!isCall(node) || node.callee.type !== 'MemberExpression' || Reflect.get(node.callee, 'computed') === true)
    return null
  const [object, property]: readonly unknown[] = ['object', 'property'].map((name) => Reflect.get(node.callee, name))
  if (!isNode(object) || !isNode(property) || !isIdentifier(property) || !METHODS.has(property.value)) return null
  return call('svc_method', [object, text(property.value), ...node.args])
}

function asFilter(node: Node): Node | null {
  if (node.type !== 'FilterExpression') return null
  const [filter, operand]: readonly unknown[] = ['filter', 'operand'].map((name) => Reflect.get(node, name))
  if (!isNode(filter) || !isNode(operand)) return null
  const [named, args] = isCall(filter) ? [filter.callee, filter.args] : [filter, []]
  if (!isIdentifier(named)) return null
  if (named.value === 'regex_replace') return call('svc_regex_replace', [operand, ...args])
  return FILTERS.has(named.value) ? call('svc_filter', [operand, text(named.value), ...args]) : null
}

function asOperator(node: Node): Node | null {
  if (node.type !== 'BinaryExpression') return null
  const [operator, left, right]: readonly unknown[] = ['operator', 'left', 'right'].map((name) =>
    Reflect.get(node, name),
  )
  if (typeof operator !== 'object' || operator === null || !isNode(left) || !isNode(right)) return null
  const name: unknown = Reflect.get(operator, 'value')
  if (typeof name === 'string' && COMPARISONS.has(name) && isComparison(left)) {
    throw new SyntaxError('chains of comparisons are not supported: join them by "and"')
  }
  return typeof name === 'string' && OPERATORS.has(name) ? call('svc_operator', [left, text(name), right]) : null
}

function isComparison(node: Node): boolean {
  if (!isCall(node) || !isIdentifier(node.callee) || node.callee.value !== 'svc_operator') return false
  const operator: unknown = Reflect.get(node.args[1] ?? {}, 'value')
  return typeof operator === 'string' && COMPARISONS.has(operator)
}

function call(name: CalledName, args: readonly Node[]): Node {
  return Object.assign(new Called(), { callee: { type: 'Identifier', value: name }, args })
}

function text(value: string): Node {
  return Object.assign(new Text(), { value })
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

function isIdentifier(value: Node): value is { readonly type: 'Identifier'; readonly value: string } {
  return value.type === 'Identifier' && 'value' in value && typeof value.value === 'string'
}

function isBody(value: unknown): value is Node[] {
  return Array.isArray(value) && value.every(isNode)
}

function isCall(value: Node): value is { readonly type: string; readonly callee: Node; readonly args: Node[] } {
  if (value.type !== 'CallExpression') return false
  return 'callee' in value && isNode(value.callee) && 'args' in value && isBody(value.args)
}
