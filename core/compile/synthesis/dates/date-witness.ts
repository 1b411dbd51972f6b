import type { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import { readDatePattern, type DateElement } from '../../language/primitives/dates/date-pattern.ts'
import { formatDateText } from '../../language/primitives/dates/date-text.ts'
import { Cost, costOf } from '../ranking/cost.ts'
import type { Budget } from '../search/budget.ts'
import { behaviourOf, type Edge, type Witness } from '../text/edges.ts'
import type { DateNode } from './date-node.ts'

interface Letter {
  readonly name: string
  readonly cost: Cost
  readonly needs: 'day' | 'time'
  readonly elements: readonly DateElement[]
}

const DAY_LETTERS = [
  'yyyy',
  'MM',
  'dd',
  'M',
  'd',
  'MMM',
  'MMMM',
  'EEE',
  'EEEE',
  'yy',
  'do',
  'Q',
  'ww',
  'w',
  'YYYY',
  'DDD',
  'D',
  'e',
]
const TIME_LETTERS = ['HH', 'mm', 'ss', 'hh', 'h', 'H', 'm', 's', 'a', 'aa', 'SSS', 'aaaa', 'XXX', 'XX']

function lettersOf(names: readonly string[], needs: Letter['needs']): Letter[] {
  return names.map((name, i) => ({
    name,
    cost: costOf('writeDate.part').with('writeDate.part.place', i),
    needs,
    elements: readDatePattern(name) ?? [],
  }))
}

const LETTERS: readonly Letter[] = [...lettersOf(DAY_LETTERS, 'day'), ...lettersOf(TIME_LETTERS, 'time')]
/** Separators inside a date: marks and spaces, and the few words that occur between its parts. */
const SEPARATOR = /T|[^\p{L}\p{N}]{0,3}(?:W(?=\d)|[Ww]eek |KW ?)|[^\p{L}\p{N}]{1,3}(?:of |at |the |um )?|h(?=\d)/uy
const MONTH_NAME = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/i
const MAX_ELEMENTS = 13
const MAX_STATES = 160

interface State {
  readonly ends: readonly number[]
  readonly pattern: string
  /** The parts of the date that the pattern writes, by their first letters; hours count as one. */
  readonly parts: string
  readonly cost: Cost
  readonly elements: number
  /** A separator at the end belongs to the date only when more of the date follows. */
  readonly isAfterLetter: boolean
  /** Texts that the letters produce for the unlabelled inputs; empty for a part of the rows. */
  readonly behaviour: string
}

function quote(text: string): string {
  return /[A-Za-z']/.test(text) ? text.replace(/[A-Za-z']+/g, (run) => `'${run.replaceAll("'", "''")}'`) : text
}

function partOf({ name }: Letter): string {
  return name.charAt(0).replace('H', 'h')
}

/** True for a part that puts a week beside the year of the calendar. */
function isOfCalendarWeek(parts: string, part: string): boolean {
  return (part === 'w' && parts.includes('y')) || (part === 'y' && parts.includes('w'))
}

/** The cost of a letter after those of a state, above the state's own. */
function letterCost(state: State, letter: Letter, isSpelled: boolean, texts: readonly (string | undefined)[]): Cost {
  const isZero = /^[sS]/.test(letter.name) && texts.every((text) => text === undefined || /^0+$/.test(text))
  return (
    letter.cost
      // Beside a month in letters or without a zero, where no row shows a zero, the day is written plainly.
      .when(letter.name === 'dd' && (isSpelled || /(?<!M)M(?!M)/.test(state.pattern)), 'writeDate.paddedDay')
      .when(letter.name === 'M' && state.pattern.includes('dd'), 'writeDate.paddedDay')
      // The same part of a date twice in one pattern is rather two dates.
      .when(state.parts.includes(partOf(letter)), 'writeDate.repeated')
      // The weeks of a year are not the days of the calendar's: some days around New Year are in a week of the other year.
      .when(isOfCalendarWeek(state.parts, partOf(letter)), 'writeDate.calendarWeek')
      // Seconds or less that no row has.
      .when(isZero, 'writeDate.zero')
  )
}

