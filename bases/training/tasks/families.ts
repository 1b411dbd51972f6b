import { CASING_FAMILIES } from './casing.ts'
import { DATE_FAMILIES } from './dates.ts'
import { EXTRACTION_FAMILIES } from './extraction.ts'
import { GRAMMAR_FAMILIES } from './grammar.ts'
import { LABEL_FAMILIES } from './labels.ts'
import { LIST_FAMILIES } from './lists.ts'
import { NUMBER_FAMILIES } from './numbers.ts'
import { PEOPLE_FAMILIES } from './people.ts'
import { RECORD_FAMILIES } from './records.ts'
import { RULE_FAMILIES } from './rules.ts'
import { SPELLING_FAMILIES } from './spelling.ts'
import type { TaskFamily } from './task.ts'
import { TYPO_FAMILIES } from './typos.ts'
import { UNIT_FAMILIES } from './units.ts'

/** Families by subject, as the model card lists them. */
export const GROUPS: readonly { readonly name: string; readonly families: readonly TaskFamily[] }[] = [
  { name: 'numbers', families: NUMBER_FAMILIES },
  { name: 'dates and times', families: DATE_FAMILIES },
  { name: 'units and abbreviations', families: UNIT_FAMILIES },
  { name: 'letter case and joints', families: CASING_FAMILIES },
  { name: 'spelling', families: SPELLING_FAMILIES },
  { name: 'typing errors', families: TYPO_FAMILIES },
  { name: 'people and addresses', families: PEOPLE_FAMILIES },
  { name: 'lists', families: LIST_FAMILIES },
  { name: 'grammar', families: GRAMMAR_FAMILIES },
  { name: 'labels and intents', families: LABEL_FAMILIES },
  { name: 'extraction', families: EXTRACTION_FAMILIES },
  { name: 'records', families: RECORD_FAMILIES },
  { name: 'made-up rules', families: RULE_FAMILIES },
]
const ALL = GROUPS.flatMap(({ families }) => families)

/** Families left out of training entirely, to measure transfer to new kinds of task. */
const LEFT_OUT = new Set([
  'dictated order',
  'spoken symbols',
  'titles',
  'counts of things',
  'intent and field',
  'stutter',
])

/** The families that the base is trained on. */
export const TRAINED_FAMILIES: readonly TaskFamily[] = ALL.filter(({ name }) => !LEFT_OUT.has(name))

/** The families that it never saw. */
export const UNSEEN_FAMILIES: readonly TaskFamily[] = ALL.filter(({ name }) => LEFT_OUT.has(name))
