import { comparisonTasks } from './comparisons.ts'
import { dateWindowTasks } from './everyday/date-windows.ts'
import { dateTasks } from './dates.ts'
import { everydayDates } from './everyday/dates.ts'
import { everydayFormats } from './everyday/formats.ts'
import { everydayNumbers } from './everyday/numbers.ts'
import { everydayOffice } from './everyday/office.ts'
import { officeRuleTasks } from './everyday/office-rules.ts'
import { spreadsheetTasks } from './everyday/spreadsheets.ts'
import { everydayRules } from './everyday/rules.ts'
import { everydayTexts } from './everyday/text.ts'
import { extractionTasks } from './extraction.ts'
import { groupingTasks, precisionTasks, scaleTasks } from './everyday/amounts.ts'
import { localeTasks, scriptTasks } from './everyday/scripts.ts'
import { durationTasks, unitTasks } from './everyday/units.ts'
import { measureTasks } from './everyday/measures.ts'
import { principleTasks } from './principles.ts'
import { numberTasks, rangeTasks, roundingTasks } from './numbers.ts'
import { quantityTasks } from './quantities.ts'
import { columnTasks, conditionTasks, labelTasks } from './rules.ts'
import { listTasks, objectTasks } from './structures.ts'
import type { BenchTask } from './task.ts'
import { templateTasks } from './templates.ts'
import { casingTasks, cleaningTasks, maskingTasks } from './text.ts'

/** Every task of the synthesizer's benchmark. */
export const ALL_TASKS: readonly BenchTask[] = [
  ...dateTasks,
  ...numberTasks,
  ...roundingTasks,
  ...rangeTasks,
  ...casingTasks,
  ...cleaningTasks,
  ...maskingTasks,
  ...extractionTasks,
  ...conditionTasks,
  ...columnTasks,
  ...listTasks,
  ...objectTasks,
  ...labelTasks,
  ...everydayDates,
  ...everydayNumbers,
  ...everydayTexts,
  ...everydayRules,
  ...everydayFormats,
  ...quantityTasks,
  ...templateTasks,
  ...comparisonTasks,
  ...principleTasks,
  ...dateWindowTasks,
  ...scaleTasks,
  ...groupingTasks,
  ...precisionTasks,
  ...unitTasks,
  ...durationTasks,
  ...localeTasks,
  ...scriptTasks,
  ...measureTasks,
  ...everydayOffice,
  ...officeRuleTasks,
  ...spreadsheetTasks,
]
