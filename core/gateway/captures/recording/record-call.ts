import { jsonHash, textHash } from '../digest.ts'
import { countedUsage } from '../../calls/estimate.ts'
import type { NamespaceSettings } from '../../gate/namespaces/settings.ts'
import type { ClassAction, SensitiveClass } from '../../gate/privacy/classes.ts'
import type { ForgetFinder } from '../../gate/privacy/forget-list.ts'
import type { TermFinder } from '../../gate/privacy/scan/scan-text.ts'
import { termsOf } from '../../gate/privacy/shield.ts'
import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { storable } from '../../../kernel/json/storable.ts'
import type { CaptureContent, CaptureSource, NewCapture } from '../capture.ts'
import { redactContent } from './redact-content.ts'
import { beginsQuarantined, measureRisk, riskScore } from '../risk.ts'
import { sourceOf, templateSignature } from '../template.ts'
import type { CaptureAudio } from './audio-facts.ts'

/** The caller that records calls, and the namespace. */
export interface CallRecorder {
  readonly tenantId: string
  readonly namespace: string
  readonly requestId: string
  readonly keyId: string | null
  readonly memberId: string | null
  readonly teamId: string | null
}

/** A call that was made elsewhere and is recorded here. */
export interface ElsewhereCall {
  readonly id: string
  readonly at: Date
  readonly source: CaptureSource
  readonly kind: string
  readonly provider: string | null
  readonly model: string | null
  readonly prompt: string
  readonly response: string
  readonly body: JsonObject
  readonly answer: Json
  readonly latencyUs: number | null
  /** Millionths of a US dollar, as the caller states it; null where it states none. */
  readonly costMicros?: number | null
  /** The sound of a stored file. */
  readonly audio?: CaptureAudio | null
  readonly conversationId: string | null
  /** Classes that were found and replaced in the names and texts of its files. */
  readonly fileClasses?:
    | { readonly found: readonly SensitiveClass[]; readonly classes: readonly SensitiveClass[] }
    | undefined
}

/** A recorded call; `blocked`: the namespace's policy refuses texts of these classes, and nothing is kept. */
export type RecordedCall =
  | { readonly kind: 'capture'; readonly capture: NewCapture }
  | { readonly kind: 'blocked'; readonly classes: readonly SensitiveClass[] }

/** Records calls under the settings of a namespace, see `recordCall`. */
export interface CallRules {
  readonly keepsNothing: boolean
  readonly keepsText: boolean
  readonly terms: TermFinder | null
  /** The forget list among the terms. */
  readonly forgotten: ForgetFinder | null
  readonly settings: NamespaceSettings
  actionOf(kind: SensitiveClass): ClassAction
}

/** The rules that a namespace's settings and the forget list of its tenant make for stored calls. */
export function rulesOf(settings: NamespaceSettings, forgotten: ForgetFinder | null): CallRules {
  const { capture_mode, redact_mode, class_actions } = settings
  const usual: ClassAction = redact_mode === 'detect_only' ? 'allow' : redact_mode === 'block' ? 'block' : 'redact'
  return {
    keepsNothing: capture_mode === 'off',
    keepsText: capture_mode !== 'metadata_only',
    terms: termsOf(settings, forgotten),
    forgotten,
    settings,
    actionOf(kind) {
      const action = class_actions[kind] ?? usual
      return kind === 'forgotten' && action === 'allow' ? 'redact' : action
    },
  }
}

/** The capture of a call that was made elsewhere: redacted as the namespace says, and refused where it blocks. */
export function recordCall(recorder: CallRecorder, call: ElsewhereCall, rules: CallRules): RecordedCall {
  const given: CaptureContent = {
    prompt: storable(call.prompt),
    response: storable(call.response),
    body: call.body,
    answer: call.answer,
  }
  const redactor = redactContent({ terms: rules.terms, isKept: (kind) => rules.actionOf(kind) === 'allow' })
  const redacted: CaptureContent = {
    prompt: redactor.text(given.prompt),
    response: redactor.text(given.response),
    body: given.body && redactor.value(given.body),
    answer: redactor.value(given.answer),
  }
  const blocked = [...redactor.found].filter((kind) => rules.actionOf(kind) === 'block')
  if (blocked.length > 0) return { kind: 'blocked', classes: blocked }
  const classes = {
    found: [...new Set([...redactor.found, ...(call.fileClasses?.found ?? [])])],
    replaced: [...new Set([...redactor.classes, ...(call.fileClasses?.classes ?? [])])],
  }
  return { kind: 'capture', capture: captureOf(recorder, call, redacted, classes, rules.keepsText) }
}

function captureOf(
  recorder: CallRecorder,
  call: ElsewhereCall,
  redacted: CaptureContent,
  { found, replaced }: { readonly found: readonly SensitiveClass[]; readonly replaced: readonly SensitiveClass[] },
  keepsText: boolean,
): NewCapture {
  const content = keepsText ? redacted : null
  const parts = measureRisk({ redactionClasses: found, response: redacted.response, outcome: 'whole' })
  const risk = riskScore(parts)
  const { prompt, response } = redacted
  return {
    facts: {
      id: call.id,
      tenantId: recorder.tenantId,
      namespace: recorder.namespace,
      at: call.at,
      source: call.source,
      kind: call.kind,
      dialect: null,
      provider: call.provider,
      model: call.model,
      requestModel: call.model,
      outcome: 'whole',
      httpStatus: 200,
      errorCode: null,
      isStreamed: false,
      usage: countedUsage(null, { inputChars: prompt.length, outputChars: response.length, isWhole: true }),
      costMicros: call.costMicros ?? null,
      latencyUs: call.latencyUs,
      firstContentUs: null,
      attempts: [],
      route: null,
      redactionClasses: replaced,
      retention: keepsText ? 'kept' : 'none',
      inputHash: jsonHash(redacted.body),
      outputHash: textHash(response),
      promptHash: content && textHash(prompt),
      responseHash: content && textHash(response),
      answerHash: content && jsonHash(content.answer),
      receiptId: null,
      receiptHash: null,
      conversationId: call.conversationId,
      requestId: recorder.requestId,
      keyId: recorder.keyId,
      memberId: recorder.memberId,
      teamId: recorder.teamId,
    },
    content,
    receipt: null,
    sensitiveClasses: content === null ? [] : found.toSorted(),
    template: content && templateSignature(sourceOf(prompt, redacted.body)),
    audio: content && (call.audio ?? null),
    risk,
    riskParts: parts,
    review: beginsQuarantined(risk, parts) ? 'quarantined' : 'pending',
  }
}
