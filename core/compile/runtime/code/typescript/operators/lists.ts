import type { Expr } from '../../../../language/ast.ts'
import type { LISTS } from '../../../../language/operators/lists.ts'
import type { OBJECTS } from '../../../../language/operators/objects.ts'
import { BOOLEAN, JSON_VALUE, LIST, NUMBER, OBJECT } from '../../../../language/value-types.ts'
import type { OperatorTable, Writer } from '../../writing/dialect.ts'
import { propertyName, tsLiteral, tsString } from '../strings.ts'
import { needed } from './numbers.ts'

type TableOf<Group> = Pick<OperatorTable, keyof Group & keyof OperatorTable>

const looping =
  (method: string) =>
  ({ list, as, where }: { readonly list: Expr; readonly as: string; readonly where: Expr }, write: Writer): string => {
    const items = write.atom(list, LIST)
    const { item, code } = write.forItem(as, where, BOOLEAN)
    return `${items}.${method}((${item}) => ${code})`
  }

const cutting =
  (helper: string) =>
  ({ list, count }: { readonly list: Expr; readonly count: Expr }, write: Writer): string => {
    const items = write.operand(list, LIST)
    return write.call(helper, items, write.operand(count, NUMBER))
  }

/** Lists. */
export const TS_LISTS: TableOf<typeof LISTS> = {
  list: ({ items }, write) => {
    if (items.length === 0) return '[] as readonly Json[]'
    return `[${items.map((item) => write.operand(item, JSON_VALUE)).join(', ')}]`
  },
  nth: ({ list, index }, write) => needed(`${write.atom(list, LIST)}.at(${index})`, 'missing', write),
  map: ({ list, as, body }, write) => {
    const items = write.atom(list, LIST)
    const { item, code } = write.forItem(as, body, JSON_VALUE)
    return `${items}.map((${item}) => ${code.startsWith('{') ? `(${code})` : code})`
  },
  filter: looping('filter'),
  any: looping('some'),
  all: looping('every'),
  sort: ({ list, descending = false }, write) => {
    const items = write.name(list, LIST, 'items')
    return write.call('sortBy', items, items, descending ? '-1' : '')
  },
  sortBy: ({ list, as, key, descending = false }, write) => {
    const items = write.name(list, LIST, 'items')
    const { item, code } = write.forItem(as, key, JSON_VALUE)
    return write.call(
      'sortBy',
      items,
      `${items}.map((${item}) => ${code.startsWith('{') ? `(${code})` : code})`,
      descending ? '-1' : '',
    )
  },
  unique: ({ list }, write) => write.call('uniqueItems', write.operand(list, LIST)),
  take: cutting('take'),
  drop: cutting('drop'),
  append: ({ lists }, write) => `[${lists.map((list) => `...${write.atom(list, LIST)}`).join(', ')}]`,
}

/** Objects. */
export const TS_OBJECTS: TableOf<typeof OBJECTS> = {
  object: ({ members }, write) => {
    const parts = members.map(({ name, value, optional = false }) =>
      optional
        ? `...${write.call('optional', tsString(name), write.thunk(value, JSON_VALUE))}`
        : `${propertyName(name)}: ${write.operand(value, JSON_VALUE)}`,
    )
    const names = members.map(({ name }) => name)
    // A literal may name a member once; a spread does not set `__proto__`.
    const isPlain = new Set(names).size === names.length && !names.includes('__proto__')
    if (isPlain) return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
    return write.call('merge', ...parts.map((part) => `{ ${part} }`))
  },
  pick: ({ of, names }, write) => write.call('choose', write.operand(of, OBJECT), tsLiteral(names), 'true'),
  omit: ({ of, names }, write) => write.call('choose', write.operand(of, OBJECT), tsLiteral(names), 'false'),
  rename: ({ of, names }, write) => {
    const pairs = names.map(({ from, to }) => `[${tsString(from)}, ${tsString(to)}]`)
    return write.call('rename', write.operand(of, OBJECT), `[${pairs.join(', ')}]`)
  },
  merge: ({ of }, write) => write.call('merge', ...of.map((object) => write.operand(object, OBJECT))),
  keys: ({ of }, write) => write.call('sortedNames', write.operand(of, OBJECT)),
  values: ({ of }, write) => write.call('valuesOf', write.operand(of, OBJECT)),
  entries: ({ of }, write) => write.call('entriesOf', write.operand(of, OBJECT)),
  fromEntries: ({ list }, write) => write.call('fromEntries', write.operand(list, LIST)),
}
