import type { OperatorTable } from '../../writing/dialect.ts'
import { TS_DATE_READING, TS_DATES } from './dates.ts'
import { TS_LISTS, TS_OBJECTS } from './lists.ts'
import { TS_ARITHMETIC, TS_CONVERSIONS, TS_NUMBER_TEXTS, TS_WRITTEN } from './numbers.ts'
import { TS_EDITING, TS_MAKING, TS_MEASURING, TS_SEARCHING } from './text.ts'
import { TS_BASICS, TS_CHOICES, TS_COMPARISONS } from './values.ts'

/** Every operator in TypeScript. */
export const TS_OPERATORS: OperatorTable = {
  ...TS_BASICS,
  ...TS_MAKING,
  ...TS_EDITING,
  ...TS_SEARCHING,
  ...TS_MEASURING,
  ...TS_ARITHMETIC,
  ...TS_NUMBER_TEXTS,
  ...TS_WRITTEN,
  ...TS_DATES,
  ...TS_DATE_READING,
  ...TS_CHOICES,
  ...TS_COMPARISONS,
  ...TS_LISTS,
  ...TS_OBJECTS,
  ...TS_CONVERSIONS,
}
