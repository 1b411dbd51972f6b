import type { Expr } from '../../../../language/ast.ts'
import type { LISTS } from '../../../../language/operators/lists.ts'
import type { OBJECTS } from '../../../../language/operators/objects.ts'
import { BOOLEAN, LIST, TEXT, type TypeSet } from '../../../../language/value-types.ts'
import { CannotSay } from '../../refusal.ts'
import { type Printed, type SqlCode, type SqlPrinter, type SqlTableOf, type SqlWriter, text, texts } from '../table.ts'
import { NESTED } from './refused.ts'

const ITEM = { type: 'text', isTotal: true } as const

/** The expression for each item, and the rows of items. Throws `CannotSay` where an item may have no answer. */
function forItems(list: Expr, as: string, body: Expr, write: SqlWriter, wanted: TypeSet) {
  const items = write.total(list, LIST, 'texts')
  const item = write.names.fresh(as, 'item')
  const made: Printed = write.within(as, { ...ITEM, code: item }).print(body, wanted)
  if (!made.isTotal) throw new CannotSay(body.op, 'an item may have no answer')
  return { item, made, rows: `unnest(${items}) WITH ORDINALITY AS items(${item}, place)` }
}

const cutting =
  (isStart: boolean): SqlPrinter<{ readonly op: string; readonly list: Expr; readonly count: Expr }> =>
  ({ op, list, count: given }, write): SqlCode => {
    const count = given.op === 'literal' ? given.value : undefined
    if (typeof count !== 'number' || !Number.isInteger(count) || Math.abs(count) > 1_000_000) {
      throw new CannotSay(op, 'only a constant number of items')
    }
    const items = write.texts(list)
    if (count >= 0) return texts(isStart ? `(${items})[:${count}]` : `(${items})[${count + 1}:]`)
    const backwards = `array_reverse((array_reverse(${items}))`
    return texts(isStart ? `${backwards}[:${-count}])` : `${backwards}[${1 - count}:])`)
  }

/** Lists of texts. */
export const SQL_LISTS: SqlTableOf<typeof LISTS & typeof OBJECTS> = {
  list: ({ items }, write) => {
    const parts = items.map((item) => write.total(item, TEXT, 'text'))
    return texts(`ARRAY[${parts.join(', ')}]::text[]`)
  },
  nth: ({ list, index }, write) => {
    const items = write.texts(list)
    return text(index >= 0 ? `(${items})[${index + 1}]` : `(array_reverse(${items}))[${-index}]`)
  },
  map: ({ list, as, body }, write) => {
    const { made, rows } = forItems(list, as, body, write, TEXT)
    if (made.type !== 'text') throw new CannotSay('map', 'only to texts')
    return texts(`ARRAY(SELECT ${made.code} FROM ${rows} ORDER BY place)`)
  },
  filter: ({ list, as, where }, write) => {
    const { item, made, rows } = forItems(list, as, where, write, BOOLEAN)
    if (made.type !== 'boolean') throw new CannotSay('filter', 'only by a condition')
    return texts(`ARRAY(SELECT ${item} FROM ${rows} WHERE ${made.code} ORDER BY place)`)
  },
  any: NESTED,
  all: NESTED,
  sort: { refused: 'Postgres has no order by UTF-16 code units' },
  sortBy: { refused: 'Postgres has no order by UTF-16 code units' },
  unique: ({ list }, write) => {
    const items = write.total(list, LIST, 'texts')
    return texts(
      `ARRAY(SELECT item FROM unnest(${items}) WITH ORDINALITY AS items(item, place) GROUP BY item ORDER BY min(place))`,
    )
  },
  take: cutting(true),
  drop: cutting(false),
  append: ({ lists }, write) => texts(`(${lists.map((list) => write.total(list, LIST, 'texts')).join(' || ')})`),
  object: NESTED,
  pick: NESTED,
  omit: NESTED,
  rename: NESTED,
  merge: NESTED,
  keys: NESTED,
  values: NESTED,
  entries: NESTED,
  fromEntries: NESTED,
}
