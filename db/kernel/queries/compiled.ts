import { CompiledQuery } from 'kysely'
import { rememberPlan } from './prepared.ts'
import { BUILDER, type Queries, type Statement } from './typed.ts'

/** Placeholder of a value while a query is compiled. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * Compiles a query once. Returns a function that binds values to it: for statements of many transactions, where
 * building the query takes as long as its round trip. `build` may only bind its values, since their slots are no values.
 */
export function compiled<Values extends object, Row>(
  build: (q: Queries, values: Values) => Statement<Row>,
): (values: Values) => Statement<Row> {
  const { text, names } = compileSlots(build)
  return (values) => bind(text, names, values)
}

/** The same, and each connection plans the statement once; see `rememberPlan`. */
export function prepared<Values extends object, Row>(
  build: (q: Queries, values: Values) => Statement<Row>,
): (values: Values) => Statement<Row> {
  const { text, names } = compileSlots(build)
  rememberPlan(text)
  return (values) => bind(text, names, values)
}

interface CompiledSlots {
  readonly text: string
  /** The bound values in their order: the name of a slot, or a constant of the query. */
  readonly names: readonly unknown[]
}

function compileSlots<Values extends object, Row>(
  build: (q: Queries, values: Values) => Statement<Row>,
): CompiledSlots {
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as Values
  const { sql, parameters } = build(BUILDER, slots).compile(BUILDER)
  return { text: sql, names: parameters }
}

function bind<Row>(text: string, names: readonly unknown[], values: object): Statement<Row> {
  const bound = names.map((each) => (each instanceof Slot ? (values as Record<string, unknown>)[each.name] : each))
  return { compile: () => CompiledQuery.raw(text, bound) as CompiledQuery<Row> }
}
