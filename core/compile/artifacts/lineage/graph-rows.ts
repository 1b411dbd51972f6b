import type { UsedDataset } from '../../wire/jobs/dataset.ts'
import type { JsonObject } from '../../../kernel/json/json.ts'

/** A job of a graph, with its artifact; null for a job that signed none. */
export interface GraphJob {
  readonly id: string
  readonly task: string
  readonly status: string
  /** The job whose examples it compiled again. */
  readonly earlierJob: string | null
  /** The job of the version before it. */
  readonly parent: string | null
  /** The artifact whose adapter its distillation continued, and the one that it asked; null for a base, and without one. */
  readonly student: string | null
  readonly teacher: string | null
  /** The version of a dataset whose rows it compiled, and the distillation that did; null for other rows. */
  readonly dataset: UsedDataset | null
  /** Captures that it learned from, and those of them that were forgotten. */
  readonly captures: number
  readonly forgotten: number
  readonly artifact: GraphArtifact | null
}

/** The artifact of a job. */
export interface GraphArtifact {
  readonly name: string
  readonly cid: string
  readonly state: string
  readonly kScore: number
  readonly recipeKind: string | null
  readonly createdAt: Date
  readonly versionId: string | null
  readonly conceptId: string | null
  readonly semver: string | null
}

/** A piece of evidence of an artifact, as its compile wrote it. */
export interface EvidenceRow {
  readonly artifactId: string
  readonly facts: { readonly id: string; readonly kind: string } & JsonObject
}

/** An edge of the evidence of an artifact, from dependent to dependency. */
export interface EvidenceEdgeRow {
  readonly artifactId: string
  readonly from: string
  readonly to: string
  readonly relationship: string
}

/** A capture that an artifact learned from. */
export interface CaptureUseRow {
  readonly artifactId: string
  readonly captureId: string
  readonly isForgotten: boolean
}

/** Rows from which a graph is made. */
export interface GraphRows {
  readonly jobs: readonly GraphJob[]
  readonly nodes: readonly EvidenceRow[]
  readonly edges: readonly EvidenceEdgeRow[]
  readonly uses: readonly CaptureUseRow[]
}
