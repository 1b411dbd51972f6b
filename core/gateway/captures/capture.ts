import type { Json, JsonObject } from '../../kernel/json/json.ts'
import type { CountedUsage } from '../calls/estimate.ts'
import type { Attempt } from '../record/attempt.ts'
import type { Outcome, Retention } from '../record/call-record.ts'
import type { LeftOut } from './recording/left-out.ts'
import type { CaptureAudio } from './recording/audio-facts.ts'
import type { ReviewStatus } from './review.ts'
import type { RiskParts } from './risk.ts'

/** Ways in which a capture is recorded. */
export const CAPTURE_SOURCES = ['gateway', 'log', 'import', 'observe', 'media', 'multi_turn', 'multimodal'] as const
/** One of them. */
export type CaptureSource = (typeof CAPTURE_SOURCES)[number]

/** The facts of a capture that never change. The digest of its row covers all of them. Hashes are SHA-256 in hexadecimal. */
export interface CaptureFacts {
  /** `cap_…`, ordered by time (`newTimedId`). */
  readonly id: string
  readonly tenantId: string
  readonly namespace: string
  readonly at: Date
  readonly source: CaptureSource
  /** `chat` for an answer of a model; else `embeddings`, `moderations`, or the kind of a multimodal capture. */
  readonly kind: string
  readonly dialect: string | null
  readonly provider: string | null
  /** The model that answered or was asked last. */
  readonly model: string | null
  readonly requestModel: string | null
  readonly outcome: Outcome
  /** The HTTP status that the caller got. */
  readonly httpStatus: number
  readonly errorCode: string | null
  readonly isStreamed: boolean
  readonly usage: CountedUsage
  /** Millionths of a US dollar; null for a model without a known price. */
  readonly costMicros: number | null
  readonly latencyUs: number | null
  readonly firstContentUs: number | null
  readonly attempts: readonly Attempt[]
  /** Why the call went where it went; null when routing made no choice. */
  readonly route: JsonObject | null
  readonly redactionClasses: readonly string[]
  readonly retention: Retention
  /** Of the RFC 8785 form of the body as it was sent on. */
  readonly inputHash: string
  /** Of the bytes that the caller got. */
  readonly outputHash: string
  /** Of the extracted prompt, the extracted response and the RFC 8785 form of the stored answer; null where nothing is stored. */
  readonly promptHash: string | null
  readonly responseHash: string | null
  readonly answerHash: string | null
  readonly receiptId: string | null
  readonly receiptHash: string | null
  readonly conversationId: string | null
  readonly requestId: string
  readonly keyId: string | null
  readonly memberId: string | null
  readonly teamId: string | null
  /** Why its content was not stored; absent or null where it was, and where nothing is to be stored. */
  readonly contentLeftOut?: LeftOut | null
}

/** Characters of the texts of a large content that stay beside its blob. */
export const BEGINNING_CHARS = 8000

/** Content of a capture: forgetting erases it. */
export interface CaptureContent {
  /** Texts of the request, for search, lists and datasets; images and other media are left out. */
  readonly prompt: string
  /** Texts of the answer. */
  readonly response: string
  /** The body as it was sent on. */
  readonly body: JsonObject | null
  /** The answer without what was restored for the caller, in no dialect. */
  readonly answer: Json
}

/** A capture as the writer takes it. */
export interface NewCapture {
  readonly facts: CaptureFacts
  /** Null for zero retention, and for a content that was left out. */
  readonly content: CaptureContent | null
  /** A large content as JSON, in parts: `content` then holds the beginnings of its texts alone. */
  readonly packed?: readonly Uint8Array[]
  /** The signed receipt of the answer; null for zero retention. */
  readonly receipt: JsonObject | null
  /** Classes of sensitive text that were found in it, replaced or not, sorted; none for zero retention. */
  readonly sensitiveClasses: readonly string[]
  /** Template signature (`ts1:…`); null without a prompt. */
  readonly template: string | null
  /** Facts about its sound; null for none, and for zero retention. */
  readonly audio: CaptureAudio | null
  /** 0 to 1; null when nothing was measured. */
  readonly risk: number | null
  readonly riskParts: RiskParts | null
  /** The review status that it begins with. */
  readonly review: ReviewStatus
}
