import type { Expr } from '../../../../language/ast.ts'
import type { BASICS } from '../../../../language/operators/basics.ts'
import type { ALTERNATIVES, CONDITIONS } from '../../../../language/operators/choices.ts'
import type { COMPARISONS, TESTS } from '../../../../language/operators/comparisons.ts'
import { ANY, BOOLEAN, JSON_VALUE, LIST, NULL, NUMBER, TEXT } from '../../../../language/value-types.ts'
import { typeSetOf, type TypeSet } from '../../../../language/value-types.ts'
import { atom } from '../../writing/atoms.ts'
import type { OperatorTable, Writer } from '../../writing/dialect.ts'
import { tsLiteral } from '../strings.ts'
import { typeOf } from '../types.ts'

type TableOf<Group> = Pick<OperatorTable, keyof Group & keyof OperatorTable>

/** Constants longer than this have a name. */
const MAX_INLINE = 80

/** Reading the input, constants and names. */
export const TS_BASICS: TableOf<typeof BASICS> = {
  literal: ({ value }, write) => {
    const code = tsLiteral(value)
    return code.length > MAX_INLINE && typeof value === 'object' ? write.uses.constant('CONSTANT', code) : code
  },
  input: (_node, write) => write.root,
  field: ({ of, name }, write) => write.dialect.member(jsonOf(of, write), name, false, false, write.uses),
  path: ({ of, steps }, write) =>
    steps.reduce<string>(
      (code, step) =>
        typeof step === 'number'
          ? write.call('item', code, String(step))
          : write.dialect.member(code, step, false, false, write.uses),
      jsonOf(of, write),
    ),
  let: ({ name, value, in: body }, write) => write.letIn(name, value, body),
  var: ({ name }, write) => write.bound(name).code,
}

/** A value that is not a date; `field` and `path` check the rest themselves. */
function jsonOf(node: Expr, write: Writer): string {
  return write.operand(node, JSON_VALUE)
}

function joined(of: readonly Expr[], sign: string, write: Writer): string {
  const parts = of.map((part, at) => (at === 0 ? write.operand(part, BOOLEAN) : write.branch(part, BOOLEAN)))
  return parts.length === 1 ? (parts[0] ?? 'true') : parts.map(atom).join(sign)
}

/** Choices by conditions, and by whether there is an answer. */
export const TS_CHOICES: TableOf<typeof CONDITIONS & typeof ALTERNATIVES> = {
  if: ({ cond, then, else: otherwise }, write) => {
    const condition = write.operand(cond, BOOLEAN)
    return write.dialect.conditional(condition, write.branch(then, ANY), write.branch(otherwise, ANY))
  },
  switch: (node, write) => write.choice(node, 'choose'),
  lookup: ({ key, cases, ignoreCase = false, default: otherwise }, write) => {
    const entries = new Map<string, string>()
    let values: TypeSet = 0
    for (const entry of cases) {
      const known = ignoreCase && typeof entry.key === 'string' ? entry.key.toLowerCase() : entry.key
      entries.set(tsLiteral(known), tsLiteral(entry.value))
      values |= typeSetOf(entry.value)
    }
    const lines = [...entries].map(([known, value]) => `[${known}, ${value}]`)
    const short = `[${lines.join(', ')}]`
    const list = short.length <= MAX_INLINE ? short : `[\n${lines.map((line) => `  ${line},\n`).join('')}]`
    const table = write.uses.constant('TABLE', `new Map<Json, ${typeOf(values)}>(${list})`)
    const code = write.operand(key, JSON_VALUE)
    const types = write.types(key)
    const given = !ignoreCase ? code : types === TEXT ? `${atom(code)}.toLowerCase()` : write.call('inLowerCase', code)
    const missing = `() => ${write.call('fail', "'no_match'")}`
    return write.call('lookup', table, given, otherwise === undefined ? missing : write.thunk(otherwise, ANY))
  },
  and: ({ of }, write) => joined(of, ' && ', write),
  or: ({ of }, write) => joined(of, ' || ', write),
  not: ({ of }, write) => write.dialect.not(write.operand(of, BOOLEAN)),
  coalesce: (node, write) => write.choice(node, 'firstPresent'),
  orElse: (node, write) => write.choice(node, 'firstAnswer'),
  can: ({ of }, write) => write.call('can', write.thunk(of, ANY)),
}

/** True for types whose values JavaScript compares as the language does, by both static types. */
function isPlainEquality(left: Expr, right: Expr, write: Writer): boolean {
  const types = [write.types(left), write.types(right)]
  return types[0] === types[1] && [TEXT, NUMBER, BOOLEAN, NULL].some((type) => type === types[0])
}

function equality(left: Expr, right: Expr, write: Writer, isEqual: boolean): string {
  const [a, b] = [write.atom(left, ANY), write.atom(right, ANY)]
  // Two constants may have types without a common value.
  const isConstant = left.op === 'literal' && right.op === 'literal'
  if (!isConstant && isPlainEquality(left, right, write)) return `${a} ${isEqual ? '===' : '!=='} ${b}`
  return `${isEqual ? '' : '!'}${write.call('same', a, b)}`
}

function ordering(left: Expr, right: Expr, write: Writer, sign: string): string {
  const [a, b] = [write.atom(left, ANY), write.atom(right, ANY)]
  const types = write.types(left) | write.types(right)
  // Texts are compared by UTF-16 code unit in JavaScript too.
  if (types === NUMBER || types === TEXT) return `${a} ${sign} ${b}`
  return `${write.call('order', a, b)} ${sign} 0`
}

/** Comparisons and tests of values. */
export const TS_COMPARISONS: TableOf<typeof COMPARISONS & typeof TESTS> = {
  eq: ({ left, right }, write) => equality(left, right, write, true),
  ne: ({ left, right }, write) => equality(left, right, write, false),
  lt: ({ left, right }, write) => ordering(left, right, write, '<'),
  le: ({ left, right }, write) => ordering(left, right, write, '<='),
  gt: ({ left, right }, write) => ordering(left, right, write, '>'),
  ge: ({ left, right }, write) => ordering(left, right, write, '>='),
  in: ({ value, list }, write) => {
    const item = write.name(value, JSON_VALUE, 'wanted')
    return `${write.atom(list, LIST)}.some((one) => ${write.call('same', item, 'one')})`
  },
  isEmpty: ({ of }, write) => write.dialect.isEmpty(write.operand(of, JSON_VALUE), write.uses),
  isType: ({ of, type }, write) => write.call('isKind', write.operand(of, JSON_VALUE), `'${type}'`),
}
