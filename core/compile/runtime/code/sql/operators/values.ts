import type { Json } from '../../../../../kernel/json/json.ts'
import type { Expr } from '../../../../language/ast.ts'
import type { BASICS } from '../../../../language/operators/basics.ts'
import type { ALTERNATIVES, CONDITIONS } from '../../../../language/operators/choices.ts'
import type { COMPARISONS, TESTS } from '../../../../language/operators/comparisons.ts'
import type { CONVERSIONS } from '../../../../language/operators/conversions.ts'
import { BOOLEAN, NUMBER, TEXT, type TypeSet } from '../../../../language/value-types.ts'
import { CannotSay } from '../../refusal.ts'
import { sqlString } from '../patterns.ts'
import { bool, choose, number, type SqlCode, type SqlPrinter, type SqlTableOf, type SqlWriter, text } from '../table.ts'
import { caseOf } from './text.ts'
import { NESTED, NUMBERS } from './refused.ts'

function constant(value: Json): SqlCode {
  if (typeof value === 'string') return text(sqlString(value))
  if (typeof value === 'boolean') return bool(String(value))
  if (typeof value === 'number') return number(value < 0 ? `(${value})` : String(value))
  throw new CannotSay('literal', 'only texts, numbers and booleans are values of a column')
}

/** Values and choices. */
export const SQL_VALUES: SqlTableOf<typeof BASICS & typeof CONDITIONS & typeof ALTERNATIVES> = {
  literal: ({ value }) => constant(value),
  input: { refused: 'the input is neither a value nor a row' },
  field: { refused: 'a column holds no objects' },
  path: NESTED,
  let: ({ name, value, in: body }, write, wanted) => {
    const given = write.print(value, TEXT)
    const [column, source] = [write.names.fresh(name, 'value'), write.names.fresh('let')]
    const { code, type } = write.within(name, { ...given, code: column, isTotal: true }).print(body, wanted)
    // The value is evaluated first: without one there is no answer.
    const guard = given.isTotal ? '' : ` WHERE ${column} IS NOT NULL`
    return { code: `(SELECT ${code} FROM (SELECT ${given.code} AS ${column}) AS ${source}${guard})`, type }
  },
  var: ({ name }, write) => write.bound(name),
  if: ({ cond, then, else: otherwise }, write, wanted) => {
    const [chosen, other = chosen] = write.alike([then, otherwise], wanted)
    return { code: choose(write.condition(cond), chosen.code, other.code), type: chosen.type }
  },
  switch: ({ cases, else: otherwise }, write, wanted) => {
    const [last, ...values] = write.alike([otherwise, ...cases.map(({ then }) => then)], wanted)
    const conditions = cases.map(({ when }) => write.condition(when))
    if (conditions.every(({ isTotal }) => isTotal)) {
      const lines = conditions.map(({ code }, at) => `WHEN ${code} THEN ${values[at]?.code ?? ''}`)
      return { code: `CASE ${lines.join(' ')} ELSE ${last.code} END`, type: last.type }
    }
    const code = conditions.reduceRight((rest, when, at) => choose(when, values[at]?.code ?? '', rest), last.code)
    return { code, type: last.type }
  },
  lookup: ({ key, cases, ignoreCase = false, default: otherwise }, write, wanted) => {
    const values = new Map<string, SqlCode>()
    for (const entry of cases) {
      if (typeof entry.key !== 'string') throw new CannotSay('lookup', 'only texts are keys')
      values.set(ignoreCase ? entry.key.toLowerCase() : entry.key, constant(entry.value))
    }
    const last = otherwise === undefined ? undefined : write.print(otherwise, wanted)
    const types = new Set([...values.values(), ...(last === undefined ? [] : [last])].map(({ type }) => type))
    const [type] = types
    if (type === undefined || types.size > 1) throw new CannotSay('lookup', 'its values have several types')
    const lines = [...values].map(([known, { code }]) => `WHEN ${sqlString(known)} THEN ${code}`)
    const found = write.print(key, TEXT)
    if (found.type !== 'text') throw new CannotSay('lookup', 'only texts are keys')
    const given = ignoreCase ? caseOf('lower', found.code) : found.code
    const end = last === undefined ? '' : ` ELSE ${last.code}`
    if (last === undefined || found.isTotal) return { code: `CASE ${given} ${lines.join(' ')}${end} END`, type }
    return {
      code: `(SELECT CASE lookup_key ${lines.join(' ')}${end} END FROM (SELECT ${given} AS lookup_key) AS looked_up WHERE lookup_key IS NOT NULL)`,
      type,
    }
  },
  and: ({ of }, write) => chain(of, write, true),
  or: ({ of }, write) => chain(of, write, false),
  not: ({ of }, write) => bool(`(NOT ${write.condition(of).code})`),
  coalesce: ({ of, skipEmpty = false }, write, wanted) => {
    if (!of.every((part) => part.op === 'field' || part.op === 'literal')) {
      throw new CannotSay('coalesce', 'only columns and constants')
    }
    const parts = write.alike(of, wanted)
    const [{ type }] = parts
    const codes = parts.map(({ code }) => (skipEmpty && type === 'text' ? `NULLIF(${code}, '')` : code))
    return { code: `COALESCE(${codes.join(', ')})`, type }
  },
  orElse: ({ of }, write, wanted) => {
    const parts = write.alike(of, wanted)
    return { code: `COALESCE(${parts.map(({ code }) => code).join(', ')})`, type: parts[0].type }
  },
  can: ({ of }, write) => bool(`((${write.print(of, TEXT).code}) IS NOT NULL)`),
}

