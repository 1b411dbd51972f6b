import type { Tolerance } from '../equality/tolerance.ts'
import type { MemberOrder } from '../inputs/member-order.ts'
import type { Json } from '../../../kernel/json/json.ts'
import type { Row } from '../task.ts'

/** An output that must not come for an input (`kind: 'negative'` with `expected_not`). */
export interface NegativeExample {
  readonly id: string
  readonly input: Json
  readonly notOutput: Json
  /** The better answer of its pair, for preferences; without one every example with the input is better. */
  readonly chosen?: Json
  /** Of its pair, where preferences have weights; 1 when absent. */
  readonly weight?: number
}

/** An input without an output: it takes part in the search for programs, and a teacher may be asked for it. */
export interface UnlabelledInput {
  readonly id: string
  readonly input: Json
}

/** One example as the caller gave it, checked and bounded. `field` is the place of an unlabelled one, for errors. */
export type Example =
  | { readonly kind: 'positive'; readonly row: Row }
  | { readonly kind: 'negative'; readonly negative: NegativeExample }
  | { readonly kind: 'unlabelled'; readonly unlabelled: UnlabelledInput; readonly field?: string }

/** Rows without an answer, which are not learned from. */
export interface UnansweredRows {
  readonly count: number
  /** The first lines, counted from 1 as an editor shows them; empty for rows that came in a request body. */
  readonly lines: readonly number[]
}

/** Returns the input of an example of any kind. */
export function inputOfExample(example: Example): Json {
  if (example.kind === 'positive') return example.row.input
  return example.kind === 'negative' ? example.negative.input : example.unlabelled.input
}

/** Facts of a dataset at intake, including its duplicates and contradictions. */
export interface DatasetSummary {
  /** Positive rows as given, duplicates included. */
  readonly rows: number
  readonly negatives: number
  /** Rows without an answer; the lines are known of files only. */
  readonly unanswered: UnansweredRows
  /** Rows whose canonical input and output had been seen before. */
  readonly duplicates: number
  /** Rows whose canonical input had been seen with another output. */
  readonly contradictions: number
  /** Rows with different canonical inputs. */
  readonly distinctInputs: number
  /** Of the first positive row. */
  readonly members: MemberOrder | null
  /** Of a file: the one column that holds the inputs. */
  readonly inputColumn?: string
  /** Bytes of the canonical JSONL form. */
  readonly bytes: number
  /** The tolerances of numbers that outputs of one input were compared with. */
  readonly tolerances: readonly Tolerance[]
}

/** Facts of the row selection before the split; part of the evidence. */
export interface SelectionFacts {
  readonly given_rows: number
  readonly negatives: number
  readonly duplicates_removed: number
  /** Inputs that came with more than one output. */
  readonly contradictory_inputs: number
  /** Rows set aside because the majority of the rows with their input has another output. */
  readonly contradictory_rows_removed: number
  /** Rows with different inputs, before sampling. */
  readonly distinct_rows: number
  readonly rows_used: number
  /** Selection of the used rows: all of them, or those with the smallest hash of the input. */
  readonly sample: 'all' | 'smallest_input_hash'
}

/** Returns the facts of rows that are used as they are: distinct inputs, none of them removed. */
export function factsOf({ length }: readonly Row[]): SelectionFacts {
  return {
    given_rows: length,
    negatives: 0,
    duplicates_removed: 0,
    contradictory_inputs: 0,
    contradictory_rows_removed: 0,
    distinct_rows: length,
    rows_used: length,
    sample: 'all',
  }
}

/** The rows a compile works on: one per canonical input. */
export interface Selection {
  readonly rows: readonly Row[]
  readonly negatives: readonly NegativeExample[]
  /** Distinct by canonical input. */
  readonly unlabelled: readonly UnlabelledInput[]
  readonly facts: SelectionFacts
}
