import {
  ANY,
  BOOLEAN,
  DATE,
  JSON_VALUE,
  LIST,
  NULL,
  NUMBER,
  OBJECT,
  TEXT,
  type TypeSet,
} from '../../../language/value-types.ts'

const TYPES: readonly (readonly [TypeSet, kind: string, type: string])[] = [
  [NULL, 'null', 'null'],
  [BOOLEAN, 'boolean', 'boolean'],
  [NUMBER, 'number', 'number'],
  [TEXT, 'text', 'string'],
  [LIST, 'list', 'readonly Json[]'],
  [OBJECT, 'object', 'JsonObject'],
  [DATE, 'date', 'CivilDate'],
]

/** The kinds of a set of types, as `assertKind` names them. */
export function kindsOf(types: TypeSet): string {
  return TYPES.filter(([bit]) => (types & bit) !== 0)
    .map(([, kind]) => `'${kind}'`)
    .join(', ')
}

/** A set of types as a type of TypeScript. */
export function typeOf(types: TypeSet): string {
  if ((types & JSON_VALUE) === JSON_VALUE) return types === ANY ? 'Json | CivilDate' : 'Json'
  const names = TYPES.filter(([bit]) => (types & bit) !== 0).map(([, , type]) => type)
  return names.length === 0 ? 'Json' : names.join(' | ')
}