function chain(of: readonly Expr[], write: SqlWriter, isAnd: boolean): SqlCode {
  const parts = of.map((part) => write.condition(part))
  if (parts.every(({ isTotal }) => isTotal)) {
    return bool(`(${parts.map(({ code }) => code).join(isAnd ? ' AND ' : ' OR ')})`)
  }
  // `false AND null` is false in SQL; a program stops at the part without an answer.
  const last = parts.at(-1)?.code ?? 'true'
  return bool(
    parts.slice(0, -1).reduceRight((rest, part) => choose(part, isAnd ? rest : 'true', isAnd ? 'false' : rest), last),
  )
}

function wantedBeside(other: Expr): TypeSet {
  if (other.op !== 'literal') return TEXT
  return typeof other.value === 'number' ? NUMBER : typeof other.value === 'boolean' ? BOOLEAN : TEXT
}

const equality =
  (sign: string): SqlPrinter<{ readonly left: Expr; readonly right: Expr }> =>
  ({ left, right }, write) => {
    const [a, b = a] = write.alike([left, right], wantedBeside(left.op === 'literal' ? left : right))
    if (a.type === 'texts') throw new CannotSay('eq', 'lists are not compared')
    return bool(`(${a.code} ${sign} ${b.code})`)
  }

const ordering =
  (sign: string): SqlPrinter<{ readonly left: Expr; readonly right: Expr }> =>
  ({ left, right }, write) =>
    bool(`(${write.number(left)} ${sign} ${write.number(right)})`)

/** Comparisons, tests and conversions. */
export const SQL_COMPARISONS: SqlTableOf<typeof COMPARISONS & typeof TESTS & typeof CONVERSIONS> = {
  eq: equality('='),
  ne: equality('<>'),
  lt: ordering('<'),
  le: ordering('<='),
  gt: ordering('>'),
  ge: ordering('>='),
  in: ({ value, list }, write) => bool(`(${write.total(value, TEXT, 'text')} = ANY (${write.texts(list)}))`),
  isEmpty: { refused: 'null is a value of the program and none of a column' },
  isType: { refused: 'a column has one type' },
  toText: ({ of }, write, wanted) => {
    const { code, type } = write.print(of, wanted)
    if (type === 'text') return text(code)
    if (type !== 'boolean') throw new CannotSay('toText', 'Postgres writes numbers in another form')
    return text(`(${code})::text`)
  },
  toNumber: NUMBERS,
  toBoolean: NUMBERS,
  toJson: NESTED,
  parseJson: NESTED,
}