function stepsFrom(
  state: State,
  outputs: readonly string[],
  rows: readonly number[],
  forms: ReadonlyMap<Letter, readonly (string | undefined)[]>,
): State[] {
  const out: State[] = []
  const isSpelled = MONTH_NAME.test(outputs[rows[0] ?? 0] ?? '')
  for (const [letter, texts] of forms) {
    const ends: number[] = []
    for (const [i, row] of rows.entries()) {
      const text = texts[row]
      const at = state.ends[i] ?? 0
      if (text === undefined || text === '' || !(outputs[row] ?? '').startsWith(text, at)) break
      ends.push(at + text.length)
    }
    if (ends.length < rows.length) continue
    // Two runs of the same letter would read as one letter of another width.
    if (state.isAfterLetter && state.pattern.endsWith(letter.name.slice(0, 1))) continue
    out.push({
      ends,
      pattern: state.pattern + letter.name,
      parts: state.parts + partOf(letter),
      cost: state.cost.plus(letterCost(state, letter, isSpelled, texts)),
      elements: state.elements + 1,
      isAfterLetter: true,
      behaviour: state.behaviour + behaviourOf(texts, rows.length < outputs.length ? texts.length : rows.length),
    })
  }
  if (!state.isAfterLetter) return out
  const firstRow = rows[0] ?? 0
  SEPARATOR.lastIndex = state.ends[0] ?? 0
  const separator = SEPARATOR.exec(outputs[firstRow] ?? '')?.[0]
  if (separator === undefined) return out
  if (rows.every((row, i) => (outputs[row] ?? '').startsWith(separator, state.ends[i]))) {
    out.push({
      ends: state.ends.map((end) => end + separator.length),
      pattern: state.pattern + quote(separator),
      parts: state.parts,
      cost: state.cost.with('writeDate.separator'),
      elements: state.elements + 1,
      isAfterLetter: false,
      behaviour: state.behaviour,
    })
  }
  return out
}

/**
 * Finds the patterns by which a date is written in the outputs at the starts, one for every place where it can end, and what
 * it writes on the unlabelled inputs.
 */
function inferPatterns(
  outputs: readonly string[],
  rows: readonly number[],
  starts: readonly number[],
  forms: ReadonlyMap<Letter, readonly (string | undefined)[]>,
): State[] {
  const best = new Map<string, State>()
  const queue: State[] = [
    { ends: starts, pattern: '', parts: '', cost: Cost.NONE, elements: 0, isAfterLetter: false, behaviour: '' },
  ]
  for (let at = 0; at < queue.length && queue.length < MAX_STATES; at++) {
    const state = queue[at]
    if (state === undefined || state.elements >= MAX_ELEMENTS) continue
    for (const next of stepsFrom(state, outputs, rows, forms)) {
      const key = `${next.ends.join()}/${next.isAfterLetter}/${next.behaviour}/${next.pattern.includes('dd')}/${next.parts.includes('Y')}`
      const known = best.get(key)
      if (known !== undefined && known.cost.total <= next.cost.total) continue
      best.set(key, next)
      queue.push(next)
    }
  }
  return [...best.values()].filter((state) => state.isAfterLetter)
}

/** Explains the dates in the outputs at the starts, in any pattern that the rows share. */
export function dateWitness(outputs: readonly string[], dates: readonly DateNode[]): Witness {
  const formsOf = new Map<DateNode, Map<Letter, readonly (string | undefined)[]>>()
  const formsFor = (node: DateNode) => {
    let forms = formsOf.get(node)
    if (forms === undefined) {
      forms = new Map()
      for (const letter of LETTERS) {
        if (node.has !== 'both' && node.has !== letter.needs) continue
        forms.set(
          letter,
          node.values.map((date) => (date === undefined ? undefined : formatDateText(date, letter.elements))),
        )
      }
      formsOf.set(node, forms)
    }
    return forms
  }
  return (rows, starts, budget: Budget) => {
    const edges: Omit<Edge, 'missing'>[] = []
    for (const node of dates) {
      if (rows.some((row) => node.values[row] === undefined)) continue
      budget.spend(4)
      for (const { ends, pattern, cost } of inferPatterns(outputs, rows, starts, formsFor(node))) {
        edges.push({
          expr: { op: 'formatDate', date: node.expr, pattern },
          cost: node.cost.with('writeDate').plus(cost),
          isConstant: false,
          values: () => writeAll(node.values, pattern),
          ends,
        })
      }
    }
    return edges
  }
}

function writeAll(dates: readonly (CivilDate | undefined)[], pattern: string): (string | undefined)[] {
  const elements = readDatePattern(pattern) ?? []
  return dates.map((date) => (date === undefined ? undefined : formatDateText(date, elements)))
}
