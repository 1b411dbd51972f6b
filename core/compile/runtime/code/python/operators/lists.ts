import type { Expr } from '../../../../language/ast.ts'
import type { LISTS } from '../../../../language/operators/lists.ts'
import type { OBJECTS } from '../../../../language/operators/objects.ts'
import { BOOLEAN, JSON_VALUE, LIST, NUMBER, OBJECT } from '../../../../language/value-types.ts'
import type { OperatorTable, Writer } from '../../writing/dialect.ts'
import { pyLiteral, pyString } from '../strings.ts'

type TableOf<Group> = Pick<OperatorTable, keyof Group & keyof OperatorTable>

const cutting =
  (helper: string, slice: (count: number) => string) =>
  ({ list, count }: { readonly list: Expr; readonly count: Expr }, write: Writer): string => {
    if (count.op === 'literal' && typeof count.value === 'number' && Number.isSafeInteger(count.value)) {
      return `${write.atom(list, LIST)}${slice(count.value)}`
    }
    const items = write.operand(list, LIST)
    return write.call(helper, items, write.operand(count, NUMBER))
  }

const finding =
  (name: 'any' | 'all') =>
  ({ list, as, where }: { readonly list: Expr; readonly as: string; readonly where: Expr }, write: Writer): string => {
    const items = write.atom(list, LIST)
    const { item, code } = write.forItem(as, where, BOOLEAN)
    return `${name}(${code} for ${item} in ${items})`
  }

/** Lists. */
export const PY_LISTS: TableOf<typeof LISTS> = {
  list: ({ items }, write) => `[${items.map((item) => write.operand(item, JSON_VALUE)).join(', ')}]`,
  nth: ({ list, index }, write) => `${write.atom(list, LIST)}[${index}]`,
  map: ({ list, as, body }, write) => {
    const items = write.atom(list, LIST)
    const { item, code } = write.forItem(as, body, JSON_VALUE)
    return `[${code} for ${item} in ${items}]`
  },
  filter: ({ list, as, where }, write) => {
    const items = write.atom(list, LIST)
    const { item, code } = write.forItem(as, where, BOOLEAN)
    return `[${item} for ${item} in ${items} if ${code}]`
  },
  any: finding('any'),
  all: finding('all'),
  sort: ({ list, descending = false }, write) => {
    const items = write.name(list, LIST, 'items')
    return write.call('_sort', items, items, descending ? 'descending=True' : '')
  },
  sortBy: ({ list, as, key, descending = false }, write) => {
    const items = write.name(list, LIST, 'items')
    const { item, code } = write.forItem(as, key, JSON_VALUE)
    return write.call('_sort', items, `[${code} for ${item} in ${items}]`, descending ? 'descending=True' : '')
  },
  unique: ({ list }, write) => write.call('_unique', write.operand(list, LIST)),
  take: cutting('_take', (count) => (count >= 0 ? `[:${count}]` : `[${count}:]`)),
  drop: cutting('_drop', (count) => (count >= 0 ? `[${count}:]` : `[:${count}]`)),
  append: ({ lists }, write) => `[${lists.map((list) => `*${write.atom(list, LIST)}`).join(', ')}]`,
}

/** Objects. */
export const PY_OBJECTS: TableOf<typeof OBJECTS> = {
  object: ({ members }, write) => {
    const parts = members.map(({ name, value, optional = false }) =>
      optional
        ? `**${write.call('_optional', pyString(name), write.thunk(value, JSON_VALUE))}`
        : `${pyString(name)}: ${write.operand(value, JSON_VALUE)}`,
    )
    return `{${parts.join(', ')}}`
  },
  pick: ({ of, names }, write) => {
    const object = write.name(of, OBJECT, 'row')
    return `{member: ${object}[member] for member in ${pyLiteral(names)} if member in ${object}}`
  },
  omit: ({ of, names }, write) =>
    `{member: content for member, content in ${write.atom(of, OBJECT)}.items() if member not in ${pyLiteral(names)}}`,
  rename: ({ of, names }, write) =>
    write.call(
      '_rename',
      write.operand(of, OBJECT),
      `[${names.map(({ from, to }) => `(${pyString(from)}, ${pyString(to)})`).join(', ')}]`,
    ),
  merge: ({ of }, write) => `{${of.map((object) => `**${write.atom(object, OBJECT)}`).join(', ')}}`,
  keys: ({ of }, write) => write.call('_names', write.operand(of, OBJECT)),
  values: ({ of }, write) => {
    const object = write.name(of, OBJECT, 'row')
    return `[${object}[member] for member in ${write.call('_names', object)}]`
  },
  entries: ({ of }, write) => {
    const object = write.name(of, OBJECT, 'row')
    return `[{"key": member, "value": ${object}[member]} for member in ${write.call('_names', object)}]`
  },
  fromEntries: ({ list }, write) => write.call('_from_entries', write.operand(list, LIST)),
}
