import type { Json } from '../kernel/json/json.ts'
import type { SearchIndex } from '../kernel/search/search-index.ts'

/** The answer of an own artifact. */
export interface OwnAnswer {
  readonly output: Json
  readonly abstained: boolean
  /** Calibrated; null where the recipe has none. */
  readonly confidence: number | null
  /** True for an input unlike those that the artifact was evaluated on. */
  readonly isUnlike: boolean
}

/** A caller who asks an own artifact. */
export interface OwnCaller {
  readonly tenantId: string
  readonly scopes: readonly string[]
}

/** Artifacts of the tenant as answers to calls of models: a port, which `compile` fills. */
export interface OwnArtifacts {
  /** Throws what `run` throws for an artifact that cannot be run at all. */
  require(caller: OwnCaller, artifactId: string): Promise<void>
  /**
   * Runs an artifact on an input, in this process. Throws `not_found` for one that is unknown, out of the caller's
   * namespaces, revoked or expired, `recipe_failed`, and what refuses an adapter (`base_not_installed`, `model_busy`, …).
   */
  run(caller: OwnCaller, artifactId: string, input: Json, hangUp: () => AbortSignal): Promise<OwnAnswer>
}

/** What learned from a capture. */
export interface CaptureLearner {
  readonly captureId: string
  /** Id of the compile, and of its artifact; or of the dataset. */
  readonly id: string
  /** True for a signed artifact, false for a compile without one. */
  readonly isArtifact: boolean
  /** True for a dataset, which forgets the row and needs no review. */
  readonly isDataset?: true
}

/** What learns from captures: a port, which `learn` fills. `Transaction` is the one that erases them. */
export interface CaptureLearners<Transaction> {
  /**
   * Flags what learned from captures that are being forgotten, and returns it: artifacts need a review from then on, and
   * examples made of the captures are used by no later compile and erased within minutes. Repeating it changes nothing.
   */
  flag(
    tx: Transaction,
    forgotten: { readonly tenantId: string; readonly ids: readonly string[]; readonly at: Date },
  ): Promise<readonly CaptureLearner[]>
}

/** The documentation, to answer from: a port, which `overview` fills. */
export interface Handbook {
  /** Returns the sections of the guides and the operations of the API. */
  index(): Promise<SearchIndex>
  /** Returns the commands of `svc` that the guides show. */
  commands(): Promise<SearchIndex>
}
