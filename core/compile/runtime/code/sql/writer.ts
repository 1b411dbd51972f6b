import type { Expr, Pattern, Pos } from '../../../language/ast.ts'
import { BOOLEAN, LIST, NUMBER, TEXT, type TypeSet } from '../../../language/value-types.ts'
import { CannotSay } from '../refusal.ts'
import { Names } from '../writing/names.ts'
import { inputPath, type Needs } from '../writing/needs.ts'
import { asJson } from '../writing/types.ts'
import { SQL_OPERATORS, TOTAL } from './operators/table.ts'
import { sqlPattern, sqlString } from './patterns.ts'
import { type AnySqlPrinter, type Column, type Printed, type SqlType, type SqlWriter, units } from './table.ts'

/** Reserved words of SQL, and the names that written code gives to its own columns. */
const RESERVED =
  'all and any array as asc both case cast check collate column constraint create current_date default desc distinct do else end except ' +
  'false fetch for foreign from grant group having in initially intersect into lateral leading limit localtime not null offset on only or ' +
  'order placing primary references returning select session_user some symmetric table then to trailing true union unique user using ' +
  'variadic when where window with text value calculated capitalised cut_from cut_to exact given item items letter lookup_key looked_up match matches place whole'

/** State shared by the expressions of one program. */
interface Shared {
  readonly names: Names
  readonly columns: Map<string, Column>
  /** Parts of the input that every answer needs. */
  readonly needs: Needs
  /** True since something was printed that may be null. */
  isPartial: boolean
}

/** Writes the expressions of one program. */
export class ExpressionWriter implements SqlWriter {
  readonly #shared: Shared
  readonly #scope: ReadonlyMap<string, Printed>

  constructor(shared: Shared, scope: ReadonlyMap<string, Printed> = new Map()) {
    this.#shared = shared
    this.#scope = scope
  }

  /** A writer for a program with these needs. */
  static of(needs: Needs): ExpressionWriter {
    return new ExpressionWriter({
      names: new Names('snake', RESERVED.split(' ')),
      columns: new Map(),
      needs,
      isPartial: false,
    })
  }

  get names(): Names {
    return this.#shared.names
  }

  /** The parameters, in the order of first use. */
  get columns(): readonly Column[] {
    return [...this.#shared.columns.values()]
  }

  /** The expression of a node; `wanted` are the types that its place takes. Throws `CannotSay`. */
  print(node: Expr, wanted: TypeSet): Printed {
    const shared = this.#shared
    const wasPartial = shared.isPartial
    shared.isPartial = false
    const path = inputPath(asJson(node))
    const printed = path === undefined ? this.#operator(node, wanted) : this.#column(path, wanted)
    const isTotal =
      path === undefined ? TOTAL.has(node.op) && !shared.isPartial : shared.needs.has(JSON.stringify(path))
    shared.isPartial = wasPartial || !isTotal
    return { ...printed, isTotal }
  }

  #operator(node: Expr, wanted: TypeSet) {
    const printer: AnySqlPrinter = SQL_OPERATORS[node.op]
    if (typeof printer !== 'function') throw new CannotSay(node.op, printer.refused)
    return printer(node, this, wanted)
  }

  #column(path: readonly string[], wanted: TypeSet): Column {
    if (path.length > 1) throw new CannotSay('path', 'a column holds no objects')
    const { columns } = this.#shared
    const key = JSON.stringify(path)
    const type =
      wanted === NUMBER ? 'number' : wanted === BOOLEAN ? 'boolean' : (wanted & TEXT) !== 0 ? 'text' : undefined
    const known = columns.get(key)
    if (type === undefined) {
      throw new CannotSay(path.length === 0 ? 'input' : 'field', 'a column is a text, a number or a boolean')
    }
    if (known !== undefined && known.type !== type) throw new CannotSay('field', 'a column has one type')
    const isMixed = path.length === 0 ? columns.size > (known === undefined ? 0 : 1) : columns.has('[]')
    if (isMixed) throw new CannotSay('input', 'the input is a value or a row, not both')
    const column = known ?? { code: this.names.fresh(path[0] ?? 'input_value', 'part'), type, member: path[0] }
    columns.set(key, column)
    return column
  }

  text(node: Expr): string {
    return this.#typed(node, TEXT, 'text').code
  }

  texts(node: Expr): string {
    return this.#typed(node, LIST, 'texts').code
  }

  number(node: Expr): string {
    return this.#typed(node, NUMBER, 'number').code
  }

  condition(node: Expr): Printed {
    return this.#typed(node, BOOLEAN, 'boolean')
  }

  total(node: Expr, wanted: TypeSet, type: SqlType): string {
    const { code, isTotal } = this.#typed(node, wanted, type)
    if (!isTotal) throw new CannotSay(node.op, 'it may have no answer where SQL passes over null')
    return code
  }

  #typed(node: Expr, wanted: TypeSet, type: SqlType): Printed {
    const printed = this.print(node, wanted)
    if (printed.type !== type) throw new CannotSay(node.op, `it gives a ${printed.type} where a ${type} is needed`)
    return printed
  }

  alike(nodes: readonly Expr[], wanted: TypeSet): readonly [Printed, ...Printed[]] {
    const [first, ...rest] = nodes.map((node) => this.print(node, wanted))
    if (first === undefined || rest.some(({ type }) => type !== first.type)) {
      throw new CannotSay(nodes[0]?.op ?? 'if', 'its values have several types')
    }
    return [first, ...rest]
  }

  bound(name: string): Printed {
    const found = this.#scope.get(name)
    if (found === undefined) throw new CannotSay('var', 'the name stands for no column')
    return found
  }

  within(name: string, value: Printed): SqlWriter {
    return new ExpressionWriter(this.#shared, new Map(this.#scope).set(name, value))
  }

  position(pos: Pos, text: string): string {
    if (pos.op === 'absPos') return absolutePosition(pos.from, pos.offset, text)
    if (pos.op !== 'matchPos') throw new CannotSay(pos.op, 'the position is neither a constant nor a match')
    return matchPosition(pos.pattern, pos.occurrence, pos.edge, text)
  }
}

/** So many UTF-16 code units from an end of the text, in code points. */
function absolutePosition(from: 'start' | 'end', offset: number, text: string): string {
  if (offset === 0) return from === 'start' ? '0' : `length(${text})`
  const part = from === 'start' ? `left(${text}, place)` : `right(${text}, place)`
  const where = `place <= length(${text}) AND ${units(part)} = ${offset}`
  const found = `(SELECT place FROM generate_series(${Math.ceil(offset / 2)}, ${offset}) AS place WHERE ${where})`
  return from === 'start' ? found : `length(${text}) - ${found}`
}

function matchPosition(pattern: Pattern, occurrence: number, edge: 'start' | 'end', text: string): string {
  const regex = sqlString(sqlPattern(pattern))
  const at = (number: string) =>
    `NULLIF(regexp_instr(${text}, ${regex}, 1, ${number}, ${edge === 'start' ? 0 : 1}), 0) - 1`
  if (occurrence > 0) return at(String(occurrence))
  const count = `regexp_count(${text}, ${regex})`
  return `CASE WHEN ${count} >= ${-occurrence} THEN ${at(`${count} + ${1 + occurrence}`)} END`
}
