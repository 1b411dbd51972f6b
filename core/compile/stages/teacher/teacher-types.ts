import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import type { KnownPrices } from '../../../gateway/providers/prices.ts'
import type { SampleFinish } from '../../../gateway/providers/provider.ts'
import type { UnlabelledInput } from '../../rows/intake/example.ts'

/** Number and size of a job's questions for a teacher. */
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

/** Facts of a teacher that are known without asking it. */
export interface TeacherIdentity {
  readonly model: string
  readonly dialect: string
  /** Null when neither the operator nor the table has a price: no question is sent then. */
  readonly prices: KnownPrices | null
  readonly settings: TeacherSettings
}

/** One question for programs. Rows are named by their places in the list of rows. */
export interface ProgramQuestion {
  /** `program/<number from 0>`. */
  readonly id: string
  readonly samples: number
  /** Rows shown in the prompt. */
  readonly shown: readonly number[]
  /** Rows that answers are tried on and that a repair may show; the shown ones among them. */
  readonly fit: readonly number[]
  /** Rows that no prompt of this question holds: a program's results on them show whether it learned the rule. */
  readonly unseen: readonly number[]
  /** The best program of the synthesizer that never saw `unseen`, with rows of `fit` that it fails. */
  readonly hint: { readonly program: JsonObject; readonly failing: readonly number[] } | null
}

/** The questions about unlabelled inputs. */
export interface LabelQuestions {
  /** Places of the inputs to ask about, in the list of unlabelled inputs. */
  readonly inputs: readonly number[]
  readonly samples: number
  /** Rows shown as examples in the prompts. */
  readonly shown: readonly number[]
  readonly given: number
  /** Number of inputs left out: nearly the same as an evaluated one, or known already. */
  readonly droppedNearHoldout: number
  readonly droppedKnown: number
}

/** Questions for a teacher for one job. */
export interface TeacherPlan {
  readonly programs: readonly ProgramQuestion[]
  /** Reason for requesting no program. */
  readonly noPrograms: string | null
  readonly labels: LabelQuestions | null
}

/** A job's material for a teacher. */
export interface TeacherBrief {
  readonly teacher: TeacherIdentity
  readonly unlabelled: readonly UnlabelledInput[]
  /** The K-score that the job must reach. */
  readonly floor: number
}

/** Outcomes of a sample. */
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

/** One paid sample. */
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
  /** True when the tenant had asked the same before: no new charge. */
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
  /** Share of this answer among the requested samples: 0 to 1. */
  readonly share: number
}

/** Reason for which the questions ended early; null when all were asked. */
export type TeacherStop = 'budget_exhausted' | 'provider_failed' | null

/** Passages of documents that the prompts have had. */
export interface TeacherGrounding {
  readonly namespace: string
  /** Over all prompts of the attempt that ended the asking. */
  readonly passages: number
}

/** Cost of the questions in money and time. */
export interface TeacherSpending {
  /** Absent where the prompts had no passages. */
  readonly grounding?: TeacherGrounding | undefined
  readonly stopped: TeacherStop
  /** Code of the failure that ended the asking. */
  readonly failure: string | null
  /** Reserved for calls whose answer was lost; at most so much more may have been billed. US dollars. */
  readonly unsettledUsd: number
  readonly elapsedMs: number
}

/** The teacher's part of the evidence. */
export interface TeacherReport {
  readonly status: 'no_teacher_configured' | 'not_asked' | 'asked'
  /** Reason for not asking, or for ending early. */
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
  /** Absent where the prompts had no passages of documents. */
  readonly grounding?: TeacherGrounding
}

/** Outcomes of the unlabelled inputs. */
export interface LabelReport {
  readonly given: number
  readonly dropped_near_holdout: number
  readonly dropped_known: number
  readonly asked: number
  readonly samples: number
  readonly accepted: number
  readonly disagreed: number
  readonly refused_by_verifier: number
  /** True when the classifier was trained on the accepted labels: only if it does no worse with them. */
  readonly used_by_classifier: boolean
}
