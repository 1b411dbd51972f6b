import { MONTH_NAMES } from '../../../language/primitives/dates/date-text.ts'
import type { Template } from './template.ts'

/** 48 dates over four years, written with the name of the month. */
const examples = Array.from({ length: 48 }, (_, index) => {
  const month = index % 12
  const name = MONTH_NAMES[month] ?? ''
  const day = 1 + ((index * 11) % 28)
  const year = 2021 + (index % 4)
  const iso = `${year}-${String(month + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  return { input: `${name} ${day}, ${year}`, output: iso }
})

export const DATES: Template = {
  id: 'date-to-iso',
  name: 'Dates in ISO form',
  description: 'Dates written with the name of the month become ISO 8601 dates.',
  task: 'Write a date such as March 5, 2024 in the form 2024-03-05',
  keywords: ['date', 'day', 'month', 'year', 'iso', 'calendar', 'convert', 'format'],
  examples,
}
