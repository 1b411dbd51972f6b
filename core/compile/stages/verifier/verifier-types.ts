import type { Json, Sha256 } from '../../../kernel/json/json.ts'
import type { Figure } from '../../../kernel/wire/figure.ts'
import type { OnDoubt } from '../../runtime/certificate/risk.ts'

/** Type of the outputs of the train rows. */
export type OutputType =
  | { readonly type: 'boolean' }
  | { readonly type: 'number'; readonly integer: boolean; readonly decimals: number }
  | { readonly type: 'label'; readonly labels: readonly Json[] }
  | { readonly type: 'date'; readonly pattern: string }
  | { readonly type: 'object'; readonly members: readonly string[] }
  | { readonly type: 'list' }
  | { readonly type: 'extraction' }
  | { readonly type: 'text' }
  | { readonly type: 'mixed' }

/** The name of a JSON type. */
export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

/** The place of a value inside an output: member names and, for every element of a list, `*`. */
export type ValuePath = readonly string[]

/** One check of an output, as data. Each is decided from the input and the output alone. */
export type Check =
  | { readonly id: string; readonly kind: 'type'; readonly path: ValuePath; readonly types: readonly JsonType[] }
  | { readonly id: string; readonly kind: 'one_of'; readonly path: ValuePath; readonly values: readonly Json[] }
  | { readonly id: string; readonly kind: 'integer'; readonly path: ValuePath }
  | {
      readonly id: string
      readonly kind: 'range'
      readonly path: ValuePath
      readonly min: number
      readonly max: number
    }
  | {
      readonly id: string
      readonly kind: 'length'
      readonly path: ValuePath
      readonly min: number
      readonly max: number
    }
  | {
      readonly id: string
      readonly kind: 'shape'
      readonly path: ValuePath
      /** Whether the lengths of digit and letter runs must match. */
      readonly level: 'exact' | 'loose'
      readonly shapes: readonly string[]
    }
  | {
      readonly id: string
      readonly kind: 'characters'
      readonly path: ValuePath
      readonly classes: readonly CharacterClass[]
    }
  | {
      readonly id: string
      readonly kind: 'members'
      readonly path: ValuePath
      readonly required: readonly string[]
      readonly closed: boolean
    }
  | {
      readonly id: string
      readonly kind: 'items'
      readonly path: ValuePath
      readonly min: number
      readonly max: number
    }
  | {
      readonly id: string
      readonly kind: 'copied'
      readonly path: ValuePath
      /** `characters`: each letter and digit of the output occurs in the input. */
      readonly unit: 'text' | 'tokens' | 'characters'
      readonly fold: boolean
    }
  | {
      readonly id: string
      readonly kind: 'numbers_kept'
      readonly path: ValuePath
      readonly direction: 'from_input' | 'all_of_input'
    }
  | {
      readonly id: string
      readonly kind: 'familiar'
      readonly path: ValuePath
      /** Bits of the hashes of the character trigrams of the rows, in base64; a power of two of them. */
      readonly bits: string
      /** Least share of a text's distinct trigrams that the rows have. */
      readonly min_share: number
    }
  | {
      readonly id: string
      readonly kind: 'not_output'
      readonly path: ValuePath
      readonly pairs: readonly { readonly input: Sha256; readonly output: Sha256 }[]
    }

/** A class of characters that a `characters` check allows. */
export type CharacterClass = 'lower' | 'upper' | 'other_letter' | 'digit' | 'space' | 'punctuation' | 'symbol' | 'other'

/** A change of the input that must leave the output of a recipe as it was. Checked on recipes, not on one output. */
export interface Metamorphic {
  readonly id: string
  readonly change: 'outer_space' | 'letter_case'
  /** Train rows that support it. */
  readonly support: number
}

/** Checks of the input: an input that fails one is unlike the rows. */
export interface InputProfile {
  readonly checks: readonly Check[]
  /** Rows that were judged by the checks of other rows, and how many of them failed one. */
  readonly rows: number
  readonly false_alarms: number
  readonly false_alarm_rate: number
  /** Checks that were dropped, since they refused too many rows. */
  readonly dropped: readonly string[]
}

/** The shares in a verifier, each with its basis. */
export interface VerifierFigures {
  readonly false_accept_rate: Figure
  readonly false_alarm_rate: Figure
  readonly completeness: Figure
  readonly right_withheld: Figure
  readonly wrong_withheld: Figure
}

/** A synthesised verifier: data only, versioned, identified by the hash of all its other members. */
export interface Verifier {
  readonly spec: 'svc-verifier-2'
  readonly output: OutputType
  readonly checks: readonly Check[]
  readonly metamorphic: readonly Metamorphic[]
  /** Number of wrong answers that pass, measured on answers made wrong on purpose. */
  readonly soundness: {
    readonly mutants: number
    readonly accepted: number
    readonly false_accept_rate: number
  }
  /** Number of accepted right answers, and the generated checks dropped because they refused one. */
  readonly completeness: {
    readonly rows: number
    readonly passed: number
    readonly dropped: readonly string[]
  }
  readonly inputs: InputProfile
  /** Behaviour of a run whose answer is in doubt. */
  readonly on_doubt: OnDoubt
  /** Below this confidence a classifier or a tabular model abstains; null when none was fitted. */
  readonly abstention: Abstention | null
  /** The shares above with their bases; absent in records of older versions. */
  readonly figures?: VerifierFigures
  readonly hash: Sha256
}

/** The abstention threshold and its basis. */
export interface Abstention {
  readonly threshold: number
  readonly chosen_on: 'inner_cross_validation'
  readonly predictions: number
  /** Right answers of the inner cross-validation that the threshold would have withheld; 0 by construction. */
  readonly right_withheld: number
  readonly wrong_withheld: number
}

/** A verifier's result for one output: the ids of the failed checks. */
export interface CheckResult {
  readonly pass: boolean
  readonly failed: readonly string[]
}
