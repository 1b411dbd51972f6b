import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import type { KnownPrices } from '../../../gateway/prices.ts'
import type { SampleFinish } from '../../../gateway/provider.ts'
import type { UnlabelledInput } from '../../rows/intake/example.ts'

/** How much is asked of a teacher for one job. */
export interface TeacherSettings {
  /** Samples of the question for a program, over all its parts. */
  readonly programSamples: number
  /** Samples for each unlabelled input. */
  readonly labelSamples: number
  /** Samples asked for in one call, where the provider gives several. */
  readonly samplesPerCall: number
  readonly maxOutputTokens: number
  /** US dollars that one job may spend. */
  readonly budgetUsd: number
}

/** What is known of a teacher without asking it. */
export interface TeacherIdentity {
  readonly model: string
  readonly dialect: string
  /** Null when neither the operator nor the table has a price: nothing is then asked. */
  readonly prices: KnownPrices | null
  readonly settings: TeacherSettings
}

/** One question for programs. Rows are named by their places in the list of rows. */
export interface ProgramQuestion {
  /** `program/<number from 0>`. */
  readonly id: string
  readonly samples: number
  /** Rows that stand in the prompt. */
  readonly shown: readonly number[]
  /** Rows that answers are tried on and that a repair may show; the shown ones among them. */
  readonly fit: readonly number[]
  /** Rows that no prompt of this question holds: how a program does on them says whether it learned the rule. */
  readonly unseen: readonly number[]
  /** The best program of the synthesizer that never saw `unseen`, with rows of `fit` that it fails. */
  readonly hint: { readonly program: JsonObject; readonly failing: readonly number[] } | null
}

/** The questions about unlabelled inputs. */
export interface LabelQuestions {
  /** Places of the inputs to ask about, in the list of unlabelled inputs. */
  readonly inputs: readonly number[]
  readonly samples: number
  /** Rows that stand in the prompts as examples; none with leave-one-out, where every row is evaluated. */
  readonly shown: readonly number[]
  readonly given: number
  /** Inputs that are not asked about: nearly the same as one that is evaluated, or known already. */
  readonly droppedNearHoldout: number
  readonly droppedKnown: number
}

/** What a teacher is to be asked for one job. */
export interface TeacherPlan {
  readonly programs: readonly ProgramQuestion[]
  /** Why no program is asked for. */
  readonly noPrograms: string | null
  readonly labels: LabelQuestions | null
}

/** What a job has for a teacher. */
export interface TeacherBrief {
  readonly teacher: TeacherIdentity
  readonly unlabelled: readonly UnlabelledInput[]
  /** The K-score that the job must reach. */
  readonly floor: number
}

/** What became of a sample. */
export type SampleOutcome =
  | 'candidate'
  | 'duplicate'
  | 'poor'
  | 'unreadable'
  | 'invalid_program'
  | 'refused'
  | 'cut_off'
  | 'majority'
  | 'minority'

/** One bought sample. */
export interface TeacherSample {
  /** `program/0`, `program/0/3/repair/1`, `label/17`. */
  readonly question: string
  readonly ordinal: number
  readonly text: string
  readonly finish: SampleFinish
  readonly model: string
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly costUsdMicros: number
  readonly latencyMs: number
  /** Calls that it took, failed ones included. */
  readonly attempts: number
  /** True when the tenant had asked the same before: nothing was paid. */
  readonly isReused: boolean
}

/** A sample as the evidence shows it. */
export interface TeacherSampleFacts {
  readonly question: string
  readonly ordinal: number
  readonly model: string
  readonly finish: SampleFinish
  readonly input_tokens: number
  readonly cached_tokens: number
  readonly output_tokens: number
  readonly cost_usd: number
  readonly latency_ms: number
  readonly attempts: number
  readonly reused: boolean
  readonly outcome: SampleOutcome
}

/** An unlabelled input with the answer on which the samples agree and that the verifier accepts. Training data only. */
export interface TeacherRow {
  readonly id: string
  readonly input: Json
  readonly output: Json
  /** Samples with this answer, of those that were asked for: 0 to 1. */
  readonly share: number
}

/** Why asking ended before everything was asked; null when all was. */
export type TeacherStop = 'budget_exhausted' | 'provider_failed' | null

/** What asking came to, in money and time. */
export interface TeacherSpending {
  readonly stopped: TeacherStop
  /** Code of the failure that ended the asking. */
  readonly failure: string | null
  /** Reserved for calls whose answer was lost; at most so much more may have been billed. US dollars. */
  readonly unsettledUsd: number
  readonly elapsedMs: number
}

/** What the evidence says of the teacher. */
export interface TeacherReport {
  readonly status: 'no_teacher_configured' | 'not_asked' | 'asked'
  /** Why it was not asked, or why asking ended early. */
  readonly reason: string | null
  readonly model: string | null
  readonly dialect: string | null
  readonly prices_usd_per_million: JsonObject | null
  readonly budget_usd: number | null
  readonly samples: number
  readonly bought: number
  readonly reused: number
  readonly input_tokens: number
  readonly cached_tokens: number
  readonly output_tokens: number
  readonly cost_usd: number
  readonly unsettled_usd: number
  readonly programs: { readonly samples: number; readonly candidates: number; readonly repairs: number } | null
  readonly labels: LabelReport | null
}

/** What became of the unlabelled inputs. */
export interface LabelReport {
  readonly given: number
  readonly dropped_near_holdout: number
  readonly dropped_known: number
  readonly asked: number
  readonly samples: number
  readonly accepted: number
  readonly disagreed: number
  readonly refused_by_verifier: number
  /** Whether the classifier was trained on the accepted ones: only when it does no worse with them. */
  readonly used_by_classifier: boolean
}
