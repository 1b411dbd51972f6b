import type { OperatorName } from '../../writing/dialect.ts'
import type { SqlTable } from '../table.ts'
import { SQL_LISTS } from './lists.ts'
import { SQL_DATES, SQL_NUMBERS } from './numbers.ts'
import { SQL_CASING, SQL_EDITING, SQL_SEARCHING } from './text.ts'
import { SQL_COMPARISONS, SQL_VALUES } from './values.ts'

/** Every operator in Postgres. */
export const SQL_OPERATORS: SqlTable = {
  ...SQL_VALUES,
  ...SQL_COMPARISONS,
  ...SQL_CASING,
  ...SQL_EDITING,
  ...SQL_SEARCHING,
  ...SQL_LISTS,
  ...SQL_NUMBERS,
  ...SQL_DATES,
}

/** Operators that have an answer whenever their parts have one. */
export const TOTAL: ReadonlySet<OperatorName> = new Set<OperatorName>([
  ...(['literal', 'var', 'let', 'if', 'switch', 'and', 'or', 'not', 'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in'] as const),
  ...([
    'upper',
    'lower',
    'capitalise',
    'sentence',
    'concat',
    'trim',
    'collapseSpace',
    'pad',
    'replace',
    'split',
  ] as const),
  ...(['join', 'repeat', 'removeChars', 'keepChars', 'extractAll', 'count', 'contains', 'startsWith'] as const),
  ...(['endsWith', 'matches', 'length', 'reverse', 'chars', 'normalize', 'list', 'map', 'filter', 'unique'] as const),
  ...(['take', 'drop', 'append', 'neg', 'abs', 'sign', 'min', 'max', 'toText'] as const),
])
