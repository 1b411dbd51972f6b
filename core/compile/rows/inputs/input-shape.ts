import type { ContentMembers } from '../../archive/members/content.ts'
import type { Check, JsonType } from '../../stages/verifier/verifier-types.ts'
import type { ColumnType } from '../table/columns/cell-types.ts'

/** Inputs that a recipe was evaluated on, as far as its archive says: what cells of a table become is decided by it. */
export interface InputShape {
  /** Type of inputs that are not objects; null when it is not known, or they are objects. */
  readonly value: ColumnType | null
  /** Types of the members of inputs that are objects, null where one is not known; null for other inputs. */
  readonly members: ReadonlyMap<string, ColumnType | null> | null
  /** Members that every input has. */
  readonly required: ReadonlySet<string>
  /** Column of the examples' file that held inputs that are not objects; null when it is not known. */
  readonly column: string | null
}

/** Returns the shape of the inputs of an archive's rows, out of the checks of its verifier. */
export function shapeOfInputs({ verifier }: Pick<ContentMembers, 'verifier'>): Omit<InputShape, 'column'> {
  const checks: readonly Check[] = verifier.spec === 'svc-verifier-2' ? verifier.inputs.checks : []
  const root = typesAt(checks, [])
  const named = checks.find((check) => check.kind === 'members' && check.path.length === 0)
  const required = named?.kind === 'members' ? named.required : []
  if (root === null) return { value: null, members: null, required: new Set() }
  if (!root.includes('object')) return { value: columnType(root), members: null, required: new Set() }
  const names = new Set([
    ...required,
    ...checks.flatMap(({ path: [name, ...deeper] }) => (name === undefined || deeper.length > 0 ? [] : [name])),
  ])
  const members = new Map([...names].map((name) => [name, columnType(typesAt(checks, [name]) ?? [])]))
  return { value: null, members, required: new Set(required) }
}

function typesAt(checks: readonly Check[], path: readonly string[]): readonly JsonType[] | null {
  for (const check of checks) {
    if (check.kind !== 'type' || check.path.length !== path.length) continue
    if (check.path.every((name, at) => name === path[at])) return check.types
  }
  return null
}

/** Type of cells for values of these types; null where cells cannot say which of several a value is. */
function columnType(types: readonly JsonType[]): ColumnType | null {
  const [only, ...others] = types.filter((type) => type !== 'null')
  if (others.length > 0) return null
  if (only === 'string') return 'text'
  return only === 'number' || only === 'boolean' ? only : null
}
