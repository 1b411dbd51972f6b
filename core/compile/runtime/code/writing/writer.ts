import type { Json } from '../../../../kernel/json/json.ts'
import type { Expr, Pattern, Pos } from '../../../language/ast.ts'
import { ANY, BOOLEAN, JSON_VALUE, type TypeSet } from '../../../language/value-types.ts'
import { CannotSay } from '../refusal.ts'
import { atom } from './atoms.ts'
import type { AnyPrinter, Bound, Dialect, PatternPrinter, PlacePrinter, Writer } from './dialect.ts'
import type { Names } from './names.ts'
import { inputPath } from './needs.ts'
import { areFunctions, type Statement } from './statements.ts'
import { asJson, typesOf } from './types.ts'
import type { Uses } from './uses.ts'

export interface Shared {
  readonly dialect: Dialect
  readonly uses: Uses
  readonly names: Names
  /** The variable that holds the input. */
  readonly root: string
  /** Parts of the input that variables hold, by the JSON of their path. */
  readonly parts: ReadonlyMap<string, Bound>
}

/** Writes the expressions of one program in a language that has statements. What an expression needs first goes into the block. */
export class CodeWriter implements Writer {
  readonly #shared: Shared
  readonly #scope: ReadonlyMap<string, Bound>
  /** True inside `coalesce`, where only a missing part may be passed over. */
  readonly isExact: boolean
  readonly block: Statement[]

  constructor(shared: Shared, block: Statement[], scope: ReadonlyMap<string, Bound> = new Map(), isExact = false) {
    this.#shared = shared
    this.block = block
    this.#scope = scope
    this.isExact = isExact
  }

  get dialect(): Dialect {
    return this.#shared.dialect
  }

  get uses(): Uses {
    return this.#shared.uses
  }

  get root(): string {
    return this.#shared.root
  }

  /** A call of a helper. */
  call(helper: string, ...args: readonly string[]): string {
    return `${this.uses.helper(helper)}(${args.filter((arg) => arg !== '').join(', ')})`
  }

  literal(value: Json): string {
    return this.dialect.literal(value)
  }

  /** The types that an expression may have here. */
  types(node: Expr): TypeSet {
    const part = this.#part(asJson(node))
    if (part !== undefined) return part.types
    return typesOf(asJson(node), (name) => this.#scope.get(name)?.types ?? JSON_VALUE)
  }

  #part(node: Json | undefined): Bound | undefined {
    const path = inputPath(node)
    return path === undefined ? undefined : this.#shared.parts.get(JSON.stringify(path))
  }

  /** The value of an expression. Throws `CannotSay` where the language has no form for it. */
  expr(node: Expr): string {
    const part = this.#part(asJson(node))
    if (part !== undefined) return part.code
    const printer: AnyPrinter = this.dialect.operators[node.op]
    if (typeof printer !== 'function') throw new CannotSay(node.op, printer.refused)
    return printer(node, this)
  }

  /** The value, checked to have one of the types. */
  operand(node: Expr, accepts: TypeSet): string {
    const code = this.expr(node)
    const types = this.types(node)
    return (types & ~accepts) === 0 ? code : this.dialect.checked(code, accepts, this.uses)
  }

  /** The checked value, in brackets where needed. */
  atom(node: Expr, accepts: TypeSet): string {
    return atom(this.operand(node, accepts))
  }

  /** The checked value as a name or constant, so that it can be used twice. */
  name(node: Expr, accepts: TypeSet, wanted: string): string {
    const code = this.operand(node, accepts)
    return /^\w+$/.test(code) ? code : this.bind(wanted, code)
  }

  /** Puts code into a variable. */
  bind(wanted: string, code: string): string {
    const name = this.#shared.names.fresh(wanted)
    this.block.push({ kind: 'let', name, value: code })
    return name
  }

  bound(name: string): Bound {
    return this.#scope.get(name) ?? { code: name, types: JSON_VALUE }
  }

  #within(block: Statement[], scope = this.#scope, isExact = this.isExact): CodeWriter {
    return new CodeWriter(this.#shared, block, scope, isExact)
  }

