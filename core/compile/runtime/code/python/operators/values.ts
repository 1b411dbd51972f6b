import type { CONDITIONS, ALTERNATIVES } from '../../../../language/operators/choices.ts'
import { ANY, BOOLEAN, JSON_VALUE, LIST, NULL, NUMBER, OBJECT, TEXT } from '../../../../language/value-types.ts'
import { atom } from '../../writing/atoms.ts'
import type { OperatorTable, Writer } from '../../writing/dialect.ts'
import type { Expr } from '../../../../language/ast.ts'
import type { BASICS } from '../../../../language/operators/basics.ts'
import type { COMPARISONS, TESTS } from '../../../../language/operators/comparisons.ts'
import { pyLiteral } from '../strings.ts'

type TableOf<Group> = Pick<OperatorTable, keyof Group & keyof OperatorTable>

/** Constants longer than this have a name. */
const MAX_INLINE = 80

/** Reading the input, constants and names. */
export const PY_BASICS: TableOf<typeof BASICS> = {
  literal: ({ value }, write) => {
    const code = pyLiteral(value)
    return code.length > MAX_INLINE && typeof value === 'object' ? write.uses.constant('CONSTANT', code) : code
  },
  input: (_node, write) => write.root,
  field: ({ of, name }, write) =>
    write.dialect.member(write.expr(of), name, write.types(of) === OBJECT, write.isExact, write.uses),
  path: ({ of, steps }, write) => {
    let code = write.expr(of)
    let isObject = write.types(of) === OBJECT
    for (const step of steps) {
      code =
        typeof step === 'number'
          ? write.call('_item', code, String(step))
          : write.dialect.member(code, step, isObject, write.isExact, write.uses)
      isObject = false
    }
    return code
  },
  let: ({ name, value, in: body }, write) => write.letIn(name, value, body),
  var: ({ name }, write) => write.bound(name).code,
}

/** Choices by conditions, and by whether there is an answer. */
export const PY_CHOICES: TableOf<typeof CONDITIONS & typeof ALTERNATIVES> = {
  if: ({ cond, then, else: otherwise }, write) => {
    const condition = write.operand(cond, BOOLEAN)
    return write.dialect.conditional(condition, write.branch(then, ANY), write.branch(otherwise, ANY))
  },
  switch: (node, write) => write.choice(node, 'choose'),
  lookup: ({ key, cases, ignoreCase = false, default: otherwise }, write) => {
    const types = write.types(key)
    const isPlain = types === TEXT && cases.every((entry) => typeof entry.key === 'string')
    const entries = new Map<string, string>()
    for (const entry of cases) {
      const known = ignoreCase && typeof entry.key === 'string' ? entry.key.toLowerCase() : entry.key
      entries.set(
        isPlain ? pyLiteral(known) : `${write.uses.helper('_key')}(${pyLiteral(known)})`,
        pyLiteral(entry.value),
      )
    }
    const lines = [...entries].map(([known, value]) => `${known}: ${value}`)
    const short = `{${lines.join(', ')}}`
    const code = short.length <= MAX_INLINE ? short : `{\n${lines.map((line) => `    ${line},\n`).join('')}}`
    const table = write.uses.constant('TABLE', code)
    const plain = write.operand(key, JSON_VALUE)
    const given = !ignoreCase ? plain : types === TEXT ? write.call('_lower', plain) : lowered(plain, write)
    if (!isPlain) return write.call('_lookup', table, given, otherwise === undefined ? '' : write.thunk(otherwise, ANY))
    if (otherwise === undefined) {
      return write.isExact ? write.call('_lookup_text', table, given) : `${table}[${given}]`
    }
    if (otherwise.op === 'literal') return `${table}.get(${given}, ${write.expr(otherwise)})`
    const name = /^\w+$/.test(given) ? given : write.bind('key', given)
    return `${table}[${name}] if ${name} in ${table} else ${atom(write.branch(otherwise, ANY))}`
  },
  and: ({ of }, write) => joined(of, ' and ', write),
  or: ({ of }, write) => joined(of, ' or ', write),
  not: ({ of }, write) => `not ${write.atom(of, BOOLEAN)}`,
  coalesce: (node, write) => write.choice(node, 'first_present'),
  orElse: (node, write) => write.choice(node, 'first_answer'),
  can: ({ of }, write) => write.call('_can', write.thunk(of, ANY)),
}

function lowered(code: string, write: Writer): string {
  const name = /^\w+$/.test(code) ? code : write.bind('key', code)
  return `${write.call('_lower', name)} if isinstance(${name}, str) else ${name}`
}

function joined(of: readonly Expr[], sign: string, write: Writer): string {
  const parts = of.map((part, at) => (at === 0 ? write.operand(part, BOOLEAN) : write.branch(part, BOOLEAN)))
  return parts.length === 1 ? (parts[0] ?? 'True') : parts.map(atom).join(sign)
}

function isSafeEquality(left: Expr, right: Expr, write: Writer): boolean {
  const [a, b] = [write.types(left), write.types(right)]
  // A text equals nothing but a text; numbers and booleans are distinguished by their types only.
  return a === TEXT || b === TEXT || (a === NUMBER && b === NUMBER) || (a === BOOLEAN && b === BOOLEAN)
}

function equality(left: Expr, right: Expr, write: Writer, sign: '==' | '!='): string {
  const [a, b] = [write.atom(left, ANY), write.atom(right, ANY)]
  const types = write.types(right)
  if (types === NULL) return `${a} is ${sign === '==' ? '' : 'not '}None`
  if (isSafeEquality(left, right, write)) return `${a} ${sign} ${b}`
  return `${sign === '==' ? '' : 'not '}${write.call('_same', a, b)}`
}

function order(left: Expr, right: Expr, write: Writer, sign: string): string {
  const [a, b] = [write.atom(left, ANY), write.atom(right, ANY)]
  const types = write.types(left) | write.types(right)
  if (types === NUMBER) return `${a} ${sign} ${b}`
  if (types === TEXT) return `${write.call('_units', a)} ${sign} ${write.call('_units', b)}`
  return `${write.call('_order', a, b)} ${sign} 0`
}

/** Comparisons and tests of values. */
export const PY_COMPARISONS: TableOf<typeof COMPARISONS & typeof TESTS> = {
  eq: ({ left, right }, write) => equality(left, right, write, '=='),
  ne: ({ left, right }, write) => equality(left, right, write, '!='),
  lt: ({ left, right }, write) => order(left, right, write, '<'),
  le: ({ left, right }, write) => order(left, right, write, '<='),
  gt: ({ left, right }, write) => order(left, right, write, '>'),
  ge: ({ left, right }, write) => order(left, right, write, '>='),
  in: ({ value, list }, write) => {
    const [item, items] = [write.atom(value, JSON_VALUE), write.atom(list, LIST)]
    return write.types(value) === TEXT ? `${item} in ${items}` : write.call('_contains', item, items)
  },
  isEmpty: ({ of }, write) => {
    const code = write.atom(of, JSON_VALUE)
    return write.types(of) === TEXT ? `${code} == ""` : write.dialect.isEmpty(code, write.uses)
  },
  isType: ({ of, type }, write) => {
    const code = write.operand(of, JSON_VALUE)
    switch (type) {
      case 'null':
        return `${atom(code)} is None`
      case 'number':
        return write.call('_is_number', code)
      case 'boolean':
        return `isinstance(${code}, bool)`
      case 'text':
        return `isinstance(${code}, str)`
      case 'list':
        return `isinstance(${code}, list)`
      case 'object':
        return `isinstance(${code}, dict)`
    }
  },
}
