import type { JsonObject } from '../../kernel/json/json.ts'
import type { CountedUsage } from '../calls/estimate.ts'
import type { SensitiveClass } from '../gate/privacy/classes.ts'
import type { MeasuredAudio } from '../protocol/audio/meter.ts'
import type { PlainKind } from '../calls/providers.ts'
import type { ModelAnswer } from '../protocol/exchange/answer.ts'
import type { CallerDialectName } from '../providers/provider.ts'
import type { LeftOut } from '../captures/recording/left-out.ts'
import type { RouteFacts } from '../routing/route-facts.ts'
import type { Attempt } from './attempt.ts'
import type { GateFacts } from './gate-facts.ts'

/**
 * The end of a call: with a whole answer, cut off by its provider, left by its caller, or without any answer because no
 * target gave one.
 */
export type Outcome = 'whole' | 'interrupted' | 'left' | 'failed'

/** The parts of a call that are kept: everything, or hashes and counts alone (zero retention). */
export type Retention = 'kept' | 'none'

/** Facts of a call that are known before a provider is asked. */
export interface CallFacts {
  readonly captureId: string
  readonly receiptId: string
  readonly requestId: string
  readonly tenantId: string
  readonly namespace: string
  readonly keyId: string | null
  readonly memberId: string | null
  readonly teamId: string | null
  readonly dialect: CallerDialectName
  /** The kind of request in its own form; null for a model's answer. */
  readonly plain: PlainKind | null
  /** The model as the caller named it. */
  readonly requestModel: string
  readonly retention: Retention
  readonly isStreamed: boolean
  readonly at: Date
}

/** The result of a call. */
export interface CallResult {
  readonly outcome: Outcome
  /** The status that the caller got. */
  readonly status: number
  /** Our machine code of the failure, or null. */
  readonly errorCode: string | null
  /** The provider and model that answered, or that were asked last; null when none was asked. */
  readonly provider: string | null
  readonly model: string | null
  /** In the order in which they were asked. */
  readonly attempts: readonly Attempt[]
  readonly route: RouteFacts
  readonly usage: CountedUsage
  /**
   * Cost at the provider in millionths of a US dollar; null for a model without a known price, and for a call that it may bill
   * though nothing of the answer came.
   */
  readonly costMicros: number | null
  /** The cost of the same counts at the provider that the call was meant for; null without one, and likewise. */
  readonly frontierCostMicros: number | null
  readonly latencyMs: number
  /** From the call to the first part of its answer, milliseconds; null without one. */
  readonly firstContentMs: number | null
  /** The body as it was sent on, without what was redacted. */
  readonly sent: JsonObject
  /** The answer without what was restored for the caller; null where none came, and for what has a form of its own. */
  readonly answer: ModelAnswer | null
  /** The sound that the provider gave; null for none. That of the caller stands in `sent`. */
  readonly spoken: MeasuredAudio | null
  /** SHA-256 of the bytes that the caller got, hexadecimal. */
  readonly outputHash: string
}

/** A finished call. */
export interface CallRecord extends CallFacts, CallResult {
  readonly gate: GateFacts
  /** Classes of sensitive text that the answer held, sorted; they are replaced in it unless the record holds it as it was. */
  readonly answerClasses: readonly SensitiveClass[]
  /** Why the capture holds no content of the call; absent or null for no reason of storage. */
  readonly leftOut?: LeftOut | null
}
