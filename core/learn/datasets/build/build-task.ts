import type { Sha256 } from '../../../kernel/json/json.ts'
import type { DataFile, FileBounds } from '../files/data-file.ts'
import type { IndexDiff } from '../index/diff-indexes.ts'
import type { QualityReport } from '../quality/quality-report.ts'
import type { RowForm, RowType } from '../rows/row-content.ts'

/** Files of an earlier version. */
export interface VersionFiles {
  readonly rows: string
  readonly index: string
  /** The inputs that were held out up to this version, see `HeldKeys`. */
  readonly held: string
}

/** The choices for a split. */
export interface SplitChoice {
  readonly trainRatio: number
  readonly minTrain: number
  readonly minHoldout: number
  /** The caller's seed; null for that of the rows. */
  readonly seed: string | null
  /** True when a side that stays empty is an error: the caller asked for this split. */
  readonly isStrict: boolean
}

/** Input of a build: everything lies in files, so that neither side holds the rows. */
export interface BuildInput {
  /** Folder that the build writes to; its caller removes it. */
  readonly folder: string
  readonly files: readonly DataFile[]
  /** JSONL of captures (`id`, `conversation`, `row`); null for none. */
  readonly captures: string | null
  /** The version before; null for the first. */
  readonly previous: VersionFiles | null
  /** Rows of the version before to leave out, by id. */
  readonly removed: readonly string[]
  readonly split: SplitChoice
  readonly bounds: FileBounds
  readonly mostRows: number
  /** The base whose tokenizer counts tokens; null where none is installed. */
  readonly tokenizer: { readonly name: string; readonly directory: string } | null
  /** JSONL of held-out texts of other datasets (`dataset_id`, `text`); null for none. */
  readonly otherHoldouts: string | null
  /** Questions of the packs of benchmarks in the same lines, with the id of the pack; null where there are none. */
  readonly benchPacks: string | null
}

/** The result of a build. */
export interface BuildSummary {
  readonly files: VersionFiles & {
    /** JSONL of the captures of the version (`capture`, `row`), those of duplicates too. */
    readonly captures: string
  }
  readonly rows: number
  readonly train: number
  readonly held: number
  readonly type: RowType
  readonly form: RowForm
  readonly duplicates: number
  /** Root of the Merkle tree over the hashes of the rows, in their order. */
  readonly root: Sha256
  readonly seed: string
  /** Digest of the sides: over the sorted row hashes with `0` or `1` each. */
  readonly splitSignature: Sha256
  readonly groups: number
  /** True when each label keeps its share on both sides. */
  readonly byLabel: boolean
  /** Rows by where they come from, the most frequent first. */
  readonly sources: readonly { readonly name: string; readonly rows: number }[]
  readonly quality: QualityReport
}

/** The tasks of the thread of builds. */
export interface BuildTasks {
  readonly build: {
    readonly input: BuildInput
    readonly output: BuildSummary
    readonly progress: { readonly step: string; readonly done: number }
  }
  readonly diff: {
    readonly input: { readonly before: Uint8Array; readonly after: Uint8Array; readonly most: number }
    readonly output: IndexDiff
  }
}
