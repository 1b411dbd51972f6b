import type { JsonOutline } from '../../../kernel/json/json-outline.ts'
import type { FoundAudio } from '../../protocol/audio/detect.ts'
import type { GatedBody, GateRules } from '../gate-body.ts'
import type { Medium } from '../../captures/recording/media.ts'
import type { CallRecorder, ElsewhereCall, RecordedCall } from '../../captures/recording/record-call.ts'
import type { Redacted } from '../../captures/recording/redact-texts.ts'
import type { NamespaceSettings } from '../namespaces/settings.ts'
import type { PackedForgetList } from '../privacy/forget-list.ts'

/** A body for the gate. */
export interface GateInput {
  /** As JSON, in parts. */
  readonly body: readonly Uint8Array[]
  readonly rules: GateRules
  /** Null for an empty list. */
  readonly forgotten: PackedForgetList | null
}

/** A body that has passed the gate, and the counts that later parts of the call need of it. */
export interface GateOutput extends Pick<GatedBody, 'facts' | 'isFlagged'> {
  /** Null where it is as it was. */
  readonly body: JsonOutline | null
  /** Null where it is as the body that providers get. */
  readonly kept: JsonOutline | null
  readonly reserved: readonly string[]
  /** See `Placeholders.given`. */
  readonly given: JsonOutline
  readonly tokens: number
  readonly chars: number
  /** The sounds of the body for the record. */
  readonly audio: FoundAudio | null
}

/** A file to redact, and the settings of its namespace. */
export interface MediumInput {
  readonly medium: Medium
  readonly settings: NamespaceSettings
  readonly forgotten: PackedForgetList | null
}

/** A call to record, and the settings of its namespace. */
export interface RecordInput {
  readonly recorder: CallRecorder
  readonly call: ElsewhereCall
  readonly settings: NamespaceSettings
  readonly forgotten: PackedForgetList | null
}

/** The tasks of the thread that looks at large bodies and files. */
export interface GateTasks {
  readonly gate: { readonly input: GateInput; readonly output: GateOutput }
  readonly record: { readonly input: RecordInput; readonly output: RecordedCall }
  readonly medium: { readonly input: MediumInput; readonly output: Redacted<Medium> }
}