  #withName(name: string, bound: Bound, block: Statement[]): CodeWriter {
    return this.#within(block, new Map(this.#scope).set(name, bound))
  }

  /** A value that is evaluated only sometimes: the statements that it needs first become a separate function. */
  branch(node: Expr, accepts: TypeSet): string {
    const block: Statement[] = []
    const code = this.#within(block).operand(node, accepts)
    if (areFunctions(block)) {
      this.block.push(...block)
      return code
    }
    return `${this.#function('compute', [], [...block, { kind: 'return', value: code }])}()`
  }

  #function(wanted: string, parameters: readonly string[], body: readonly Statement[]): string {
    const name = this.#shared.names.fresh(wanted)
    this.block.push({ kind: 'function', name, parameters, body })
    return name
  }

  /** A function without parameters that gives the value. */
  thunk(node: Expr, accepts: TypeSet): string {
    return this.dialect.lambda(this.branch(node, accepts))
  }

  /** The value of a body for an item: its variable, and the code. */
  forItem(as: string, body: Expr, accepts: TypeSet): { readonly item: string; readonly code: string } {
    const item = this.#shared.names.fresh(as, 'item')
    const block: Statement[] = []
    const code = this.#withName(as, { code: item, types: JSON_VALUE }, block).operand(body, accepts)
    if (block.length === 0) return { item, code }
    return { item, code: `${this.#function('compute', [item], [...block, { kind: 'return', value: code }])}(${item})` }
  }

  /** `let` in an expression: the value goes into a variable. */
  letIn(name: string, value: Expr, body: Expr): string {
    return this.#bindName(name, value).expr(body)
  }

  #bindName(name: string, value: Expr): CodeWriter {
    const types = this.types(value)
    const code = this.expr(value)
    const kept = /^[a-z]\w*$/.test(code) ? code : this.bind(name, code)
    return this.#withName(name, { code: kept, types }, this.block)
  }

  /** A choice inside an expression: a function that is called at once. */
  choice(node: Expr, wanted: string): string {
    const block: Statement[] = []
    this.#within(block).tail(node, ANY)
    return `${this.#function(wanted, [], block)}()`
  }

  /** The last statements of a function: they return the value. */
  tail(node: Expr, accepts: TypeSet): void {
    if (this.#part(asJson(node)) === undefined) {
      if (node.op === 'let') return this.#bindName(node.name, node.value).tail(node.in, accepts)
      if (node.op === 'if') {
        this.#test(node.cond, node.then, accepts)
        return this.tail(node.else, accepts)
      }
      if (node.op === 'switch') {
        for (const { when, then } of node.cases) this.#test(when, then, accepts)
        return this.tail(node.else, accepts)
      }
      if (node.op === 'orElse') return this.#alternatives(node.of, accepts)
      if (node.op === 'coalesce') return this.#firstPresent(node.of, node.skipEmpty === true, accepts)
    }
    this.block.push({ kind: 'return', value: this.operand(node, accepts) })
  }

  #test(condition: Expr, then: Expr, accepts: TypeSet): void {
    const body: Statement[] = []
    const code = this.operand(condition, BOOLEAN)
    this.#within(body).tail(then, accepts)
    this.block.push({ kind: 'if', condition: code, then: body })
  }

  #alternatives(of: readonly Expr[], accepts: TypeSet): void {
    for (const alternative of of.slice(0, -1)) {
      const body: Statement[] = []
      // The type is checked behind the choice: an alternative of another type is an answer too.
      const inner = this.#within(body)
      inner.tail(alternative, ANY)
      this.block.push({ kind: 'try', body })
    }
    const last = of.at(-1)
    if (last !== undefined) this.tail(last, accepts)
  }

  #firstPresent(of: readonly Expr[], skipsEmpty: boolean, accepts: TypeSet): void {
    for (const alternative of of) {
      const body: Statement[] = []
      const inner = this.#within(body, this.#scope, true)
      const types = inner.types(alternative)
      const name = inner.bind('found', inner.expr(alternative))
      const isAbsent = skipsEmpty ? this.dialect.isEmpty(name, this.uses) : this.dialect.isNull(name)
      const value = (types & ~accepts) === 0 ? name : this.dialect.checked(name, accepts, this.uses)
      body.push({ kind: 'if', condition: this.dialect.not(isAbsent), then: [{ kind: 'return', value }] })
      this.block.push({ kind: 'try', only: 'missing', body })
    }
    this.block.push({ kind: 'fail' })
  }

  /** A regular expression for a pattern; its groups capture only where `captures` says so. */
  pattern(pattern: Pattern, captures = false): string {
    const print: PatternPrinter<Pattern> = this.dialect.patterns[pattern.kind]
    return print(pattern, captures, this)
  }

  /** The index of a position in the text. */
  position(pos: Pos, text: string): string {
    const print: PlacePrinter<Pos> = this.dialect.positions[pos.op]
    return print(pos, text, this)
  }
}
