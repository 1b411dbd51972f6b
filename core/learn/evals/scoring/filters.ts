import type { FilterStep, TaskConfig } from '../task/task-config.ts'
import { choiceLetter } from './choice-letter.ts'
import { openPattern, type TaskPattern } from './patterns.ts'

/** Answers of one row after a filter: one text, or several. A text may be missing from a `map`. */
export type Filtered = string | null | readonly (string | null)[]

/** A named pipeline of filters. */
export interface FilterPipeline {
  readonly name: string
  readonly apply: (texts: readonly string[]) => Filtered
  /** The steps that change each answer alone, without those that choose among them. */
  readonly applyEach: (text: string) => string | null
}

/** The pipeline of a task without filters. */
const TAKE_FIRST: FilterStep = { function: 'take_first' }

/** Returns the pipelines of a task, with its patterns. Throws an `Error` for a pattern that is not supported, see `openPattern`. */
export function openFilters(task: TaskConfig): readonly FilterPipeline[] {
  const lists = task.filter_list ?? [{ name: 'none', filter: [TAKE_FIRST] }]
  return lists.map(({ name, filter }) => {
    const steps = filter.map(openStep)
    return {
      name,
      apply: (texts) => steps.reduce<Filtered>((value, step) => step(value), texts),
      applyEach: (text) => {
        const left = steps
          .filter((_, place) => isPerAnswer(filter[place]))
          .reduce<Filtered>((value, step) => step(value), [text])
        return typeof left === 'string' || left === null ? left : (left[0] ?? null)
      },
    }
  })
}

function isPerAnswer(step: FilterStep | undefined): boolean {
  return step !== undefined && !['take_first', 'take_first_k', 'majority_vote'].includes(step.function)
}

type Step = (value: Filtered) => Filtered

function openStep(step: FilterStep): Step {
  switch (step.function) {
    case 'regex': {
      const pattern = openPattern(step.regex_pattern)
      return each((text) => selected(pattern, text ?? '', step))
    }
    case 'remove_whitespace':
      return each((text) => text?.trim() ?? null)
    case 'lowercase':
      return each((text) => text?.toLowerCase() ?? null)
    case 'uppercase':
      return each((text) => text?.toUpperCase() ?? null)
    case 'choice_letter':
      return each((text) => choiceLetter(text ?? ''))
    case 'map':
      return each((text) =>
        text !== null && Object.hasOwn(step.mapping_dict, text)
          ? (step.mapping_dict[text] ?? null)
          : step.default_value,
      )
    case 'take_first':
      return (value) => listOf(value)[0] ?? null
    case 'take_first_k':
      return (value) => listOf(value).slice(0, step.k)
    case 'majority_vote':
      return (value) => [mostFrequent(listOf(value))]
  }
}

function each(change: (text: string | null) => string | null): Step {
  return (value) => listOf(value).map(change)
}

function listOf(value: Filtered): readonly (string | null)[] {
  return typeof value === 'string' || value === null ? [value] : value
}

/** The match that `re.findall` gives at a place, stripped; of several groups the first that is not empty. */
function selected(
  { groups, matches }: TaskPattern,
  text: string,
  { group_select: place, fallback }: { readonly group_select: number; readonly fallback: string },
): string {
  const match = matches(text).at(place)
  if (match === undefined) return fallback
  const [whole, first, ...others] = match
  const found = groups === 0 ? whole : groups === 1 ? (first ?? '') : [first, ...others].find((each) => each)
  return (found ?? fallback).trim()
}

/** As `Counter.most_common`: of equally frequent ones the first. */
function mostFrequent(texts: readonly (string | null)[]): string | null {
  const counts = new Map<string | null, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  let best: string | null = null
  let most = 0
  for (const [text, count] of counts) {
    if (count > most) [best, most] = [text, count]
  }
  return best
}
