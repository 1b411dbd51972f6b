import type { OperatorTable } from '../../writing/dialect.ts'
import { PY_DATE_READING, PY_DATES } from './dates.ts'
import { PY_LISTS, PY_OBJECTS } from './lists.ts'
import { PY_ARITHMETIC, PY_CONVERSIONS, PY_NUMBER_TEXTS, PY_WRITTEN } from './numbers.ts'
import { PY_SEARCHING } from './search.ts'
import { PY_EDITING, PY_MAKING, PY_MEASURING, PY_REGIONS } from './text.ts'
import { PY_BASICS, PY_CHOICES, PY_COMPARISONS } from './values.ts'

/** Every operator in Python. */
export const PY_OPERATORS: OperatorTable = {
  ...PY_BASICS,
  ...PY_MAKING,
  ...PY_EDITING,
  ...PY_SEARCHING,
  ...PY_MEASURING,
  ...PY_REGIONS,
  ...PY_ARITHMETIC,
  ...PY_NUMBER_TEXTS,
  ...PY_WRITTEN,
  ...PY_DATES,
  ...PY_DATE_READING,
  ...PY_CHOICES,
  ...PY_COMPARISONS,
  ...PY_LISTS,
  ...PY_OBJECTS,
  ...PY_CONVERSIONS,
}
